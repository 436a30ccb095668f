import * as z from "zod";
import type { Converter } from "../../converter.ts";
import { stringify } from "../../json/stringify.ts";
import { connectionShape, text, word } from "../config/values.ts";
import type { UpstreamKind } from "../upstream.ts";
import { acceptOf, discard, failureOf, readable } from "./answer-body.ts";
import { headerName, headerValue } from "./headers.ts";

const settings = z
  .strictObject({
    url: z.url().describe("Address of the server; the `path` of a route is added to it."),
    method: word(["POST", "PUT", "PATCH"]).prefault("POST").describe("Method of a call."),
    headers: z
      .record(headerName(), headerValue())
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
    const { converter } = environment;
    // A format that has no calls is better told now than by the first call.
    if (given.call !== undefined) converter.renderCall({ name: "tool", arguments: {} }, { to: given.call });
    const client = environment.connect(new URL(given.url), given);
    return {
      call: async ({ call, from, path, requestId, signal }) => {
        const answer = await client.send({
          method: given.method,
          path,
          headers: {
            ...given.headers,
            "content-type": "application/json",
            accept: acceptOf(from, converter),
            "x-request-id": requestId,
          },
          body: stringify(converter.renderCall(call, { to: given.call ?? callOf(from, converter) })),
          signal,
        });
        const failure = failureOf(answer);
        if (failure !== undefined && given.errorBody === "hide") {
          await discard(answer);
          throw failure;
        }
        return {
          from,
          body: await readable(answer, failure),
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
function callOf(from: string, { adapters }: Converter): string {
  const adapter = adapters.find(({ id }) => id === from.split(":", 1)[0]);
  return adapter?.call === undefined ? "arguments" : from;
}
