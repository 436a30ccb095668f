import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { adapters } from "../adapters/index.ts";
import { type ConversionStream, createConverter, type StreamOptions } from "../src/converter.ts";
import { isConversionError } from "../src/errors.ts";
import type { JsonObject } from "../src/json/json-value.ts";
import { outputText } from "../src/output-text.ts";

const { convert, convertStream } = createConverter(adapters);

const frame = (data: unknown): string => `data: ${JSON.stringify({ code: 0, message: "success", data })}\n\n`;
const text = (value: string): string => frame({ type: "text", message: { text: value }, meta: null });
const sliceBytes = 8192;

interface FileOptions {
  readonly id?: string;
  /** Chunks whose sequence is left out. */
  readonly skip?: ReadonlySet<number>;
  readonly announced?: number;
}

/** Chunks of a PNG of `slices` slices, without the end chunk; and the end chunk. */
function file(
  slices: number,
  { id = "f", skip = new Set(), announced = slices * sliceBytes }: FileOptions = {},
) {
  const chunk = (sequence: number, blob: string, end: boolean): string =>
    frame({
      type: "blob_chunk",
      message: { id, sequence, total_length: announced, blob, end },
      meta: { mime_type: "image/png", filename: "map.png" },
    });
  const bytes = Buffer.alloc(sliceBytes, 7);
  const chunks = Array.from({ length: slices }, (_, sequence) => {
    bytes.writeUInt32LE(sequence, 100);
    if (sequence === 0) Buffer.from("89504e470d0a1a0a", "hex").copy(bytes);
    return skip.has(sequence) ? "" : chunk(sequence, bytes.toString("base64"), false);
  });
  return { chunks, end: chunk(slices, "", true), all: chunks.join("") + chunk(slices, "", true) };
}

/** More than the bytes that are held before a file is passed on. */
const manySlices = 150;

async function* pieces(texts: readonly (string | Uint8Array)[]): AsyncGenerator<string | Uint8Array> {
  yield* texts;
}

function cutInto(whole: string, size: number): readonly Uint8Array[] {
  const bytes = Buffer.from(whole);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

async function collect(stream: ConversionStream): Promise<{ output: string; pieces: number }> {
  let output = "";
  let count = 0;
  for await (const piece of stream) {
    output += piece;
    count += 1;
  }
  return { output, pieces: count };
}

async function failure(stream: ConversionStream): Promise<{ code: string; output: string }> {
  let output = "";
  try {
    for await (const piece of stream) output += piece;
  } catch (error) {
    if (isConversionError(error)) return { code: error.code, output };
    throw error;
  }
  throw new Error("nothing failed");
}

const toStrands = { from: "dify:sse", to: "strands", toolCallId: "call-1" } as const satisfies StreamOptions;

describe("a stream without a large file (R70, R71)", () => {
  const whole = `\uFEFF: comment\r\nevent: ping\r\n\r\n${text("é🙂\u2028")}${file(2).all}${frame({
    type: "variable",
    message: { variable_name: "n", variable_value: 1 },
  })}`;

  test.each(["strands", "watsonx", "ir", "dify:list", "dify:sse"])(
    "to %s is what the whole text gives, however it is cut",
    async (to) => {
      const options = { ...toStrands, to };
      const expected = outputText(convert(whole, options));
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 4000 }), async (size) => {
          const { output } = await collect(convertStream(pieces(cutInto(whole, size)), options));
          expect(output).toBe(expected);
        }),
        { numRuns: 20 },
      );
    },
  );

  test("tells texts and logs while it runs", async () => {
    const seen: unknown[] = [];
    const log = frame({ type: "log", message: { id: "1", label: "search", status: "start", data: {} } });
    await collect(
      convertStream(pieces([text("a") + log, text("b")]), {
        ...toStrands,
        onProgress: (one) => seen.push(one),
      }),
    );
    expect(seen).toEqual([
      { kind: "text", text: "a" },
      { kind: "log", label: "search", status: "start" },
      { kind: "text", text: "b" },
    ]);
  });

  test("of a dialect that is one document is read whole", async () => {
    const { output } = await collect(
      convertStream(pieces(['{"toolUseId":"t","content":[{"te', 'xt":"a"}]}']), {
        from: "strands",
        to: "watsonx",
        carry: "off",
      }),
    );
    expect(output).toBe('{"content":[{"type":"text","text":"a"}]}');
  });

  test("is not UTF-8: an error that says so, also for UTF-16", async () => {
    const wrong = convertStream(pieces([Buffer.from([0x64, 0xff, 0xfe, 0x61])]), toStrands);
    expect((await failure(wrong)).code).toBe("invalid-utf8");
    const wide = convertStream(pieces([Buffer.from(`\uFEFF${text("a")}`, "utf16le")]), toStrands);
    expect((await failure(wide)).code).toBe("invalid-utf8");
  });
});

