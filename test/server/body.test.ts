import { describe, expect, test } from "vitest";
import { ConversionError } from "../../src/errors.ts";
import { problemText } from "../../src/server/problem.ts";
import { conversionApp, converter, post, problem } from "./support.ts";

describe("a request body", () => {
  test("has a media type that is read, in UTF-8 and without coding", async () => {
    const refused = { status: 415, code: "unsupported-media-type" };
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/json; charset=utf-16",
    ]) {
      expect(await problem(post("/v1/convert?to=ir", { type })), type).toMatchObject(refused);
    }
    expect(
      await problem(
        conversionApp().request("/v1/convert?to=ir", { method: "POST", body: Buffer.from("{}") }),
      ),
    ).toMatchObject(refused);
    expect(
      await problem(post("/v1/convert?to=ir", { headers: { "Content-Encoding": "gzip" } })),
    ).toMatchObject(refused);
    const accepted = await post("/v1/convert?from=watsonx&to=ir", {
      type: 'Application/JSON ; charset="UTF-8"',
      headers: { "Content-Encoding": "identity" },
    });
    expect(accepted.status).toBe(200);
  });

  test("is counted while it comes, with and without a length", async () => {
    const small = conversionApp(converter, { maxBodyBytes: 100 });
    const large = { status: 413, code: "body-too-large" };
    expect(await problem(post("/v1/convert?to=ir", { body: "x".repeat(101), to: small }))).toMatchObject(
      large,
    );
    expect(
      await problem(post("/v1/detect", { headers: { "Content-Length": "101" }, to: small })),
    ).toMatchObject(large);
    let pulled = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(60));
      },
    });
    const request = new Request("http://localhost/v1/convert?to=ir", {
      method: "POST",
      body: endless,
      headers: { "Content-Type": "application/json" },
      duplex: "half",
    } as RequestInit);
    expect(await problem(small.request(request))).toMatchObject(large);
    expect(pulled).toBeLessThan(6);
    expect((await post("/v1/convert?from=watsonx&to=ir", { body: '{"content":[]}', to: small })).status).toBe(
      200,
    );
  });

  test("is JSON in UTF-8, and never repeated in the answer", async () => {
    const bodies: readonly (readonly [string, string | Uint8Array<ArrayBuffer>, string])[] = [
      ["invalid-json", "", "nothing"],
      ["invalid-json", '{"content": canary', "canary"],
      ["invalid-json", '["canary", NaN]', "canary"],
      ["invalid-utf8", Buffer.from([0x22, 0xff, 0x22]), "\ufffd"],
      ["invalid-utf8", Buffer.from('{"content":[]}', "utf16le"), "content"],
      ["depth-exceeded", "[".repeat(100_000) + "]".repeat(100_000), "[["],
      ["invalid-json", "[".repeat(100_000), "[["],
    ];
    for (const [code, body, canary] of bodies) {
      const { status, document } = await problem(post("/v1/convert?from=watsonx&to=ir", { body }));
      expect({ status, code: document.code }).toEqual({ status: 400, code });
      expect(document.detail).not.toContain(canary);
    }
  });

  test("has no more values than the limit", async () => {
    const few = conversionApp(converter, { limits: { maxNodes: 10 } });
    const body = JSON.stringify({ content: [], structuredContent: Array.from({ length: 20 }, () => 0) });
    expect(await problem(post("/v1/convert?from=watsonx&to=ir", { body, to: few }))).toMatchObject({
      status: 400,
      code: "too-many-nodes",
    });
    const many = JSON.stringify({
      content: [],
      structuredContent: Array.from({ length: 1_000_001 }, () => 0),
    });
    expect(await problem(post("/v1/convert?from=watsonx&to=ir", { body: many }))).toMatchObject({
      code: "too-many-nodes",
    });
  });

  test("cannot make an answer large", async () => {
    const content = Array.from({ length: 500 }, (_, index) => ({
      type: "text",
      text: "x",
      annotations: { audience: ["user"] },
      _meta: { ["\u0001".repeat(2000)]: index },
    }));
    const { document } = await problem(
      post("/v1/convert?from=watsonx&to=dify&mode=strict", { body: JSON.stringify({ content }) }),
    );
    expect(document.lossCount).toBeGreaterThanOrEqual(500);
    await problem(post(`/v1/convert?to=${"\u0001".repeat(3000)}`));
  });

  test("cannot make a problem large by what is lost, of which as much is listed as fits", () => {
    const losses = Array.from({ length: 30 }, (_, index) => ({
      code: "json-as-text",
      severity: "info",
      pointer: `/content/${index}`,
      detail: "\u0001".repeat(200),
      carried: false,
    }));
    const text = problemText(new ConversionError("losses-refused", "refused", { data: { losses } }), "id");
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8 * 1024);
    const document = JSON.parse(text);
    expect(document).toMatchObject({ lossCount: 30, requestId: "id" });
    expect(document.losses.length).toBeGreaterThan(3);
  });
});
