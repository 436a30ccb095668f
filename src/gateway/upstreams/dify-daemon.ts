import * as z from "zod";
import { isJsonObject } from "../../json/json-kind.ts";
import type { JsonObject, JsonValue } from "../../json/json-value.ts";
import { stringify } from "../../json/stringify.ts";
import { connectionShape, text } from "../config/values.ts";
import type { UpstreamKind } from "../upstream.ts";
import { discard, failureOf, readable } from "./answer-body.ts";
import { errorEnvelope } from "./error-envelope.ts";
import { headerValue } from "./headers.ts";

const settings = z
  .strictObject({
    url: z.url().describe("Address of the plugin daemon, such as http://plugin-daemon:5002."),
    key: headerValue().describe("Key of the daemon (`SERVER_KEY`), sent as `X-Api-Key`."),
    tenant: z
      .string()
      .regex(/^[A-Za-z0-9_-]+$/, "expected the id of a workspace: letters, digits, _ and -")
      .describe("Id of the Dify workspace that the plugin is installed in."),
    plugin: z
      .string()
      .regex(/^[A-Za-z0-9_.-]+\/[A-Za-z0-9_.-]+$/, "expected AUTHOR/NAME")
      .describe("Id of the plugin: AUTHOR/NAME."),
    provider: text().describe("Name of the provider of the tools in the plugin."),
    userId: text()
      .describe("The user that the daemon is told calls, where the caller is no Dify that says so.")
      .prefault("tool-result-gateway"),
    credentials: z
      .record(z.string(), text())
      .prefault({})
      .describe("Credentials of the provider, as its plugin asks for them."),
    credentialType: text().prefault("api-key").describe("Type of the credentials."),
    ...connectionShape,
  })
  .describe("The tools of a plugin that runs in a Dify plugin daemon.");

/**
 * `kind: dify-daemon`: `POST /plugin/{tenant}/dispatch/tool/invoke`, answered by an event stream whose frames hold
 * messages or an error (langgenius/dify-plugin-daemon, `internal/server`).
 */
export const difyDaemonUpstream: UpstreamKind<z.output<typeof settings>> = {
  kind: "dify-daemon",
  settings,
  open: (given, environment) => {
    const client = environment.connect(new URL(given.url), given);
    return {
      call: async ({ call, requestId, signal }) => {
        const { tenant, key, plugin, provider, userId, credentials, credentialType } = given;
        const said = call.context?.format === "dify" ? call.context.fields : {};
        const fields = { user_id: userId, ...said, provider, credential_type: credentialType };
        const context = { format: "dify", fields };
        const written = environment.converter.renderCall({ ...call, context }, { to: "dify" });
        const answer = await client.send({
          method: "POST",
          path: `/plugin/${tenant}/dispatch/tool/invoke`,
          headers: {
            "content-type": "application/json",
            accept: "text/event-stream",
            "x-api-key": key,
            "x-plugin-id": plugin,
            "x-request-id": requestId,
          },
          body: stringify(withCredentials(written, credentials)),
          signal,
        });
        const maxHeldBytes = given.maxAnswerBytes;
        const failure = failureOf(answer);
        if (failure === undefined) return { from: "dify:sse", body: await readable(answer), maxHeldBytes };
        return { from: "dify", failure, body: await errorEnvelope(answer, failure), maxHeldBytes };
      },
      check: async (signal) => {
        const answer = await client.send({
          method: "GET",
          path: "/health/check",
          headers: {},
          signal,
          passThrough: true,
        });
        await discard(answer);
        const failure = failureOf(answer);
        if (failure !== undefined) throw failure;
        return "is healthy";
      },
      close: () => client.close(),
    };
  },
};

/** The body of an invocation with the credentials, which no call holds. */
function withCredentials(written: JsonValue, credentials: JsonObject): JsonValue {
  if (!isJsonObject(written) || !isJsonObject(written.data)) return written;
  return { ...written, data: { ...written.data, credentials } };
}
