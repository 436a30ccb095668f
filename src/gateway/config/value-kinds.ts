import * as z from "zod";

/**
 * The kinds of values of a configuration. Numbers and switches are also taken as text, since a text is what an
 * environment variable and `${VAR}` give. Messages say what is taken, never what was given.
 */

/** Longer times overflow the timers of Node, which then fire at once. */
const maxDuration = 24 * 60 * 60 * 1000;
const milliseconds = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;
const bytes = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const;

export interface Range {
  readonly from?: number;
  readonly to?: number;
}

/**
 * A time with its unit, `250ms`, `5s`, `2m` or `1h`, up to 24 hours; gives milliseconds. A number without a unit is
 * refused: half of its readers would take it for seconds. `from` is in milliseconds, by default 1.
 */
export function duration({ from = 1 }: Pick<Range, "from"> = {}) {
  const error = `expected a time with a unit, such as 250ms, 5s or 2m, from ${from}ms to 24h`;
  return z
    .string(error)
    .regex(/^[0-9]{1,8}(ms|s|m|h)$/, error)
    .meta({ title: "time" })
    .transform((given) => inUnits(given, milliseconds))
    .refine((value) => value >= from && value <= maxDuration, error);
}

/** A number of bytes, as a number or with a unit of 1024: `64KiB`, `16MiB`, `1GiB`. `from` is in bytes, by default 1. */
export function size({ from = 1 }: Pick<Range, "from"> = {}) {
  const error = `expected a size such as 64KiB, 16MiB or 1GiB, or a number of bytes, from ${from}`;
  return z
    .union([z.int(error).min(from, error), z.string().regex(/^[0-9]{1,15}(B|KiB|MiB|GiB)?$/, error)], error)
    .meta({ title: "size" })
    .transform((given) => (typeof given === "number" ? given : inUnits(given, bytes)))
    .refine((value) => value >= from && Number.isSafeInteger(value), error);
}

/** A whole number, of the range if one is given. */
export function count({ from = 0, to = Number.MAX_SAFE_INTEGER }: Range = {}) {
  const upTo = to === Number.MAX_SAFE_INTEGER ? "" : ` to ${to}`;
  const error = `expected a whole number from ${from}${upTo}`;
  return z
    .union([z.int(error).min(from, error).max(to, error), z.string().regex(/^[0-9]{1,16}$/, error)], error)
    .meta({ title: "number" })
    .transform(Number)
    .refine((value) => value >= from && value <= to, error);
}

/** `true` or `false`. */
export function onOff() {
  const error = "expected true or false";
  return z
    .union([z.boolean(), z.enum(["true", "false"], error)], error)
    .meta({ title: "true or false" })
    .transform((given) => given === true || given === "true");
}

/** One of a closed list of words. */
export function word<const Words extends readonly string[]>(words: Words) {
  return z.enum(words);
}

/** A text that is not empty. */
export function text() {
  return z.string().min(1, "expected a text that is not empty");
}

/** A list of texts; where it is given as one text, with commas between them. */
export function texts() {
  return z
    .union([z.array(text()), z.string()], "expected a list of texts")
    .meta({ title: "list of texts" })
    .transform((given) => (typeof given === "string" ? given.split(",").map((one) => one.trim()) : given));
}

/** A name that stands in addresses and logs. */
export function name() {
  return z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, "expected a name of up to 64 letters, digits, _ and -")
    .meta({ title: "name" });
}

/** The keys of callers; where they are given as one text, `name=key` with commas between them. */
export function apiKeys() {
  const key = z
    .string()
    .refine(
      (given) => given.length >= 32,
      "a key has 32 characters or more; `openssl rand -hex 32` makes one",
    )
    .refine(
      (given) => /^[!-~]*$/.test(given),
      "a key has no blanks and only characters of ASCII, as a header needs",
    );
  const apiKey = z.strictObject({
    name: name().describe("Stands in the log for the key."),
    key: key.describe("The key itself, of at least 32 characters; best taken from a variable or a file."),
  });
  return z.preprocess((given) => (typeof given === "string" ? namedKeys(given) : given), z.array(apiKey));
}

function namedKeys(given: string): readonly unknown[] {
  return given.split(",").map((one) => {
    const end = one.indexOf("=");
    return { name: one.slice(0, Math.max(end, 0)).trim(), key: one.slice(end + 1).trim() };
  });
}

function inUnits(given: string, units: Readonly<Record<string, number>>): number {
  const [, digits = "", unit = ""] = /^([0-9]+)(.*)$/.exec(given) ?? [];
  return Number(digits) * (units[unit] ?? 1);
}
