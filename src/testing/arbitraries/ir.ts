import * as fc from "fast-check";
import type { Log, Part, ResultError, ToolResult } from "../../ir.ts";
import type { JsonObject } from "../../json/json-value.ts";
import { readJson } from "../../json/read-json.ts";
import { compact, stringify } from "../../json/stringify.ts";
import { base64Texts, fileNames, mimeTypes, urls } from "./bytes.ts";
import { jsonArrays, jsonNumbers, jsonObjects, jsonScalars, jsonValues, texts } from "./json.ts";

/** Arbitrary values of the intermediate representation: what any adapter may be handed (R1 to R3). */

/** Roles of every kind: known, unknown, both, none, doubled; the order counts. */
export const audiences: fc.Arbitrary<readonly string[]> = fc.constantFrom(
  ["user"],
  ["assistant"],
  ["user", "assistant"],
  ["assistant", "user"],
  ["assistant", "system"],
  ["system"],
  [],
);

/** Roles under which the model may read a part. */
export const modelAudiences: fc.Arbitrary<readonly string[]> = fc.constantFrom(
  ["assistant"],
  ["user", "assistant"],
  ["assistant", "system"],
  [],
);

type Common = Pick<Part, "audience" | "priority" | "lastModified" | "meta" | "extensions">;

const priorities = fc.constantFrom("0", "1", "0.5", "-1", "7", "0.30000000000000000001").map(
  // The text of one number reads as one number.
  (text) => readJson(text).value as number,
);

/** What every part can hold, each field there or not. */
export function commonFields(roles: fc.Arbitrary<readonly string[]>): fc.Arbitrary<Common> {
  return sometimes({
    audience: roles,
    priority: priorities,
    lastModified: fc.constantFrom("2025-01-12T15:00:58Z", "2025-01-12", ""),
    meta: jsonObjects,
    extensions: jsonObjects.map((fact) => ({ elsewhere: fact })),
  });
}

/** A record of which most fields are absent in most values, so that one field alone occurs often. */
function sometimes<Fields extends object>(
  fields: { [Key in keyof Fields]-?: fc.Arbitrary<Exclude<Fields[Key], undefined>> },
): fc.Arbitrary<Partial<Fields>> {
  const entries = Object.entries<fc.Arbitrary<unknown>>(fields).map(([name, values]) =>
    fc
      .option(values, { nil: undefined, freq: 2 })
      .map((value) => (value === undefined ? [] : [[name, value] as const])),
  );
  // What stands under each name was made by the arbitrary of that name.
  return fc.tuple(...entries).map((pairs) => Object.fromEntries(pairs.flat()) as Partial<Fields>);
}

const mediaKinds = fc.constantFrom("image", "audio", "video", "file");
const fileFields = sometimes<{ mimeType: string; fileName: string }>({
  mimeType: mimeTypes,
  fileName: fileNames,
});

const textParts = texts.map((text) => ({ type: "text" as const, text }));

const jsonParts = fc
  .oneof(jsonObjects, jsonArrays, jsonScalars)
  .map((value) => ({ type: "json" as const, value }));

