import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { adapters } from "../adapters/index.ts";
import { carryKey } from "../src/adapter.ts";
import { createConverter, type StreamOptions } from "../src/converter.ts";
import { ConversionError, isConversionError } from "../src/errors.ts";
import type { JsonObject } from "../src/json/json-value.ts";
import type { StreamSummary } from "../src/kernel/stream.ts";
import { outputText } from "../src/output-text.ts";
import { difyPayloads } from "./arbitraries/dify.ts";
import { cutInto, file, frame, pieces, sliceBytes, text } from "./dify-stream.ts";

const { convert, convertStream, canonical } = createConverter(adapters);

interface Outcome {
  readonly output: string;
  readonly summary?: StreamSummary;
  /** The code of the error that ended the iteration. */
  readonly thrown?: string;
}

async function run(source: AsyncIterable<Uint8Array | string>, options: StreamOptions): Promise<Outcome> {
  const stream = convertStream(source, options);
  let output = "";
  try {
    for await (const piece of stream) output += piece;
  } catch (error) {
    if (isConversionError(error)) return { output, thrown: error.code };
    throw error;
  }
  return { output, summary: await stream.summary };
}

const toEvents = { from: "dify:sse", to: "dify:sse" } as const satisfies StreamOptions;
const toLines = { from: "dify:sse", to: "dify:ndjson" } as const satisfies StreamOptions;
const relayed = (texts: readonly string[], options: StreamOptions = toEvents): Promise<Outcome> =>
  run(pieces(texts), options);

/** The messages of an output in events or lines; an error frame as it is. */
function messagesOf(output: string): readonly JsonObject[] {
  return output
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line.replace(/^data: /, "")) as JsonObject)
    .map((value) => (value.code === 0 ? (value.data as JsonObject) : value));
}

const typesOf = (output: string) => messagesOf(output).map(({ type }) => type ?? "error frame");

const chunk = (message: JsonObject): string =>
  frame({ type: "blob_chunk", message, meta: { mime_type: "application/zip" } });
const variable = (name: string, value: unknown, rest: JsonObject = {}): string =>
  frame({ type: "variable", message: { variable_name: name, variable_value: value, ...rest }, meta: null });
const log = (status: string): string =>
  frame({ type: "log", message: { id: "1", label: "search", status, data: {} }, meta: null });
const errorFrame = (error: JsonObject): string =>
  `data: ${JSON.stringify({
    code: -500,
    message: JSON.stringify({
      message: JSON.stringify(error),
      error_type: "PluginInvokeError",
      args: null,
    }),
    data: null,
  })}\n\n`;
const fromIr = { from: "ir", to: "dify:sse" } as const;
const part = (value: string): JsonObject => ({ type: "text", text: value });
const base64 = (bytes: number): string => Buffer.alloc(bytes, 7).toString("base64");

