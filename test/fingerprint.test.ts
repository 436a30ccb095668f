import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fingerprint } from "../src/fingerprint.ts";
import { equalJson } from "../src/json/equal-json.ts";
import { JsonNumber } from "../src/json/json-number.ts";
import type { JsonValue } from "../src/json/json-value.ts";
import { readJson } from "../src/json/read-json.ts";
import { compact, stableStringify } from "../src/json/stringify.ts";

const jsonValue = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;

function of(text: string): string {
  return fingerprint(readJson(text).value);
}

describe("fingerprint", () => {
  test("is the same on every platform and in every version", () => {
    expect(of('{"a":[1,2.5,"text",null,true,12345678901234567890],"b":{}}')).toBe("7cabbaad89514ae6");
  });

  test("differs for every pair of these", () => {
    const texts = [
      ..."null true false 0 -0 1 -1 1.5 1e400 1e401 -1e400 12345678901234567890 12345678901234567891 4294967296 2147483648 -2147483648".split(
        " ",
      ),
      ...'"" "0" "1" "a" "b" "ab" "ba" "aa" "aaa" "\\u0000" "\\u0000\\u0000" "null" [] {} [[]] [{}] [0] [0,0] [null] ["a","b"] ["b","a"]'.split(
        " ",
      ),
      ...'{"a":1} {"a":2} {"b":1} {"a":1,"b":2} {"a":2,"b":1} {"a":{"b":1}} {"b":{"a":1}} {"a":"b"} {"b":"a"} [["a"],"b"] ["a",["b"]]'.split(
        " ",
      ),
    ];
    expect(new Set(texts.map(of)).size).toBe(texts.length);
  });

  test("ignores the order of keys and the spelling of numbers", () => {
    expect(of('{"a":1,"b":[1.0,100],"c":"x"}')).toBe(of('{"c":"x","b":[1,1e2],"a":1.0}'));
    expect(of("12345678901234567890")).toBe(of("1234567890123456789.0e1"));
    expect(fingerprint(new JsonNumber("1.0"))).toBe(fingerprint(1));
    expect(fingerprint(-0)).toBe(of("-0.0"));
  });

  test("agrees with equalJson", () => {
    fc.assert(
      fc.property(jsonValue, jsonValue, (one, other) => {
        expect(fingerprint(one) === fingerprint(other)).toBe(equalJson(one, other));
        expect(fingerprint(readJson(stableStringify(one)).value)).toBe(
          fingerprint(readJson(compact(one)).value),
        );
      }),
      { numRuns: 1000 },
    );
  });

  test("changes with any one character of a long text", () => {
    const text = "x".repeat(10_000);
    const seen = new Set([fingerprint(text)]);
    for (let at = 0; at < text.length; at += 7)
      seen.add(fingerprint(`${text.slice(0, at)}y${text.slice(at + 1)}`));
    expect(seen.size).toBe(1 + Math.ceil(10_000 / 7));
  });

  test("has no collision among 200,000 similar values, nor in either half of it by more than chance", () => {
    const prints = Array.from({ length: 200_000 }, (_, index) =>
      fingerprint({ id: index, name: `n${index % 7}` }),
    );
    expect(new Set(prints).size).toBe(prints.length);
    // 32 bits give some five collisions here by chance.
    for (const half of [(print: string) => print.slice(0, 8), (print: string) => print.slice(8)]) {
      expect(prints.length - new Set(prints.map(half)).size).toBeLessThan(25);
    }
  });
});