const mediaParts = fc
  .oneof(
    {
      weight: 4,
      arbitrary: fc.tuple(
        mediaKinds,
        fileFields,
        base64Texts.map((data) => ({ data })),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(
        fc.constant("file"),
        fileFields,
        texts.map((text) => ({ text })),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(
        fc.constant("file"),
        fileFields,
        fc.array(texts, { maxLength: 2 }).map((list) => ({ texts: list })),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(
        mediaKinds,
        fileFields,
        fc.constantFrom(
          { stored: { uri: "s3://bucket/a.png" } },
          { stored: { uri: "s3://bucket/b.pdf", owner: "123456789012" } },
          { stored: { uri: "/files/tools/1.png" } },
          { stored: { uri: "https://files.example.com/v1/files/1" } },
        ),
      ),
    },
  )
  .map(([kind, file, source]) => ({ type: "media", kind, ...file, ...source }) as Part);

const linkParts = fc
  .tuple(
    fc.constantFrom("hyperlink", "image", "resource"),
    urls,
    sometimes<{ name: string; title: string; description: string; mimeType: string; size: number }>({
      name: fc.oneof(texts, fileNames),
      title: texts,
      description: texts,
      mimeType: mimeTypes,
      size: fc.nat(),
    }),
  )
  .map(([kind, url, rest]) => ({ type: "link", kind, url, ...rest }) as Part);

const resourceParts = fc
  .tuple(
    fc.oneof(urls, texts),
    sometimes<{ mimeType: string }>({ mimeType: mimeTypes }),
    fc.oneof(
      texts.map((text) => ({ text })),
      base64Texts.map((data) => ({ data })),
    ),
  )
  .map(([uri, type, source]) => ({ type: "resource", uri, ...type, ...source }) as Part);

const citationParts = fc
  .tuple(fc.array(jsonObjects, { maxLength: 2 }), sometimes<{ context: string }>({ context: texts }))
  .map(([sources, rest]) => ({ type: "citations" as const, sources, ...rest }));

const opaqueParts = jsonValues.map((value) => ({ type: "opaque" as const, adapter: "elsewhere", value }));

/** A part of any type, for any of the given roles. */
export function partsFor(roles: fc.Arbitrary<readonly string[]>): fc.Arbitrary<Part> {
  const bare = fc.oneof<fc.Arbitrary<Part>[]>(
    textParts,
    jsonParts,
    mediaParts,
    linkParts,
    resourceParts,
    citationParts,
    opaqueParts,
  );
  return fc
    .tuple(
      bare,
      fc.oneof(
        { weight: 2, arbitrary: fc.constant<Common>({}) },
        { weight: 1, arbitrary: commonFields(roles) },
      ),
    )
    .map(([part, common]) => ({ ...part, ...common }));
}

export const parts: fc.Arbitrary<Part> = partsFor(audiences);

const logs: fc.Arbitrary<readonly Log[]> = fc.array(
  sometimes<Log>({
    id: fc.constantFrom("1", "2"),
    parentId: fc.constant("1"),
    label: texts,
    status: fc.constantFrom("start", "success", "error"),
    error: texts,
    data: jsonObjects,
    meta: jsonObjects,
    extensions: jsonObjects.map((fact) => ({ elsewhere: fact })),
  }),
  { minLength: 1, maxLength: 2 },
);

/** Success, not stated, or an error with whatever is known of it. */
const outcomes: fc.Arbitrary<Pick<ToolResult, "status" | "error">> = fc.oneof(
  fc.constantFrom<Pick<ToolResult, "status">>({}, { status: "success" }, { status: "error" }),
  fc
    .tuple(
      texts,
      sometimes<Omit<ResultError, "message">>({ type: texts, code: fc.oneof(texts, jsonNumbers) }),
    )
    .map(([message, rest]) => ({ status: "error" as const, error: { message, ...rest } })),
);

const widgets: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.constant({ response_type: "forms", json_schema: {} }),
  jsonObjects,
);

/** Structured content and a text that says it, in one of two spellings. */
const mirrored: fc.Arbitrary<Pick<ToolResult, "content" | "structuredContent">> = fc
  .tuple(jsonValues, fc.constantFrom(0, 1), parts, audiences)
  .map(([value, extraBlank, other, audience]) => ({
    structuredContent: value,
    content: [{ type: "text", text: " ".repeat(extraBlank) + compact(value), audience }, other],
  }));

/** Any result. */
export const toolResults: fc.Arbitrary<ToolResult> = fc
  .tuple(
    fc.oneof(
      { weight: 5, arbitrary: fc.array(parts, { maxLength: 4 }).map((content) => ({ content })) },
      { weight: 1, arbitrary: mirrored },
    ),
    outcomes,
    sometimes<
      Pick<ToolResult, "structuredContent" | "widget" | "meta" | "logs" | "toolCallId" | "extensions">
    >({
      structuredContent: jsonValues,
      widget: widgets,
      meta: jsonObjects,
      logs,
      toolCallId: fc.constantFrom("call-1", "call|x", "", "x".repeat(70)),
      extensions: jsonObjects.map((fact) => ({ elsewhere: fact })),
    }),
  )
  .map(([content, outcome, rest]) => ({ ...rest, ...outcome, ...content }));

/** The JSON of a result. */
export function showResult(result: ToolResult): string {
  return stringify(result);
}
