import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Base64Joiner, sliceBytes, slicesOf } from "../../adapters/dify/chunks.ts";
import {
  createFrameReader,
  type FrameKind,
  type FrameOptions,
  truncatedItem,
} from "../../adapters/dify/frames.ts";
import { LineSplitter, utf8Length } from "../../adapters/dify/line-splitter.ts";
import type { DecodeContext } from "../../src/adapter.ts";
import { ConversionError, isConversionError } from "../../src/errors.ts";
import type { JsonValue } from "../../src/json/json-value.ts";
import { JsonReadError, readJson } from "../../src/json/read-json.ts";
import { defaultLimits } from "../../src/options.ts";
import { platform } from "../../src/platform/index.ts";
import { frame, text } from "./dify-helpers.ts";

/** What a reading gave: its items and losses, or the code of its error. */
type Outcome =
  | { readonly items: readonly JsonValue[]; readonly losses: readonly string[] }
  | { readonly code: string };

function contextOf(losses: string[], maxLineBytes: number): DecodeContext {
  return {
    limits: { ...defaultLimits, maxLineBytes },
    mode: "lenient",
    lose: (code, _, detail) => losses.push(`${code}: ${detail}`),
    fail: (code, pointer, detail) => {
      throw new ConversionError(code, detail, { pointer });
    },
    json: (json, pointer) => {
      try {
        return readJson(json).value;
      } catch (error) {
        if (!(error instanceof JsonReadError)) throw error;
        throw new ConversionError(error.code, error.detail, { pointer, data: { offset: error.offset } });
      }
    },
  };
}

function readPieces(
  pieces: readonly string[],
  kind: FrameKind = "auto",
  options: FrameOptions = {},
  maxLineBytes = defaultLimits.maxLineBytes,
): Outcome {
  const losses: string[] = [];
  try {
    const reader = createFrameReader(kind, contextOf(losses, maxLineBytes), options);
    const items = pieces.flatMap((piece) => reader.push(piece));
    return { items: [...items, ...reader.end()], losses };
  } catch (error) {
    if (isConversionError(error)) return { code: error.code };
    throw error;
  }
}

/** A text cut at these places. */
function cut(whole: string, places: readonly number[]): readonly string[] {
  const edges = [0, ...places.map((place) => place % (whole.length + 1)).sort((a, b) => a - b), whole.length];
  return edges.slice(1).map((end, index) => whole.slice(edges[index], end));
}

const pieces = fc.oneof(
  fc.constantFrom("\n", "\n\n", "\r", "\r\n", "\r\n\r\n", " ", "\uFEFF"),
  fc.constantFrom("data: ", "data:", "data", "event: ping\n", ": comment\n", "id: 1\n", "foo: bar\n"),
  fc.constantFrom(
    '{"a":1}',
    '{"a":\n1}',
    "{",
    '"}',
    "[1]",
    "12",
    "null",
    "printed words",
    '{"b":"\u2028\\u00e9"}',
  ),
  fc.constantFrom(
    '{"type":"blob","message":{"blob":"AAECAwQFBgcICQ=="}}',
    '{"event":"session","data":{"type":"end"}}',
  ),
);

const kinds = fc.constantFrom<FrameKind>("auto", "sse", "lines");

describe("R70 how the text is cut", () => {
  test("never changes items, losses or the error", () => {
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 12 }).map((list) => list.join("")),
        fc.array(fc.nat(), { maxLength: 6 }),
        kinds,
        fc.boolean(),
        fc.constantFrom(defaultLimits.maxLineBytes, 24),
        (whole, places, kind, session, limit) => {
          const options = session ? { session } : {};
          const once = readPieces([whole], kind, options, limit);
          expect(readPieces(cut(whole, places), kind, options, limit)).toEqual(once);
          expect(readPieces([...whole], kind, options, limit)).toEqual(once);
        },
      ),
      { numRuns: 1500, seed: 1 },
    );
  });

  test("an item is there as soon as its line or event is complete", () => {
    const reader = createFrameReader("auto", contextOf([], 1024));
    const [first, second] = [frame(text("a")), frame(text("b"))];
    expect(reader.push(first.slice(0, -1))).toEqual([]);
    expect(reader.push("\n")).toHaveLength(1);
    expect(reader.push(second)).toHaveLength(1);
    expect(reader.end()).toEqual([]);
  });
});

describe("the end of a text", () => {
  const whole =
    frame(text("é \u2028 12")) +
    frame({ type: "json", message: { json_object: [true, -1.5e3, null, "\\u"] } });

  test("cut anywhere within an event gives what came before, and the mark of a cut text", () => {
    const first = frame(text("é \u2028 12"));
    const { items } = readPieces([whole]) as { items: readonly JsonValue[] };
    for (let end = first.length + 1; end < whole.length - 3; end += 1) {
      expect(readPieces([whole.slice(0, end)])).toEqual({ items: [items[0], truncatedItem], losses: [] });
    }
    expect(readPieces([whole.slice(0, -2)])).toEqual({ items, losses: [] });
  });

  test("cut anywhere within a line too", () => {
    const line = '{"a":[true,false,null,-0.5e-1,"\\u00e9\\n"],"b":{}}';
    const outcome = { items: [{ a: 1 }, truncatedItem], losses: [] };
    for (let end = 1; end < line.length; end += 1) {
      expect(readPieces([`{"a":1}\n${line.slice(0, end)}`])).toEqual(outcome);
    }
  });

  test("a broken text is an error, wherever it stands", () => {
    for (const broken of ['{"a":NaN}', "{a:1}", '{"a":1}}', "words"]) {
      expect(readPieces([`{"a":1}\n${broken}`])).toEqual({ code: "invalid-json" });
      expect(readPieces([`{"a":1}\n${broken}\n{"a":1}`])).toEqual({ code: "invalid-json" });
      expect(readPieces([`data: ${broken}\n\n`])).toEqual({ code: "invalid-json" });
    }
    expect(readPieces(['{"a":\n{"a":1}\n'])).toEqual({ code: "invalid-json" });
  });

  test("nothing at all is no items", () => {
    for (const empty of ["", "\n\n", ": comment\n\n", "event: ping\n\n", "\uFEFF"]) {
      expect(readPieces([empty])).toEqual({ items: [], losses: [] });
    }
  });
});