describe("what is passed on says what the folded conversion says (R10, R20)", () => {
  const pairs = (["sse", "ndjson", "session"] as const).flatMap((from) =>
    (["sse", "ndjson"] as const).map((to) => [from, to] as const),
  );
  const sizes = fc.integer({ min: 1, max: 3000 });

  test.each(pairs)("%s to %s", async (from, to) => {
    const format = `dify:${to}`;
    await fc.assert(
      fc.asyncProperty(
        difyPayloads[from],
        sizes,
        fc.constantFrom({}, { toolCallId: "call-1" }, { carry: "off" } as const),
        async (payload, size, more) => {
          const options = { from: `dify:${from}`, to: format, ...more };
          const folded = convert(payload, options);
          const { output, summary } = await run(pieces(cutInto(payload, size)), options);
          expect(canonical(output, { from: format })).toBe(canonical(outputText(folded), { from: format }));
          expect(summary?.losses).toEqual(folded.losses);
        },
      ),
      { numRuns: 150, seed: 20_260_101 },
    );
  });

  test.each(pairs)("%s to %s, wherever the source is cut or breaks off", async (from, to) => {
    const format = `dify:${to}`;
    async function* cut(texts: Iterable<Uint8Array>, breaks: boolean): AsyncGenerator<Uint8Array, void> {
      yield* texts;
      if (breaks) throw new ConversionError("upstream-disconnected", "the connection broke");
    }
    await fc.assert(
      fc.asyncProperty(
        difyPayloads[from],
        sizes,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.boolean(),
        async (payload, size, part, breaks) => {
          const characters = [...payload];
          const begun = cutInto(characters.slice(0, characters.length * part).join(""), size);
          const options = { from: `dify:${from}`, to: format };
          const { output, summary, thrown } = await run(cut(begun, breaks), options);
          // Options that shape a result have it held.
          const held = await run(cut(begun, breaks), { ...options, nonEmpty: false });
          if (held.thrown !== undefined) {
            expect(output === "" ? thrown : summary?.fault?.code).toBe(held.thrown);
            return;
          }
          expect(canonical(output, { from: format })).toBe(canonical(held.output, { from: format }));
          expect(withoutCarry(summary)).toEqual(withoutCarry(held.summary));
        },
      ),
      { numRuns: 150, seed: 20_260_101 },
    );
  });

  const withoutCarry = (summary: StreamSummary | undefined) => ({ ...summary, carry: undefined });

  test("an error brings back by its carry what the lines of the target have no place for (R11)", async () => {
    const source = text("a") + errorFrame({ error_type: "ValueError", message: "boom", args: { hint: 1 } });
    const { output, summary } = await relayed([source], toLines);
    expect(summary?.losses.map(({ code, carried }) => [code, carried])).toEqual([
      ["error-detail-dropped", true],
      ["extension-dropped", true],
    ]);
    const back = convert(output, { from: "dify:ndjson", to: "dify:sse", carry: "off" });
    expect(canonical(outputText(back), { from: "dify:sse" })).toBe(canonical(source, { from: "dify:sse" }));
  });

  test("a carry never replaces what the messages say beside the content", async () => {
    const source =
      variable("n", 1) + text("a") + errorFrame({ error_type: "E", message: "boom", args: { hint: 1 } });
    const { output, summary } = await relayed([source], toLines);
    expect(summary?.losses.map(({ code, carried }) => [code, carried])).toEqual([
      ["error-detail-dropped", false],
      ["extension-dropped", false],
    ]);
    expect(output).not.toContain(carryKey);
    // In events everything has its place.
    expect((await relayed([source])).summary?.losses).toEqual([]);
  });

  test.each([
    ["repeats the texts", text("a") + text("b") + errorFrame({ message: "a\nb", args: null })],
    ["repeats others", text("a") + errorFrame({ message: "b", args: null })],
    [
      "is stated and repeats the texts",
      convert({ toolResultIr: 1, status: "error", error: { message: "a" }, content: [part("a")] }, fromIr)
        .output,
    ],
  ])("an error whose message %s (R55)", async (_, source) => {
    for (const options of [toEvents, toLines]) {
      const { output } = await relayed([source as string], options);
      const folded = outputText(convert(source, options));
      expect(canonical(output, { from: options.to })).toBe(canonical(folded, { from: options.to }));
    }
  });
});

