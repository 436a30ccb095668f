import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { adapters } from "../adapters/index.ts";
import { type ConversionStream, createConverter, type StreamOptions } from "../src/converter.ts";
import { ConversionError, isConversionError } from "../src/errors.ts";
import type { JsonObject } from "../src/json/json-value.ts";
import { outputText } from "../src/output-text.ts";
import { cutInto, file, frame, pieces, sliceBytes, text } from "./dify-stream.ts";

const { convert, convertStream } = createConverter(adapters);

/** More than the bytes that are held before a file is passed on. */
const manySlices = 150;

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

/** A source that ends with the failure of its own that a client of HTTP has. */
async function* breaking(texts: readonly string[]): AsyncGenerator<string, void> {
  yield* texts;
  throw new ConversionError("upstream-disconnected", "the connection broke");
}

describe("a source that fails on its way (R51, R70)", () => {
  const error = { message: "the connection broke", code: "upstream-disconnected" };

  test("gives a result of status error with what had come, although it broke between two events", async () => {
    const stream = convertStream(breaking([text("half")]), { from: "dify:sse", to: "ir" });
    const result = JSON.parse((await collect(stream)).output);
    expect(result).toMatchObject({ status: "error", error, content: [{ type: "text", text: "half" }] });
    const { status, errorCode, fault } = await stream.summary;
    expect([status, errorCode, fault?.code]).toEqual(["error", error.code, error.code]);
  });

  test.each([
    ["before it said anything", [], 0],
    ["within an event", [text("half"), 'data: {"code":0,"mess'], 1],
    ["within a file, which is none then", [text("half"), file(3).chunks.join("")], 1],
  ])("%s", async (_, texts, count) => {
    const stream = convertStream(breaking(texts), { from: "dify:sse", to: "ir" });
    const result = JSON.parse((await collect(stream)).output) as { content: readonly JsonObject[] };
    expect(result).toMatchObject({ status: "error", error });
    expect(result.content).toHaveLength(count);
  });

  test("after a file that is written ends the document as an error", async () => {
    const stream = convertStream(breaking([file(manySlices).all, text("after")]), toStrands);
    const result = JSON.parse((await collect(stream)).output) as { content: readonly JsonObject[] };
    expect(result).toMatchObject({ status: "error", content: [{ image: {} }, { text: "after" }, {}] });
    expect((await stream.summary).fault?.code).toBe(error.code);
  });

  test("within a file that is being written leaves no well-formed document", async () => {
    const { code, output } = await failure(
      convertStream(breaking(file(manySlices).chunks.slice(0, -5)), toStrands),
    );
    expect(code).toBe(error.code);
    expect(() => JSON.parse(output)).toThrow();
  });

  test("with something malformed before gives no result", async () => {
    const broken = convertStream(breaking([text("a"), "data: {]\n\n", text("b")]), toStrands);
    expect(await failure(broken)).toEqual({ code: "invalid-json", output: "" });
  });

  test("is thrown as it is where the document is read whole, and where the failure is none of ours", async () => {
    const read = convertStream(breaking(['{"toolUseId":']), { from: "strands", to: "ir" });
    expect(await failure(read)).toEqual({ code: error.code, output: "" });
    const reset = new Error("ECONNRESET");
    async function* resetting(): AsyncGenerator<string, void> {
      yield text("a");
      throw reset;
    }
    await expect(collect(convertStream(resetting(), toStrands))).rejects.toBe(reset);
  });
});

describe("the summary tells the status of the result", () => {
  const failed = { code: -500, message: JSON.stringify({ error_type: "E", message: "boom", args: null }) };

  test.each([
    ["dify:sse", text("a"), {}],
    ["dify:sse", `data: ${JSON.stringify(failed)}\n\n`, { status: "error" }],
    ["dify:sse", `${text("a")}data: {"co`, { status: "error", errorCode: "truncated" }],
    ["dify:sse", 'data: {"code":-404,"message":"no plugin"}\n\n', { status: "error", errorCode: "-404" }],
    ["strands", '{"toolUseId":"t","status":"success","content":[]}', { status: "success" }],
  ])("of %s %s", async (from, source, expected) => {
    const stream = convertStream(pieces([source]), { from, to: "ir" });
    await collect(stream);
    const { status, errorCode } = await stream.summary;
    expect({ status, errorCode }).toEqual({ status: undefined, errorCode: undefined, ...expected });
  });
});

describe("a stream whose end is far", () => {
  const message = (value: string) => ({ type: "text", message: { text: value }, meta: null });
  const line = (value: string): string => `${JSON.stringify(message(value))}\n`;
  const sessionLine = (value: string): string =>
    `${JSON.stringify({ event: "session", session_id: "s", data: { type: "stream", data: message(value) } })}\n\n`;
  const spellings = [
    ["dify:sse", text],
    ["dify", text],
    ["dify:ndjson", line],
    ["dify:session", sessionLine],
  ] as const;

  test.each(
    spellings.flatMap(([from, spell]) => ["strands", "dify:sse"].map((to) => [from, to, spell] as const)),
  )("tells of %s to %s what it says as it says it", async (from, to, spell) => {
    const seen: unknown[] = [];
    async function* source(): AsyncGenerator<string, void> {
      for (const word of ["one", "two"]) {
        yield spell(word);
        // The next piece is asked for when this one has been told.
        expect(seen.at(-1)).toEqual({ kind: "text", text: word });
      }
    }
    await collect(convertStream(source(), { from, to, onProgress: (one) => seen.push(one) }));
    expect(seen).toHaveLength(2);
  });

  /** A source that notes what happens to it. */
  function noting(texts: readonly string[]) {
    const noted = { asked: 0, left: 0 };
    const source: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          const value = texts[noted.asked];
          noted.asked += 1;
          return value === undefined ? { done: true, value } : { done: false, value };
        },
        return: async () => {
          noted.left += 1;
          return { done: true, value: undefined };
        },
      }),
    };
    return { noted, source };
  }

  test.each([
    ["strands", file(manySlices).chunks],
    ["dify:sse", [text("one"), text("two"), text("three")]],
  ])("is left at once by whoever leaves the output in %s", async (to, texts) => {
    const { noted, source } = noting(texts);
    for await (const _ of convertStream(source, { ...toStrands, to })) break;
    expect(noted.left).toBe(1);
    expect(noted.asked).toBeLessThan(texts.length);
  });

  test("is asked for no more than is taken from the output", async () => {
    const { noted, source } = noting([text("one"), text("two"), text("three")]);
    const output = convertStream(source, { from: "dify:sse", to: "dify:sse" })[Symbol.asyncIterator]();
    await output.next();
    expect(noted.asked).toBe(1);
    await output.next();
    expect(noted.asked).toBe(2);
    await output.return?.();
    expect(noted.left).toBe(1);
  });
});
