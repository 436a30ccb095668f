import * as z from "zod";
import { stringify } from "../../json/stringify.ts";
import { connectionShape, text, word } from "../config/values.ts";
import type { UpstreamEnvironment, UpstreamKind } from "../upstream.ts";
import { discard, failureOf, mediaTypeOf, readable } from "./answer-body.ts";

const settings = z
  .strictObject({
    url: z.url().describe("Address of the server; the `path` of a route is added to it."),
    method: word(["POST", "PUT", "PATCH"]).prefault("POST").describe("Method of a call."),
    headers: z
      .record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/), text())
      .prefault({})
      .describe("Headers of every call, such as the credentials that the server wants."),
    call: text()
      .describe(
        "Format of the request: one that has calls, or `arguments` for a bare object of arguments. Default: that of the route's `from`.",
      )
      .exactOptional(),
    errorBody: word(["hide", "read"])
      .prefault("hide")
      .describe(
        "Whether an answer with a status of failure is read as a result. Hidden by default: such texts often hold secrets.",
      ),
    ...connectionShape,
  })
  .describe("Any HTTP endpoint that answers in one of the formats.");

/** `kind: http`: sends each call as one request, and reads the answer in the route's format. */
export const httpUpstream: UpstreamKind<z.output<typeof settings>> = {
  kind: "http",
  settings,
  open: (given, environment) => {
    const client = environment.connect(new URL(given.url), given);
    return {
      call: async ({ call, from, path, requestId, signal }) => {
        const answer = await client.send({
          method: given.method,
          path,
          headers: {
            ...given.headers,
            "content-type": "application/json",
            accept: mediaTypeOf(from, environment.converter),
            "x-request-id": requestId,
          },
          body: stringify(
            environment.converter.renderCall(call, { to: given.call ?? callOf(from, environment) }),
          ),
          signal,
        });
        const failure = failureOf(answer);
        if (failure !== undefined && given.errorBody === "hide") {
          await discard(answer);
          throw failure;
        }
        return {
          from,
          body: readable(answer, failure),
          maxHeldBytes: given.maxAnswerBytes,
          ...(failure !== undefined && { failure }),
        };
      },
      check: async (signal) => {
        const answer = await client.send({
          method: "HEAD",
          path: "",
          headers: given.headers,
          signal,
          passThrough: true,
        });
        await discard(answer);
        return `answers with HTTP ${answer.status}`;
      },
      close: () => client.close(),
    };
  },
};

/** The format of calls that goes with a format of answers. */
function callOf(from: string, { converter }: UpstreamEnvironment): string {
  const adapter = converter.adapters.find(({ id }) => id === from.split(":", 1)[0]);
  return adapter?.call === undefined ? "arguments" : from;
}
