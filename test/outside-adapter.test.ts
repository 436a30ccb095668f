import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { adapters } from "../adapters/index.ts";
import type { Adapter } from "../src/adapter.ts";
import { run } from "../src/cli/program.ts";
import { createConverter } from "../src/converter.ts";
import { stringify } from "../src/json/stringify.ts";
import { memoryIo } from "./memory-io.ts";
import { conversionApp } from "./server/support.ts";

// As an outsider has it: a package of its own, in plain JavaScript, which knows this project by its contract only.
const packageFolder = fileURLToPath(new URL("fixtures/outside-adapter", import.meta.url));
const outside = (await import(`${packageFolder}/index.js`)) as { adapter: Adapter };

const watsonx = {
  content: [
    { type: "text", text: "18 degrees" },
    { type: "text", text: "for you alone", annotations: { audience: ["user"] } },
  ],
  structuredContent: { celsius: 18 },
  _meta: { station: "Blindern" },
};

describe("an adapter from an outside package", () => {
  test("converts in the library, there and back", () => {
    const { convert, canonical } = createConverter([...adapters, outside.adapter]);
    const there = convert(watsonx, { from: "watsonx", to: "acme" });
    expect(there.output).toMatchObject({ acme: 1, lines: ["18 degrees"] });
    expect(there.losses.map(({ code }) => code).sort()).toEqual([
      "meta-dropped",
      "structured-withheld",
      "user-only-withheld",
    ]);
    const back = convert(there.output, { from: "acme", to: "watsonx" });
    expect(canonical(back.output, { from: "watsonx" })).toBe(canonical(watsonx, { from: "watsonx" }));
  });

  test("is passed as a value, without being registered", () => {
    const { convert } = createConverter(adapters);
    const { output } = convert(
      { acme: 1, lines: ["hi"] },
      { from: outside.adapter, to: "strands", toolCallId: "call-1" },
    );
    expect(output).toEqual({ toolUseId: "call-1", status: "success", content: [{ text: "hi" }] });
  });

  test("is recognised", () => {
    const { detect } = createConverter([...adapters, outside.adapter]);
    expect(detect({ acme: 1, lines: [] })).toMatchObject({ outcome: "recognised", format: "acme" });
  });

  test("converts on the command line, by its path", async () => {
    const io = memoryIo({
      stdin: '{"acme":1,"lines":["hi",{"data":{"n":12345678901234567890}}]}',
      workingDirectory: packageFolder,
    });
    const argv = [
      "convert",
      "--adapter",
      packageFolder,
      "--from",
      "acme",
      "--to",
      "dify",
      "--losses",
      "none",
      "--carry",
      "off",
    ];
    const status = await run(argv, io, { adapters, gateway: { kinds: [], faces: [] }, version: "0" });
    expect(io.written.stderr).toBe("");
    expect(status).toBe(0);
    expect(io.written.stdout).toBe(
      '[{"type":"text","message":{"text":"hi"}},{"type":"json","message":{"json_object":{"n":12345678901234567890}}}]\n',
    );
  });

  test("converts over HTTP", async () => {
    const app = conversionApp(createConverter([...adapters, outside.adapter]));
    const answer = await app.request("/v1/convert?from=watsonx&to=acme", {
      method: "POST",
      headers: { "content-type": "application/json", host: "localhost" },
      body: stringify({ content: [{ type: "text", text: "hi" }] }),
    });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ acme: 1, lines: ["hi"] });
  });
});