describe("each message is written as it comes (R71, R72)", () => {
  const frames = [
    text("one"),
    log("start"),
    file(1).chunks[0] ?? "",
    frame({ type: "json", message: { json_object: { a: 1 } }, meta: null }),
    log("success"),
    variable("n", 1),
    frame({ type: "link", message: { text: "https://example.com" }, meta: null }),
    frame({ type: "hologram", message: { a: 1 }, meta: null }),
    file(1).end,
  ];

  test.each([
    ["dify:sse", "dify:sse"],
    ["dify", "dify:ndjson"],
  ])("from %s to %s", async (from, to) => {
    let sent = 0;
    async function* source(): AsyncGenerator<string, void> {
      for (const one of frames) {
        sent += 1;
        yield one;
      }
    }
    const written: string[] = [];
    for await (const piece of convertStream(source(), { from, to })) {
      written.push(piece);
      expect(written).toHaveLength(sent);
    }
    expect(typesOf(written.join(""))).toEqual(messagesOf(frames.join("")).map(({ type }) => type));
  });

  test("in the one spelling, out of the envelopes of a plugin's lines", async () => {
    const line = (data: object): string =>
      `${JSON.stringify({ event: "session", session_id: "s", data })}\n\n`;
    const legacy = { type: "text", message: "a", meta: {}, save_as: "" };
    const { output, summary } = await relayed(
      [line({ type: "stream", data: legacy }), line({ type: "end", data: {} })],
      { ...toEvents, from: "dify:session" },
    );
    expect(output).toBe(
      'data: {"code":0,"message":"success","data":{"type":"text","message":{"text":"a"}}}\n\n',
    );
    expect(summary?.losses).toEqual([]);
  });

  test("the error last, without its traceback (R51)", async () => {
    const error = { error_type: "ValueError", message: "boom", args: { traceback: "SECRET" } };
    const source = [text("a"), errorFrame(error), text("b")];
    const events = await relayed(source);
    expect(typesOf(events.output)).toEqual(["text", "text", "error frame"]);
    expect(events.output).not.toContain("SECRET");
    expect(events.summary).toMatchObject({ status: "error", losses: [{ code: "traceback-removed" }] });
    const lines = await relayed(source, { ...toLines, carry: "off" });
    expect(messagesOf(lines.output).slice(2)).toMatchObject([
      { type: "variable", message: { variable_name: "is_error", variable_value: true } },
      { type: "variable", message: { variable_name: "error_message", variable_value: "boom" } },
    ]);
  });
});

describe("a blob is cut anew as its chunks come (R64)", () => {
  const chunksIn = (output: string) =>
    messagesOf(output).flatMap(({ type, message }) => (type === "blob_chunk" ? [message as JsonObject] : []));
  const facts = (output: string) =>
    chunksIn(output).map(({ id, sequence, total_length, blob, end }) => [
      id,
      sequence,
      total_length,
      Buffer.from(blob as string, "base64").length,
      end,
    ]);
  const cut = (total_length?: number): readonly string[] =>
    [5000, 12_000, 3000].map((size, sequence) =>
      chunk({
        id: "x",
        sequence,
        ...(total_length === undefined ? {} : { total_length }),
        blob: base64(size),
        end: sequence === 2,
      }),
    );

  test("into slices of 8,192 bytes and an empty end, whatever its chunks were", async () => {
    const expected = [
      ["blob-1", 0, 20_000, sliceBytes, false],
      ["blob-1", 1, 20_000, sliceBytes, false],
      ["blob-1", 2, 20_000, 20_000 - 2 * sliceBytes, false],
      ["blob-1", 3, 20_000, 0, true],
    ];
    const { output } = await relayed([text("a"), ...cut(20_000)]);
    expect(facts(output)).toEqual(expected);
    const whole = frame({ type: "blob", message: { blob: base64(20_000) }, meta: null });
    expect(facts((await relayed([text("a"), whole])).output)).toEqual(expected);
  });

  test("and is held where its length was not announced", async () => {
    const before = await relayed(cut().slice(0, 2));
    expect(typesOf(before.output)).toEqual(["error frame"]);
    expect(facts((await relayed(cut())).output).at(-1)).toEqual(["blob-0", 3, 20_000, 0, true]);
  });

  test("and its chunks are put in order, with a loss", async () => {
    const [first = "", second = "", third = ""] = cut(20_000);
    const last = chunk({ id: "x", sequence: 3, total_length: 20_000, blob: "", end: true });
    const open = third.replace('"end":true', '"end":false');
    const { output, summary } = await relayed([first, open, second, last]);
    expect(facts(output).map(([, sequence]) => sequence)).toEqual([0, 1, 2, 3]);
    expect(summary?.losses).toMatchObject([{ code: "chunks-sorted", pointer: "/0/data" }]);
  });

  test("and two at once keep apart, also where their ids are those that are written", async () => {
    const piece = (id: string, sequence: number, end: boolean): string =>
      chunk({ id, sequence, total_length: 3, blob: end ? "" : base64(3), end });
    const source = [
      piece("blob-1", 0, false),
      piece("a", 0, false),
      piece("a", 1, true),
      piece("blob-1", 1, true),
    ];
    const { output } = await relayed(source);
    expect(facts(output).map(([id]) => id)).toEqual(["blob-1", "blob-1", "blob-0", "blob-0"]);
  });

  test("and without its end gets none: the result is an error, and the blob is no part of it", async () => {
    for (const options of [toEvents, toLines]) {
      const { output, summary } = await relayed([text("a"), file(2).chunks.join("")], options);
      expect(summary).toMatchObject({ status: "error", errorCode: "truncated" });
      expect(messagesOf(output).some(({ message }) => (message as JsonObject).end === true)).toBe(false);
      const result = JSON.parse(outputText(convert(output, { from: options.to, to: "ir" })));
      expect(result).toMatchObject({ status: "error", error: { code: "truncated" }, content: [part("a")] });
      expect(result.content).toHaveLength(1);
    }
  });
});