describe("a large file (R72)", () => {
  const whole =
    text("before") +
    file(manySlices).all +
    text("after") +
    frame({ type: "variable", message: { variable_name: "n", variable_value: 1 } });

  test.each([
    "strands:python",
    "strands:typescript",
    "strands:bedrock",
    "watsonx:dictionary",
    "watsonx:openapi",
  ])("is passed on to %s in pieces, and the outcome is that of the whole text", async (to) => {
    const options = { ...toStrands, to };
    const stream = convertStream(pieces(cutInto(whole, 65_536)), options);
    const { output, pieces: count } = await collect(stream);
    const expected = convert(whole, options);
    expect(count).toBeGreaterThan(10);
    expect(JSON.parse(output)).toEqual(expected.output);
    expect((await stream.summary).losses).toEqual(expected.losses);
  });

  test("comes back from what was passed on, its carry included", async () => {
    const { output } = await collect(convertStream(pieces([whole]), toStrands));
    const back = convert(output, { from: "strands", to: "dify:list", carry: "off" });
    expect(back.output).toEqual(convert(whole, { from: "dify", to: "dify:list" }).output);
    expect(back.losses.map(({ code }) => code)).toEqual(["call-id-dropped"]);
  });

  test("after another one, in the order of their ends", async () => {
    const two = file(manySlices, { id: "a" }).all + text("between") + file(manySlices, { id: "b" }).all;
    const { output } = await collect(convertStream(pieces(cutInto(two, 65_536)), toStrands));
    expect(JSON.parse(output)).toEqual(convert(two, toStrands).output);
  });

  test("that ends early makes no well-formed document", async () => {
    const cut =
      text("before") +
      file(manySlices)
        .chunks.slice(0, manySlices - 5)
        .join("");
    const { code, output } = await failure(convertStream(pieces([cut]), toStrands));
    expect(code).toBe("truncated");
    expect(() => JSON.parse(output)).toThrow();
  });

  test("before a cut event ends as an error with everything that was complete", async () => {
    const cut = `${file(manySlices).all}data: {"code":0,"mess`;
    const { output } = await collect(convertStream(pieces([cut]), toStrands));
    const result = JSON.parse(output) as { status: string; content: readonly JsonObject[] };
    expect(result.status).toBe("error");
    expect(result.content[0]).toHaveProperty("image");
  });

  test("before a malformed event ends as an error that names it", async () => {
    const broken = `${file(manySlices).all}data: {"code":0,}\n\n${text("after")}`;
    const stream = convertStream(pieces(cutInto(broken, 65_536)), toStrands);
    const { output } = await collect(stream);
    expect(JSON.parse(output)).toMatchObject({ status: "error" });
    expect((await stream.summary).fault?.code).toBe("invalid-json");
  });

  test("with a gap, or with a message between its chunks, is refused", async () => {
    const gap = file(manySlices, { skip: new Set([manySlices - 3]) }).all;
    expect((await failure(convertStream(pieces([gap]), toStrands))).code).toBe("blob-out-of-sequence");
    const { chunks, end } = file(manySlices);
    const mixed = [...chunks.slice(0, -2), text("x"), ...chunks.slice(-2), end].join("");
    expect((await failure(convertStream(pieces([mixed]), toStrands))).code).toBe("stream-not-sequential");
  });

  test("that is longer than announced is refused, one that is shorter is a loss", async () => {
    const long = file(manySlices, { announced: (manySlices - 1) * sliceBytes }).all;
    expect((await failure(convertStream(pieces([long]), toStrands))).code).toBe("blob-length-mismatch");
    const stream = convertStream(
      pieces([file(manySlices, { announced: (manySlices + 1) * sliceBytes }).all]),
      toStrands,
    );
    await collect(stream);
    expect((await stream.summary).losses.map(({ code }) => code)).toContain("length-mismatch");
  });

  test("is held where losses may refuse the conversion, so that nothing is written before", async () => {
    const stream = convertStream(pieces([whole]), { ...toStrands, failOn: ["info"] });
    const { code, output } = await failure(stream);
    expect(code).toBe("losses-refused");
    expect(output).toBe("");
  });
});
