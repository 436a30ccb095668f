import { isJsonNumber } from "../../src/json/json-number.ts";
import type { JsonValue } from "../../src/json/json-value.ts";
import { stringify } from "../../src/json/stringify.ts";

/** JSON text as Python's `json.dumps` writes it by default: a blank after each comma and colon, ASCII only. */
export function pythonJson(value: JsonValue): string {
  if (typeof value === "string") {
    return JSON.stringify(value).replaceAll(
      /[\u007f-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
  }
  if (typeof value !== "object" || value === null || isJsonNumber(value)) return stringify(value);
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(pythonJson).join(", ")}]`;
  const members = Object.entries(value).map(([key, member]) => `${pythonJson(key)}: ${pythonJson(member)}`);
  return `{${members.join(", ")}}`;
}
