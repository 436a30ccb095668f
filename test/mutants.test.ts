import { describe, expect, test } from "vitest";
import { adapters } from "../adapters/index.ts";
import type { Adapter, Reading, RenderContext } from "../src/adapter.ts";
import type { Part, ToolResult } from "../src/ir.ts";
import { isJsonObject } from "../src/json/json-kind.ts";
import { isJsonNumber } from "../src/json/json-number.ts";
import type { JsonValue } from "../src/json/json-value.ts";
import { readJson } from "../src/json/read-json.ts";
import { lossCodes } from "../src/losses.ts";
import { rootPointer } from "../src/pointer.ts";
import { adapterLaws } from "../src/testing.ts";
import { subjectOf } from "./law-subjects.ts";

/** Faults that adapters have had in the field, each put into a sound adapter. A law must find every one. */
const faults: Readonly<Record<string, (sound: Adapter) => Adapter>> = {
  "drops audio": renders((result) => ({
    ...result,
    content: result.content.filter((part) => part.type !== "media" || part.kind !== "audio"),
  })),
  "writes the first part only": renders((result) => ({ ...result, content: result.content.slice(0, 1) })),
  "reads the first part only": reads((result) => ({ ...result, content: result.content.slice(0, 1) })),
  "writes every result as a success": renders(({ error: _, ...result }) => ({
    ...result,
    status: "success",
  })),
  "reads every result as a success": reads(({ error: _, ...result }) => ({ ...result, status: "success" })),
  "parses text that looks like JSON": reads((result) => ({ ...result, content: result.content.map(parsed) })),
  "drops empty texts": reads((result) => ({
    ...result,
    content: result.content.filter((part) => part.type !== "text" || part.text !== ""),
  })),
  "drops null members": reads((result) => ({
    ...result,
    ...(result.structuredContent === undefined
      ? {}
      : { structuredContent: withoutNulls(result.structuredContent) }),
    content: result.content.map((part) =>
      part.type === "json" ? { ...part, value: withoutNulls(part.value) } : part,
    ),
  })),
  "joins texts": reads((result) => ({ ...result, content: joined(result.content) })),
  "leaks what is for users": (sound) => ({
    ...sound,
    dialects: [nativeAudience(sound.dialects[0]), ...sound.dialects.slice(1).map(nativeAudience)],
  }),
  "rounds numbers": (sound) => ({
    ...sound,
    parse: (document, context) => sound.parse(rounded(document), context),
  }),
  "reports every loss always": rendersWith((context) => {
    for (const code of lossCodes) context.lose(code, rootPointer, "perhaps");
    return context;
  }),
  "reports no loss": rendersWith((context) => ({ ...context, lose: () => {} })),
  "changes its input": (sound) => ({
    ...sound,
    parse: (document, context) => {
      if (typeof document === "object" && document !== null)
        Reflect.deleteProperty(document, Object.keys(document)[0] ?? "");
      return sound.parse(document, context);
    },
  }),
  "counts its calls": (sound) => {
    let calls = 0;
    return {
      ...sound,
      parse: (document, context) =>
        sound.parse(document, context).map((reading) => {
          calls += 1;
          return { ...reading, result: { ...reading.result, toolCallId: `call-${calls}` } };
        }),
    };
  },
  "takes every member for an object": (sound) => ({
    ...sound,
    parse: (document, context) => {
      // The cast is the fault: a member may be null.
      for (const member of Object.values(Object(document))) Object.keys(member as object);
      return sound.parse(document, context);
    },
  }),
};

const mutated = adapters.filter(({ id }) => id !== "ir");

describe.each(mutated.map((adapter) => ({ id: adapter.id, adapter })))(
  "laws of $id find an adapter that",
  ({ adapter }) => {
    test.each(Object.entries(faults))("%s", (_, breakIt) => {
      const laws = adapterLaws(subjectOf(breakIt(adapter)));
      expect(laws.some(({ run }) => isBroken(() => run(100, 1)))).toBe(true);
    });
  },
);

function isBroken(run: () => void): boolean {
  try {
    run();
    return false;
  } catch {
    return true;
  }
}

function renders(change: (result: ToolResult) => ToolResult): (sound: Adapter) => Adapter {
  return (sound) => ({ ...sound, render: (result, context) => sound.render(change(result), context) });
}

function rendersWith(change: (context: RenderContext) => RenderContext): (sound: Adapter) => Adapter {
  return (sound) => ({ ...sound, render: (result, context) => sound.render(result, change(context)) });
}

function reads(change: (result: ToolResult) => ToolResult): (sound: Adapter) => Adapter {
  const changed = (reading: Reading): Reading => ({ ...reading, result: change(reading.result) });
  return (sound) => ({ ...sound, parse: (document, context) => sound.parse(document, context).map(changed) });
}

function parsed(part: Part): Part {
  if (part.type !== "text") return part;
  try {
    const { type: _, text, ...common } = part;
    return { ...common, type: "json", value: readJson(text).value };
  } catch {
    return part;
  }
}

function joined(content: readonly Part[]): readonly Part[] {
  const [first, second, ...rest] = content;
  if (first?.type !== "text" || second?.type !== "text") return content;
  return [{ ...first, text: `${first.text}\n${second.text}` }, ...rest];
}

function nativeAudience(dialect: Adapter["dialects"][number]): Adapter["dialects"][number] {
  return { ...dialect, traits: { ...dialect.traits, audience: "native" } };
}

function rounded(value: JsonValue): JsonValue {
  if (isJsonNumber(value)) return Number.isFinite(Number(value.source)) ? Number(value.source) : null;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(rounded);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, rounded(member)]));
}

function withoutNulls(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}
