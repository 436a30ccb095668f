import type * as z from "zod";
import { defaultLimits, type Limits } from "../../options.ts";
import { logLevels } from "../../server/log.ts";
import type { AuthSettings, ServerSettings } from "../../server/settings.ts";
import { limitTable } from "../../settings.ts";
import type { ConnectionSettings } from "../upstream.ts";
import { apiKeys, count, duration, onOff, size, text, texts, word } from "./value-kinds.ts";

/**
 * Every setting of the server, of reading, and of the connection to an upstream, in one table each: the file's schema,
 * the environment variables and the reference page come from it. A new setting breaks the build until it has a row.
 */

export interface ConfigSetting<Value> {
  /** One sentence: what it does. */
  readonly what: string;
  /** As the file spells it. */
  readonly fallback: string | number | boolean | readonly string[];
  /** Why the default is what it is. */
  readonly reason: string;
  readonly value: z.ZodType<Value>;
}

type Table<Settings> = { readonly [Name in keyof Settings]: ConfigSetting<Settings[Name]> };

export const serverTable: Table<ServerSettings> = {
  host: {
    what: "Address to listen on. One that others can reach needs `auth.keys`.",
    fallback: "127.0.0.1",
    reason: "A gateway calls tools for whoever reaches it, so at first only this machine does.",
    value: text(),
  },
  port: {
    what: "Port to listen on; 0 takes a free one.",
    fallback: 8080,
    reason: "It needs no rights of an administrator.",
    value: count({ to: 65_535 }),
  },
  hosts: {
    what: "Names that the Host header may have beside `localhost`, `127.0.0.1` and `[::1]`, without port.",
    fallback: [],
    reason:
      "A web page can point a name of its own at this address (DNS rebinding), but cannot hide that name.",
    value: texts(),
  },
  origins: {
    what: "Origins of web pages that may call, such as `https://console.example.com`.",
    fallback: [],
    reason: "Agents are servers and send no Origin; a browser that does was led here by some page.",
    value: texts(),
  },
  headersTimeout: {
    what: "Time for a client to send the head of its request.",
    fallback: "10s",
    reason: "Node lets a slow client hold a socket for a minute; an honest one needs no second.",
    value: duration(),
  },
  requestTimeout: {
    what: "Time for a client to send its whole request, and to take anything of its answer.",
    fallback: "30s",
    reason: "16 MiB in 30 seconds is a slow line; Node's own limit is five minutes.",
    value: duration(),
  },
  keepAliveTimeout: {
    what: "Time that an idle connection stays open.",
    fallback: "5s",
    reason:
      "Idle sockets cost little, but not nothing. Behind a load balancer set it above the balancer's idle time.",
    value: duration(),
  },
  maxRequestsPerSocket: {
    what: "Requests on one connection before it is closed.",
    fallback: 1000,
    reason: "Clients come back now and then, so load spreads over restarted servers.",
    value: count({ from: 1 }),
  },
  maxConnections: {
    what: "Connections open at one time; more are refused.",
    fallback: 2000,
    reason: "Each takes a file of the process and some memory, used or not.",
    value: count({ from: 1 }),
  },
  maxHeaderBytes: {
    what: "Bytes of the head of one request.",
    fallback: "16KiB",
    reason: "Node's own limit; no agent platform comes near it.",
    value: size({ from: 1024 }),
  },
  maxHeaders: {
    what: "Header lines of one request.",
    fallback: 100,
    reason: "Node takes 1,500, which only a flood sends.",
    value: count({ from: 1 }),
  },
  maxBodyBytes: {
    what: "Bytes of one request body, counted while it comes.",
    fallback: "16MiB",
    reason: "Dify takes files of 15 MB and up; a body is held in memory while it is read.",
    value: size(),
  },
  maxHeldBytes: {
    what: "Bytes of bodies and answers held at one time, over all requests; beyond it callers are told to wait.",
    fallback: "256MiB",
    reason: "64 bodies of the largest size would be a gibibyte.",
    value: size(),
  },
  maxInFlight: {
    what: "Calls at one time; more wait in the queue.",
    fallback: 256,
    reason: "Calls mostly wait for tools. Past some number each more only slows the others.",
    value: count({ from: 1 }),
  },
  maxQueued: {
    what: "Calls that wait for one in flight to end; more are refused at once.",
    fallback: 256,
    reason: "A short burst waits a moment; a queue without bound answers callers that have gone.",
    value: count(),
  },
  queueTimeout: {
    what: "Time that a call waits in the queue before it is refused.",
    fallback: "1s",
    reason: "Whoever has waited a second does better to try again later or elsewhere.",
    value: duration(),
  },
  rate: {
    what: "Calls per second of one key; 0 is no limit.",
    fallback: 0,
    reason:
      "One key often stands for a whole platform. How much is too much only the operator knows; `maxInFlight` holds.",
    value: count(),
  },
  heartbeat: {
    what: "Time between two comments that keep an idle event stream open.",
    fallback: "15s",
    reason: "Proxies on the way close a stream that is silent for 30 or 60 seconds.",
    value: duration({ from: 100 }),
  },
  drainDelay: {
    what: "How long a stopping server still takes requests, telling each client to close.",
    fallback: "2s",
    reason:
      "A client that reuses a connection in the moment it closes loses its call. Set it above the readiness period.",
    value: duration({ from: 0 }),
  },
  drainTimeout: {
    what: "How long a stopping server waits for calls in flight.",
    fallback: "30s",
    reason:
      "Whoever stops a server soon kills it: Kubernetes after 30 seconds, `drainDelay` counted, unless it is told more.",
    value: duration(),
  },
  logLevel: {
    what: "The least level that is logged. No level logs payloads, headers or keys.",
    fallback: "info",
    reason: "One line for each request shows who called what and how it ended.",
    value: word(logLevels),
  },
};

