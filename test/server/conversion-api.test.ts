import { describe, expect, test } from "vitest";
import { explain } from "../../src/explain.ts";
import { matrix } from "../../src/matrix.ts";
import { chunkedImage, imageBase64 } from "../dify-stream.ts";
import { conversionApp, converter, post, problem } from "./support.ts";

const app = conversionApp();

describe("POST /v1/convert", () => {
  test("answers the bare output with the losses in a header", async () => {
    const response = await post("/v1/convert?from=watsonx&to=dify&carry=off");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("tool-result-losses")).toBe(
      "count=1, severity=warning, codes=(user-only-withheld)",
    );
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.json()).toEqual([{ type: "text", message: { text: "sunny" } }]);
  });

  test("says count=0 where nothing was lost", async () => {
    const response = await post("/v1/convert?from=watsonx&to=watsonx");
    expect(response.headers.get("tool-result-losses")).toBe("count=0");
  });

  test("answers output, losses and carry in an envelope", async () => {
    const response = await post("/v1/convert?from=watsonx&to=dify&envelope=1&carry=detached");
    expect(await response.json()).toMatchObject({
      output: [{ type: "text", message: { text: "sunny" } }],
      losses: [{ code: "user-only-withheld", severity: "warning", pointer: "/content/1", carried: true }],
      carry: expect.anything(),
    });
  });

  test("turns a Dify event stream with a chunked image into a Strands result", async () => {
    const response = await post("/v1/convert?from=dify:sse&to=strands", {
      body: chunkedImage,
      type: "text/event-stream; charset=utf-8",
    });
    expect(response.status).toBe(200);
    expect(JSON.parse(await response.text()).content).toEqual([
      { text: "sunny" },
      { image: { format: "png", source: { bytes: { __bytes_encoded__: true, data: imageBase64 } } } },
    ]);
  });

  test("answers lines and events with their media type", async () => {
    const response = await post("/v1/convert?from=watsonx&to=dify:sse&carry=off");
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    expect(await response.text()).toContain('"sunny"');
  });

  test("keeps every digit", async () => {
    const number = '{"id":12345678901234567890,"e":1e400}';
    const body = `{"content":[],"structuredContent":${number}}`;
    expect(await (await post("/v1/convert?from=watsonx&to=ir", { body })).text()).toContain(number);
  });

  test("takes the options of a conversion in the query", async () => {
    const exposed = await post("/v1/convert?from=watsonx&to=dify&audience=expose");
    expect(await exposed.text()).toContain("secret");
    const strict = problem(post("/v1/convert?from=watsonx&to=dify&mode=strict"));
    expect(await strict).toMatchObject({ status: 422, code: "losses-refused", pointer: "/content/1" });
    expect((await strict).document.losses).toMatchObject([{ code: "user-only-withheld" }]);
    expect(
      await problem(post("/v1/convert?from=watsonx&to=dify&failOn=info,user-only-withheld")),
    ).toMatchObject({
      code: "losses-refused",
    });
  });

  test("refuses a query that is not understood", async () => {
    for (const query of [
      "",
      "to=ir&form=dify",
      "to=ir&to=dify",
      "to=ir&audience=nativ",
      "to=ir&failOn=none",
      "to=ir&nonEmpty=yes",
      "to=ir&envelope=maybe",
      "to=ir&carry=detached",
      "to=ir&limits=1",
      "to=ir&carryKey=secret",
    ]) {
      const { status, code } = await problem(post(`/v1/convert?${query}`));
      expect({ query, status, code }).toEqual({ query, status: 400, code: "invalid-option" });
    }
    expect(await problem(post("/v1/convert?to=strnds"))).toMatchObject({
      status: 400,
      code: "unknown-format",
    });
    expect(await problem(post("/v1/convert?to=dify:lst"))).toMatchObject({
      status: 400,
      code: "unknown-dialect",
    });
  });

  test("suggests the nearest word", async () => {
    const { document } = await problem(post("/v1/convert?to=ir&audiense=native"));
    expect(document.detail).toContain("did you mean audience?");
  });
});

describe("what there is to know", () => {
  test("detect answers the outcome", async () => {
    expect(await (await post("/v1/detect")).json()).toMatchObject({
      outcome: "recognised",
      format: "watsonx",
    });
    expect(await (await post("/v1/detect", { body: '{"content":[]}' })).json()).toMatchObject({
      outcome: "ambiguous",
    });
    expect(await (await post("/v1/detect", { body: '{"a":1}' })).json()).toEqual({ outcome: "unknown" });
  });

  test("validate says whether a document can be read, and why not", async () => {
    expect(await (await post("/v1/validate?from=watsonx")).json()).toEqual({
      valid: true,
      results: 1,
      losses: [],
    });
    const response = await post("/v1/validate?from=strands", {
      body: '{"toolUseId":"t","status":"ok","content":[]}',
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      valid: false,
      error: { code: "invalid-status", pointer: "/status", requestId: response.headers.get("x-request-id") },
    });
    const twofold = { body: '{"toolUseId":"t","status":"success","content":[{"text":"a","json":{}}]}' };
    const strict = await post("/v1/validate?from=strands&mode=strict", twofold);
    expect(await strict.json()).toMatchObject({ valid: false, error: { code: "contradictory-payload" } });
    expect(await problem(post("/v1/validate?to=dify"))).toMatchObject({ code: "invalid-option" });
  });

  test("formats are those of the library", async () => {
    expect(await (await app.request("/v1/formats")).json()).toEqual(converter.formats());
  });

  test("the matrix is that of the command, whole or for one pair", async () => {
    const ids = converter.formats().map(({ id }) => id);
    expect(await (await app.request("/v1/matrix")).json()).toEqual(
      JSON.parse(JSON.stringify(matrix(converter, ids, ids))),
    );
    const pair = await app.request("/v1/matrix?from=dify&to=strands:bedrock");
    expect(await pair.json()).toEqual(
      JSON.parse(JSON.stringify(matrix(converter, ["dify"], ["strands:bedrock"]))),
    );
    expect(await problem(app.request("/v1/matrix?to=strnds"))).toMatchObject({ code: "unknown-format" });
  });

  test("a code is explained as by the command", async () => {
    expect(await (await app.request("/v1/explain/json-as-text")).json()).toEqual(explain("json-as-text"));
    const unknown = await problem(app.request("/v1/explain/json-as-txt"));
    expect(unknown).toMatchObject({ status: 400, code: "unknown-code" });
    expect(unknown.document.detail).toContain("did you mean json-as-text?");
  });
});
