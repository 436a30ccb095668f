import * as z from "zod";
import { ConversionError, unknownWord } from "../../errors.ts";
import { type CarryMode, carryModes } from "../../options.ts";
import type { Answer, Endpoint, Exchange } from "../../server/endpoint.ts";
import { readWord } from "../../settings.ts";
import { newCallId } from "../call-id.ts";
import type { RouteConfig } from "../config/config.ts";
import type { Face } from "../face.ts";
import type { Gateway, GatewayCall } from "../gateway.ts";
import { callIdHeader, resultAnswer } from "./answering.ts";
import { framingOf } from "./framing.ts";
import { lateAnswer, withHeartbeat, within } from "./heartbeat.ts";

/** Tools over plain HTTP, in the caller's own format: `POST /tools/{name}`. */
export const httpFace: Face = {
  id: "http",
  settings: z.strictObject({}).describe("Tools over plain HTTP: POST /tools/{name}."),
  always: true,
  open: (_, { gateway, server }) => {
    const endpoints: readonly Endpoint[] = [
      {
        method: "POST",
        path: "/tools/:name",
        what: "calls a tool with the caller's own call, and answers in the caller's format: ?to=FORMAT",
        access: "key",
        admitted: true,
        handle: (exchange) => callTool(gateway, server.heartbeat, exchange),
      },
      {
        method: "GET",
        path: "/tools",
        what: "lists the tools",
        access: "key",
        admitted: false,
        handle: () => json({ tools: [...gateway.routes.values()].map(toolInfo) }),
      },
    ];
    return { endpoints };
  },
};

async function callTool(gateway: Gateway, heartbeat: number, exchange: Exchange): Promise<Answer> {
  const route = gateway.route(exchange.params.name ?? "");
  const wanted = readQuery(exchange.url.searchParams);
  checkPolicy(gateway, route, wanted);
  const framing = framingOf(
    exchange.request.headers.get("accept"),
    checkedTarget(gateway, wanted.to ?? route.to),
    gateway.converter.formats(),
  );
  const asked = gateway.converter.parseCall(await exchange.body(), {
    from: wanted.call ?? callFormatOf(gateway, route, wanted.to),
    name: route.name,
    limits: gateway.limits,
  });
  const given = wanted.toolCallId ?? exchange.request.headers.get(callIdHeader) ?? asked.toolCallId;
  if (given === "") throw new ConversionError("invalid-option", `an empty ${callIdHeader} names no call`);
  const toolCallId = given ?? (hasCallIds(gateway, framing.to) ? newCallId() : undefined);
  const request: GatewayCall = {
    route,
    call: { ...asked, ...(toolCallId !== undefined && { toolCallId }) },
    to: framing.to,
    ...(wanted.carry !== undefined && { policy: { carry: wanted.carry } }),
  };
  const pending = gateway.call(request, exchange);
  if (framing.heartbeat === undefined || route.upstreamErrors === "problem") {
    return resultAnswer(await pending, framing, toolCallId, exchange);
  }
  // A stream that has begun can no longer become another status, so it begins as late as it may.
  const early = await within(pending, heartbeat);
  const answer = resultAnswer(early ?? lateAnswer(pending), framing, toolCallId, exchange);
  return { ...answer, body: withHeartbeat(answer.body, framing.heartbeat, heartbeat) };
}

interface Wanted {
  readonly to?: string;
  readonly call?: string;
  readonly toolCallId?: string;
  readonly carry?: CarryMode;
}

const names = ["to", "call", "toolCallId", "carry"] as const;

/** What a caller may want otherwise than the route: never less care about audience or losses. */
function readQuery(query: URLSearchParams): Wanted {
  const given = new Map<string, string>();
  for (const [name, value] of query) {
    if (!(names as readonly string[]).includes(name))
      throw unknownWord("invalid-option", "query parameter", name, names);
    if (given.has(name))
      throw new ConversionError("invalid-option", `the query parameter ${name} is given twice`);
    given.set(name, value);
  }
  const { carry, ...rest } = Object.fromEntries(given);
  if (carry === undefined) return rest;
  const mode = readWord(carry, "carry", carryModes);
  if (mode !== "detached") return { ...rest, carry: mode };
  throw new ConversionError("invalid-option", "carry=detached has no place in the answer of a tool call");
}

/** A route's policy is the operator's: a caller may be stricter, and never less. */
function checkPolicy(gateway: Gateway, route: RouteConfig, { to, carry }: Wanted): void {
  if (carry === "inline" && route.policy.carry === "off") {
    throw new ConversionError("invalid-option", "the route writes no carry");
  }
  const isBare = (format: string) =>
    adapterOf(gateway, format)?.dialects.some(({ traits }) => traits.structured === "verbatim") === true;
  if (to !== undefined && isBare(to) && !isBare(route.to)) {
    throw new ConversionError(
      "invalid-option",
      `${to} says all that a result holds, whoever it is for; only a route with \`to: ${to}\` answers in it`,
    );
  }
}

/** Throws `unknown-format`, `unknown-dialect` or `dialect-not-writable` before a tool is called. */
function checkedTarget(gateway: Gateway, to: string): string {
  const [id = "", dialect] = to.split(":", 2);
  const formats = gateway.converter.formats();
  const format = formats.find((one) => one.id === id);
  if (format === undefined) {
    throw unknownWord(
      "unknown-format",
      "format",
      id,
      formats.map((one) => one.id),
    );
  }
  if (dialect === undefined) return to;
  const found = format.dialects.find((one) => one.id === dialect);
  const writable = format.dialects.filter(({ output }) => output).map((one) => one.id);
  if (found === undefined) throw unknownWord("unknown-dialect", `dialect of ${id}`, dialect, writable);
  if (found.output) return to;
  throw new ConversionError("dialect-not-writable", `${to} is read only; writable: ${writable.join(", ")}`);
}

/** A caller that names its format for the answer speaks that format in its call, too. */
function callFormatOf(gateway: Gateway, route: RouteConfig, to: string | undefined): string {
  const format = to === undefined ? (route.call ?? route.to) : to;
  return format === "arguments" || adapterOf(gateway, format)?.call !== undefined ? format : "arguments";
}

function hasCallIds(gateway: Gateway, to: string): boolean {
  return adapterOf(gateway, to)?.call?.hasId === true;
}

function adapterOf({ converter }: Gateway, format: string) {
  const [id] = format.split(":", 1);
  return converter.adapters.find((adapter) => adapter.id === id);
}

function toolInfo({ name, to, tool }: RouteConfig) {
  const { description, inputSchema, outputSchema } = tool;
  return { name, to, description, inputSchema, outputSchema };
}

function json(value: unknown): Answer {
  return { status: 200, headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) };
}
