import type { ToolResult } from "../../src/ir.ts";
import { equalJson } from "../../src/json/equal-json.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { isObject } from "./shapes.ts";
import { isShown, variableNames } from "./structured.ts";

/** The next log entry of the result, which has its facts itself. */
export interface LogAside {
  readonly at: number;
  readonly log: true;
}

/**
 * A message of Dify's list that is no part of the content, and its place among the parts: kept in
 * `extensions.dify.asides` of the result where the kernel's form would not give the same list (R8). `at` is the number
 * of parts before it; `meta` and `extra` are those of its message.
 */
export type Aside =
  | LogAside
  | ({ readonly at: number; readonly meta?: JsonObject; readonly extra?: JsonObject } & (
      | { readonly variable: string; readonly name?: string; readonly stream?: true }
      /** A json message with `suppress_output` that says the whole structured content. */
      | { readonly structured: true }
      /** Another json message with `suppress_output`. */
      | { readonly json: JsonValue }
    ));

/** The asides as a value of `extensions`; undefined where the kernel's form gives the same messages. */
export function asidesExtension(asides: readonly Aside[], result: ToolResult): JsonValue | undefined {
  const value: JsonValue = asides.map((aside): JsonObject => ({ ...aside }));
  return equalJson(value, kernelAsides(result) as JsonValue) ? undefined : value;
}

/** What the kernel's form has beside the content; `null` where it would add to the content as well. */
function kernelAsides(result: ToolResult): JsonValue {
  const { structuredContent: value, content, logs = [] } = result;
  const at = content.length;
  const entries: readonly JsonObject[] = logs.map(() => ({ at, log: true }));
  if (value === undefined) return entries;
  if (!isShown(result)) return null;
  const names = isObject(value) ? [...variableNames(value).keys()] : [];
  return [...names.map((variable): JsonObject => ({ at, variable })), ...entries];
}

/** Reads the asides of an extension; what has not their form is passed over. Undefined where there is no list. */
export function readAsides(value: JsonValue | undefined, count: number): readonly Aside[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const list: readonly JsonValue[] = value;
  return list.flatMap((item) => {
    const aside = isObject(item) ? readAside(item, count) : undefined;
    return aside === undefined ? [] : [aside];
  });
}

function readAside(item: JsonObject, count: number): Aside | undefined {
  const { meta, extra } = item;
  // Parts may have been taken out since.
  const at = typeof item.at === "number" && item.at >= 0 && item.at <= count ? Math.floor(item.at) : count;
  if (item.log === true) return { at, log: true };
  const common = {
    at,
    ...(isObject(meta) ? { meta } : {}),
    ...(isObject(extra) ? { extra } : {}),
  };
  if (typeof item.variable === "string") {
    const name = typeof item.name === "string" ? { name: item.name } : {};
    return { ...common, variable: item.variable, ...name, ...(item.stream === true ? { stream: true } : {}) };
  }
  if (item.structured === true) return { ...common, structured: true };
  return Object.hasOwn(item, "json") ? { ...common, json: item.json as JsonValue } : undefined;
}