describe("what is malformed", () => {
  const double = `data: {"code":0,"message":"success","data":{"type":"text","type":"link","message":{"text":"b"}}}\n\n`;
  const faults: readonly [code: string, wrong: string, options?: Partial<StreamOptions>][] = [
    ["invalid-json", "data: {]\n\n"],
    ["duplicate-key", double],
    ["invalid-payload", frame({ type: "text", message: 5 })],
    ["invalid-payload", "data: 5\n\n"],
    ["invalid-payload", variable("n", 1) + variable("n", "a", { stream: true })],
    ["invalid-payload", 'data: {"event":"workflow_finished","data":{}}\n\n'],
    ["invalid-base64", frame({ type: "blob", message: { blob: "!" } })],
    ["blob-out-of-sequence", file(3, { skip: new Set([1]) }).all],
    ["blob-out-of-sequence", file(1).all + file(1).end],
    ["blob-length-mismatch", file(2, { announced: sliceBytes }).all],
    ["too-many-parts", text("a") + text("b"), { limits: { maxParts: 2 } }],
    ["line-too-long", text("a".repeat(500)), { limits: { maxLineBytes: 400 } }],
    [
      "depth-exceeded",
      frame({ type: "json", message: { json_object: [[[]]] } }),
      { limits: { maxDepth: 2 } },
    ],
    ["many-results", '{"event":"session","session_id":"s","data":{"type":"end","data":{}}}\n'],
  ];

  test.each(faults.map(([code, wrong, options = {}]) => [code, wrong, options] as const))(
    "ends what is written as an error: %s",
    async (code, wrong, options) => {
      const { output, summary } = await relayed([text("first"), wrong, text("late")], {
        ...toEvents,
        ...options,
      });
      expect(typesOf(output).at(0)).toBe("text");
      expect(typesOf(output).at(-1)).toBe("error frame");
      expect(output).not.toContain("late");
      expect([summary?.status, summary?.errorCode, summary?.fault?.code]).toEqual(["error", code, code]);
    },
  );

  test("is thrown where nothing is written", async () => {
    expect(await relayed([double, text("a")])).toEqual({ output: "", thrown: "duplicate-key" });
  });

  test("a key that stands twice in a payload is a loss at its place (R26)", async () => {
    const source = `${text("a")}data: {"code":0,"data":{"type":"json","message":{"json_object":{"a":1,"a":2}}},"message":""}\n\n`;
    const { output, summary } = await relayed([source]);
    expect(messagesOf(output)[1]).toEqual({ type: "json", message: { json_object: { a: 2 } } });
    expect(summary?.losses).toMatchObject([
      { code: "duplicate-key", pointer: "/1/data/message/json_object/a" },
    ]);
  });
});

