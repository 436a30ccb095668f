import * as z from "zod";
import type { GatewayConfig } from "./config.ts";
import { type Path, type Places, type Report, unknownText } from "./problems.ts";

/** A value checked against the schema; undefined where a problem was reported. */
export function checkSchema(
  schema: z.ZodType<GatewayConfig>,
  value: unknown,
  places: Places,
  report: Report,
): GatewayConfig | undefined {
  const knownKeys = new Map<string, readonly string[]>();
  const parsed = schema.safeParse(value, {
    error: (issue) => {
      if (issue.code === "unrecognized_keys" && issue.inst instanceof z.ZodObject) {
        knownKeys.set(JSON.stringify(issue.path ?? []), Object.keys(issue.inst.shape));
      }
      return messageOf(issue);
    },
  });
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    const path = issue.path.filter((step) => typeof step !== "symbol");
    if (issue.code === "unrecognized_keys") {
      const known = knownKeys.get(JSON.stringify(issue.path)) ?? [];
      for (const key of issue.keys) {
        const below = [...path, key];
        report(places.ofKey(below), below, unknownText("key", key, known));
      }
    } else if (issue.code === "invalid_key") {
      report(places.ofKey(path), path, issue.issues[0]?.message ?? issue.message);
    } else {
      report(placeOf(places, path, value), path, issue.message);
    }
  }
  return undefined;
}

/** What is missing is told at the key of the section that misses it. */
function placeOf(places: Places, path: Path, value: unknown) {
  return valueAt(value, path) === undefined ? places.ofKey(path.slice(0, -1)) : places.of(path);
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, step) =>
      typeof inner === "object" && inner !== null
        ? (inner as Readonly<Record<string | number, unknown>>)[step]
        : undefined,
    value,
  );
}

/** In words of configuration, and without the value, which zod's own messages can repeat. */
function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is missing" : `expected ${kinds[issue.expected] ?? issue.expected}`;
    case "invalid_value": {
      const words = issue.values.map(String);
      return issue.input === undefined ? "is missing" : unknownText("value", issue.input, words);
    }
    case "invalid_format":
      return issue.format === "url" ? "expected an address such as https://tools.example.com" : undefined;
    case "invalid_union":
      if (issue.discriminator === undefined || !("options" in issue)) return undefined;
      return discriminatorText(issue.discriminator, issue.input, issue.options);
    default:
      return undefined;
  }
}

const kinds: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a section of keys and values",
  record: "a section of keys and values",
};

function discriminatorText(key: string, input: unknown, options: unknown): string {
  const known = Array.isArray(options) ? options.map(String) : [];
  const given = valueAt(input, [key]);
  return given === undefined ? `is missing; known: ${known.join(", ")}` : unknownText(key, given, known);
}
