import { expect, test } from "vitest";
import { createApp } from "../../src/server/app.ts";
import { jsonLog } from "../../src/server/log.ts";
import { converter, RawClient, serving, shellOf, surfacesOf, workSurface } from "./support.ts";

const canary = "CANARY-7c1f";

/** Bodies with the canary at every place that something can be wrong with. */
const bodies: readonly (readonly [type: string, body: string])[] = [
  ["application/json", `{"content": "${canary}`],
  ["application/json", `{"content":[{"type":"text","text":"${canary}"}]}`],
  ["application/json", `{"content":[{"type":"image","mimeType":"image/png","data":"@${canary}"}]}`],
  ["application/json", `{"content":[{"type":"text","text":{"${canary}":"${canary}"}}]}`],
  ["application/json", `{"toolUseId":"t","status":"${canary}","content":[]}`],
  ["application/json", `["${canary}", NaN]`],
  ["application/x-ndjson", `{"type":"text","message":{"text":"${canary}"}}\n{"${canary}\n`],
  ["text/event-stream", `data: {"code":500,"message":"${canary}","data":null}\n\n`],
  ["text/event-stream", `data: {"${canary}\n\ndata: {}\n\n`],
  [`text/${canary}`, canary],
];

test("what is in bodies, headers, keys, paths and queries is in no log line and no problem", async () => {
  const written: string[] = [];
  const problems: string[] = [];
  const shell = {
    ...shellOf(
      { requestTimeout: 300, headersTimeout: 300 },
      { keys: [{ name: "known", key: "k".repeat(32) }] },
    ),
    log: jsonLog((line) => written.push(line), "debug"),
  };
  const app = createApp(
    [
      ...surfacesOf(converter, shell),
      workSurface(() => Promise.reject(new Error(canary)), { path: "/named/:name", admitted: false }),
    ],
    shell,
  );
  const ask = async (path: string, init: RequestInit) => {
    const response = await app.request(path, init);
    const text = await response.text();
    if (response.status >= 400) problems.push(text);
    // A batch has its problems between its results, and a validation has its own inside.
    problems.push(...text.split("\n").filter((line) => /^\{("valid":false,)?"error":\{"type"/.test(line)));
  };
  const key = { "x-api-key": "k".repeat(32) };
  const marked = { ...key, "x-request-id": `${canary} `.repeat(9), cookie: canary, traceparent: canary };
  for (const [type, body] of bodies) {
    for (const from of ["watsonx", "strands", "dify", "auto"]) {
      for (const query of [
        `from=${from}&to=ir&mode=strict`,
        `from=${from}&to=dify&lines=1`,
        `from=${from}&to=ir&carried=1`,
      ]) {
        const headers = { "content-type": type, ...marked };
        await ask(`/v1/convert?${query}&toolCallId=${canary}&userVariable=${canary}`, {
          method: "POST",
          headers,
          body,
        });
        await ask(`/v1/validate?from=${from}`, { method: "POST", headers, body });
      }
    }
  }
  for (const headers of [
    { authorization: `Bearer ${canary}` },
    { "x-api-key": canary },
    { ...key, host: canary },
    { ...key, origin: `https://${canary}` },
    { ...key, "content-encoding": canary, "content-type": "application/json" },
    { ...key, "content-type": `application/json; charset=${canary}` },
  ]) {
    await ask(`/v1/detect?${canary}`, { method: "POST", headers, body: canary });
  }
  await ask(`/${canary}`, { headers: marked });
  await ask(`/named/${canary}?${canary}`, { method: "POST", headers: marked, body: canary });
  await serving([], shell, async ({ url }) => {
    const asked = [
      ["GET / HTTP/1.1", `Host: ${canary}`, `Host: ${canary}`, "", ""],
      [`GET http://${canary}/ HTTP/1.1`, "Host: localhost", "Connection: close", "", ""],
      [`${canary} / HTTP/1.1`, "", ""],
      ["GET / HTTP/1.1", `Host: ${canary} ${canary}`, "Connection: close", "", ""],
      ["POST / HTTP/1.1", `Host: ${canary}`, "Content-Length: 99", "Connection: close", "", canary],
    ];
    for (const lines of asked) problems.push(await new RawClient(url).send(...lines).closed);
  });
  expect(written.length).toBeGreaterThan(100);
  expect(problems.length).toBeGreaterThan(100);
  expect([...written, ...problems].filter((text) => text.includes(canary))).toEqual([]);
});