describe("plugin lines", () => {
  const end = { event: "session", session_id: "1", data: { type: "end", data: {} } };

  test("skip what the plugin printed, before, between and after, with one loss", () => {
    const printed = `Installing\n[INFO] ready\n${JSON.stringify(end)}\n\nprint {"a": \n42\n"x"\n${JSON.stringify(end)}\nbye\n`;
    const outcome = { items: [end, end], losses: ["line-skipped: 6 among the messages are none"] };
    expect(readPieces([printed])).toEqual(outcome);
    expect(readPieces([printed], "lines", { session: true })).toEqual(outcome);
  });

  test("tell a cut last line from a printed one", () => {
    const cutLine = JSON.stringify(end).slice(0, 20);
    expect(readPieces([`${JSON.stringify(end)}\n${cutLine}`])).toEqual({
      items: [end, truncatedItem],
      losses: [],
    });
  });

  test("lines that nobody can tell from a plugin's are an error where no session line follows", () => {
    expect(readPieces(["hello\nworld\n"])).toEqual({ code: "invalid-json" });
    expect(readPieces([`hello\n${JSON.stringify(text("a"))}\n`])).toEqual({ code: "invalid-json" });
  });
});

describe("R16 the length of a line", () => {
  const long = "x".repeat(100);

  test("is limited, in bytes, for lines and events", () => {
    for (const whole of [
      JSON.stringify(text(long)),
      `data: ${JSON.stringify(text(long))}\n\n`,
      `data: {"a":\ndata: "${long}"}\n\n`,
    ]) {
      expect(readPieces([whole], "auto", {}, 100)).toEqual({ code: "line-too-long" });
      expect(readPieces([...whole], "auto", {}, 100)).toEqual({ code: "line-too-long" });
    }
    const wide = JSON.stringify(text("é".repeat(20)));
    expect(readPieces([wide], "auto", {}, wide.length + 20)).toHaveProperty("items.length", 1);
    expect(readPieces([wide], "auto", {}, wide.length + 19)).toEqual({ code: "line-too-long" });
  });

  test("is not limited for a blob, and is for what only mentions one", () => {
    const blob = JSON.stringify({ type: "blob", message: { blob: long } });
    expect(readPieces([blob], "auto", {}, 64)).toHaveProperty("items.length", 1);
    expect(readPieces([...frame(JSON.parse(blob))], "auto", {}, 64)).toHaveProperty("items.length", 1);
    expect(
      readPieces([JSON.stringify({ blob: 1, type: "text", message: { text: long } })], "auto", {}, 64),
    ).toEqual({
      code: "line-too-long",
    });
  });
});

test("lines end with LF, CR or CRLF, and nothing else", () => {
  const lines: string[] = [];
  const splitter = new LineSplitter();
  for (const piece of ["a\r", "\nb\n\rc\u2028", "d\u0085\r\r\ne"])
    splitter.push(piece, (line) => lines.push(line));
  expect([...lines, splitter.end()]).toEqual(["a", "b", "", "c\u2028d\u0085", "", "e"]);
});

test("bytes of UTF-8 are counted without writing them", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (value) => {
      expect(utf8Length(value)).toBe(platform.encodeUtf8(value).length);
    }),
  );
});

describe("R64 slices of a blob", () => {
  test("are of 8,192 bytes and give the blob again", () => {
    for (const size of [
      0,
      1,
      sliceBytes - 1,
      sliceBytes,
      sliceBytes + 1,
      sliceBytes * 3,
      sliceBytes * 7 + 5,
    ]) {
      const data = platform.encodeBase64(Uint8Array.from({ length: size }, (_, at) => at % 251));
      const slices = [...slicesOf(data)];
      const sizes = slices.map((slice) => platform.decodeBase64(slice).length);
      expect(sizes.slice(0, -1).every((bytes) => bytes === sliceBytes)).toBe(true);
      expect(sizes.reduce((sum, bytes) => sum + bytes, 0)).toBe(size);
      expect(joined(slices)).toBe(data);
    }
  });

  test("of any size are joined to the base64 of all bytes", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 9 }), { maxLength: 12 }), (slices) => {
        const whole = platform.encodeBase64(Uint8Array.from(slices.flatMap((slice) => [...slice])));
        expect(joined(slices.map((slice) => platform.encodeBase64(slice)))).toBe(whole);
      }),
    );
  });

  function joined(slices: readonly string[]): string {
    const joiner = new Base64Joiner();
    for (const slice of slices) joiner.push(slice);
    return joiner.end();
  }
});
