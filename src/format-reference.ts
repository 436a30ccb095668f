import type { Adapter, Dialect } from "./adapter.ts";
import { ConversionError, unknownWord } from "./errors.ts";
import type { Target } from "./kernel/convert.ts";
import type { Side } from "./kernel/resolve.ts";

/** A format by its id (`dify`), with a dialect (`dify:sse`), or as an adapter of your own. */
export type FormatReference = string | Adapter | { readonly adapter: Adapter; readonly dialect?: string };

export function targetOf(reference: FormatReference, byId: ReadonlyMap<string, Adapter>): Target {
  const { adapter, dialect } = resolveReference(reference, byId);
  const chosen = dialect ?? adapter.dialects[0];
  if (chosen.output) return { adapter, dialect: chosen };
  const writable = adapter.dialects.filter(({ output }) => output).map(({ id }) => `${adapter.id}:${id}`);
  throw new ConversionError(
    "dialect-not-writable",
    `${adapter.id}:${chosen.id} is read only; writable: ${writable.join(", ")}`,
  );
}

export function resolveReference(reference: FormatReference, byId: ReadonlyMap<string, Adapter>): Side {
  // Callers in plain JavaScript forget it, and a fault of the program would tell them nothing.
  if (typeof reference !== "string" && (typeof reference !== "object" || reference === null)) {
    throw new ConversionError("invalid-option", "`from` and `to` name a format, as in `dify` or `dify:sse`");
  }
  if (typeof reference === "string") {
    const [id = "", dialect] = reference.split(":", 2);
    const adapter = byId.get(id);
    if (adapter === undefined) throw unknownWord("unknown-format", "format", id, [...byId.keys()]);
    return { adapter, dialect: dialectOf(adapter, dialect) };
  }
  if ("adapter" in reference) {
    checkAdapter(reference.adapter);
    return { adapter: reference.adapter, dialect: dialectOf(reference.adapter, reference.dialect) };
  }
  checkAdapter(reference);
  return { adapter: reference, dialect: undefined };
}

function dialectOf(adapter: Adapter, id: string | undefined): Dialect | undefined {
  if (id === undefined) return undefined;
  const found = adapter.dialects.find((dialect) => dialect.id === id);
  if (found === undefined)
    throw unknownWord(
      "unknown-dialect",
      `dialect of ${adapter.id}`,
      id,
      adapter.dialects.map((one) => one.id),
    );
  return found;
}

export function checkAdapter(adapter: Adapter): void {
  const shape = adapter as Partial<Record<keyof Adapter, unknown>>;
  const functions = ["detect", "parse", "render", "canonical"] as const;
  const missing = functions.filter((name) => typeof shape[name] !== "function");
  if (typeof shape.id !== "string" || !/^[a-z][a-z0-9-]*$/.test(shape.id) || shape.id === "auto") {
    throw new ConversionError(
      "invalid-adapter",
      "an adapter needs an `id` of lower-case letters, digits and hyphens",
    );
  }
  if (missing.length > 0) {
    throw new ConversionError("invalid-adapter", `the adapter ${shape.id} lacks ${missing.join(", ")}`);
  }
  if (
    !Array.isArray(shape.dialects) ||
    !shape.dialects.some((dialect) => dialect.output === true && dialect.traits !== undefined)
  ) {
    throw new ConversionError(
      "invalid-adapter",
      `the adapter ${shape.id} needs a dialect with \`output: true\` and traits`,
    );
  }
}