export const authTable: Table<AuthSettings> = {
  keys: {
    what: "Keys that callers show as `Authorization: Bearer KEY` or `x-api-key: KEY`; in the variable as NAME=KEY,NAME=KEY.",
    fallback: [],
    reason:
      "On this machine alone everyone is let in; an address that others can reach is refused without a key.",
    value: apiKeys(),
  },
};

/** The limits of reading, with what a server sets where a library leaves it to its caller (R16). */
export const limitsTable: Table<Limits> = {
  maxDepth: { ...limitTable.maxDepth, fallback: defaultLimits.maxDepth, value: count({ from: 1 }) },
  maxNodes: {
    what: limitTable.maxNodes.what,
    fallback: 1_000_000,
    reason: "Four million small values in 12 MB hold up every other call for more than half a second.",
    value: count({ from: 1 }),
  },
  maxNumberLength: {
    ...limitTable.maxNumberLength,
    fallback: defaultLimits.maxNumberLength,
    value: count({ from: 1 }),
  },
  maxParts: { ...limitTable.maxParts, fallback: defaultLimits.maxParts, value: count({ from: 1 }) },
  maxLineBytes: { ...limitTable.maxLineBytes, fallback: "16MiB", value: size() },
  carryLimit: { ...limitTable.carryLimit, fallback: "256KiB", value: size() },
};

export const connectionTable: Table<ConnectionSettings> = {
  connectTimeout: {
    what: "Time for the connection, TLS included.",
    fallback: "5s",
    reason: "As Envoy has it; a server that is there answers within one round trip.",
    value: duration(),
  },
  headersTimeout: {
    what: "Time from the request until the head of the answer.",
    fallback: "60s",
    reason: "A tool often answers only when it has finished.",
    value: duration(),
  },
  idleTimeout: {
    what: "Time between two pieces of the answer.",
    fallback: "60s",
    reason: "Streams of tools send a sign of life more often.",
    value: duration(),
  },
  totalTimeout: {
    what: "Time for the whole call.",
    fallback: "120s",
    reason: "Agents wait no longer for one tool.",
    value: duration(),
  },
  streamTimeout: {
    what: "Time for the whole call where the answer is a stream of events or lines; comments do not extend it.",
    fallback: "300s",
    reason: "A stream shows that it is at work, so it gets longer; an endless one ends all the same.",
    value: duration(),
  },
  maxSockets: {
    what: "Connections to this upstream at one time; further calls wait.",
    fallback: 64,
    reason: "One slow upstream cannot take every call of the gateway.",
    value: count({ from: 1 }),
  },
  keepAlive: {
    what: "Time that an idle connection is kept; a second less than the upstream announces, where it does.",
    fallback: "4s",
    reason:
      "Servers close idle connections after 5 seconds and more, and a call sent in that moment is lost.",
    value: duration(),
  },
  maxAnswerBytes: {
    what: "Bytes of one answer, counted while it comes.",
    fallback: "32MiB",
    reason: "Dify's plugin daemon takes 30 MiB.",
    value: size(),
  },
  connectRetries: {
    what: "Further tries where no connection could be made. Once a byte was sent there is none.",
    fallback: 1,
    reason: "Without a connection the tool cannot have run; after that, running it twice could do harm.",
    value: count({ to: 10 }),
  },
  allowHttp: {
    what: "Whether `url` may be `http:` to other machines than this one.",
    fallback: false,
    reason: "Arguments and results of tools are read along on the way.",
    value: onOff(),
  },
  allowPrivate: {
    what: "Whether the upstream may be at a private, link-local or other special address. `localhost` always may.",
    fallback: false,
    reason: "A name that suddenly points inside is the usual way into a network.",
    value: onOff(),
  },
};

type Shape<Settings> = { readonly [Name in keyof Settings]: z.ZodPrefault<z.ZodType<Settings[Name]>> };

/** A shape for a zod object: every setting of a table with its description and default. */
function shapeOf<Settings extends object>(table: Table<Settings>): Shape<Settings> {
  const entries = Object.entries<ConfigSetting<unknown>>(table).map(
    ([name, { value, fallback, what }]) => [name, value.prefault(fallback).describe(what)] as const,
  );
  // The table's type pairs each name with its value's type; `fromEntries` cannot say so.
  return Object.fromEntries<z.ZodType>(entries) as Shape<Settings>;
}

export const serverShape = shapeOf(serverTable);
export const authShape = shapeOf(authTable);
export const limitsShape = shapeOf(limitsTable);

/**
 * To spread into the settings of a kind of upstream or of a face; its output is `ConnectionSettings`. A setting `url`
 * beside it is checked against `allowHttp` and `allowPrivate` when a configuration is read.
 */
export const connectionShape = shapeOf(connectionTable);