test.each<Partial<StreamOptions>>([
  { mode: "strict" },
  { failOn: ["error"] },
  { audience: "withhold" },
  { userVariable: "shown" },
  { carried: {} },
])(
  "nothing is written before the end where an option may change or refuse the result: %o",
  async (option) => {
    let isAtEnd = false;
    async function* source(): AsyncGenerator<string, void> {
      yield text("a");
      isAtEnd = true;
    }
    for await (const _ of convertStream(source(), { ...toEvents, ...option })) expect(isAtEnd).toBe(true);
  },
);

test("a run of the Service API, whose result is known at its end, is folded", async () => {
  const finished = { event: "workflow_finished", data: { id: "r", status: "succeeded", outputs: { a: 1 } } };
  const source = [{ event: "workflow_started", data: {} }, finished].map(
    (event) => `data: ${JSON.stringify(event)}\n\n`,
  );
  const { output } = await relayed(source);
  expect(output).toBe(outputText(convert(source.join(""), toEvents)));
});

describe("a carry that comes with the messages (R30a)", () => {
  const original = { content: [{ type: "text", text: "a", annotations: { priority: 1 } }] };
  const sent = (options: Partial<StreamOptions> = {}): string =>
    outputText(convert(original, { from: "watsonx", to: "dify:sse", ...options }));
  const carriesIn = (output: string) =>
    messagesOf(output).flatMap(
      ({ meta }) => ((meta as JsonObject | undefined)?.[carryKey] ?? []) as JsonObject,
    );

  test.each([toEvents, toLines])("is passed on as the one carry, last: to $to", async (options) => {
    const { output, summary } = await relayed([sent()], { ...options, toolCallId: "call-1" });
    expect(carriesIn(output)).toEqual(carriesIn(sent()));
    expect(carriesIn(output.trimEnd().split("\n").at(-1) ?? "")).toHaveLength(1);
    // It is not opened, so this conversion's own loss does not come back.
    expect(summary?.losses).toMatchObject([{ code: "call-id-dropped", carried: false }]);
    expect(convert(output, { from: "dify", to: "watsonx", carry: "off" }).output).toEqual(original);
  });

  test("is handed out where carries are detached", async () => {
    const { output, summary } = await relayed([sent()], { ...toEvents, carry: "detached" });
    expect(carriesIn(output)).toEqual([]);
    expect([summary?.carry]).toEqual(carriesIn(sent()));
  });

  test.each<readonly [string, Partial<StreamOptions>]>([
    ["none is to be written", { carry: "off" }],
    ["it is too large", { limits: { carryLimit: 10 } }],
    ["it is not signed with the key", { carryKey: "secret" }],
  ])("is left out with a loss where %s", async (_, options) => {
    const { output, summary } = await relayed([sent()], { ...toEvents, ...options });
    expect(carriesIn(output)).toEqual([]);
    expect(summary?.losses).toMatchObject([
      { code: "carry-rejected", pointer: expect.stringMatching(/^\/1/) },
    ]);
  });

  test("is left out where it is none, and passed on where it is signed with the key", async () => {
    const forged = frame({ type: "text", message: { text: "" }, meta: { [carryKey]: { version: 1 } } });
    expect(carriesIn((await relayed([text("a"), forged])).output)).toEqual([]);
    const signed = sent({ carryKey: "secret" });
    const { output } = await relayed([signed], { ...toEvents, carryKey: "secret" });
    expect(carriesIn(output)).toEqual(carriesIn(signed));
  });
});
