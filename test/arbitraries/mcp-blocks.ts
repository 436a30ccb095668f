import * as fc from "fast-check";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { readJson } from "../../src/json/read-json.ts";
import {
  base64Spellings,
  base64Texts,
  fileNames,
  files,
  mimeTypes,
  urls,
} from "../../src/testing/arbitraries/bytes.ts";
import { jsonObjects, optional, texts } from "../../src/testing/arbitraries/json.ts";

/** Content blocks of MCP, which watsonx has as its own and Strands meets inside `json`. */

/** Audiences as they may be on the wire: every order, none, doubles, roles nobody knows, `null`. */
export const audiences: fc.Arbitrary<JsonValue> = fc.constantFrom<JsonValue>(
  ["user"],
  ["assistant"],
  ["user", "assistant"],
  ["assistant", "user", "user"],
  ["assistant", "system"],
  ["system"],
  ["tool", "tool"],
  [],
  null,
);

const priorities: fc.Arbitrary<JsonValue> = fc
  .constantFrom("0", "1", "0.5", "-0", "2", "-1", "1.0", "0.30000000000000000001", "1e400")
  .map((text) => readJson(text).value);

const times: fc.Arbitrary<JsonValue> = fc.constantFrom(
  "2025-01-12T15:00:58Z",
  "2025-01-12T15:00:58.123+09:00",
  "2025-01-02",
  "yesterday",
  "",
);

/** Only what MCP's own schema admits. */
const strictAnnotations: fc.Arbitrary<JsonObject> = optional({
  audience: fc.constantFrom<JsonValue>(["user"], ["assistant"], ["user", "assistant"]),
  priority: fc.constantFrom<JsonValue>(0, 1, 0.5),
  lastModified: fc.constant("2025-01-12T15:00:58Z"),
});

export const annotations: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 4, arbitrary: optional({ audience: audiences, priority: priorities, lastModified: times }) },
  { weight: 1, arbitrary: optional({ audience: audiences, priority: priorities, "x-note": texts }) },
  { weight: 1, arbitrary: fc.constantFrom<JsonValue>(null, {}) },
);

const resourceUris = fc.oneof(urls, fc.constantFrom("file:///a/b.csv", "attachment:///0/a.bin", "x:", ""));

const types = optional({ mimeType: mimeTypes });

/** The payload of each block type but text, in the standard spelling; no common fields yet. */
const media: fc.Arbitrary<JsonObject> = fc.oneof(
  fc
    .tuple(fc.constantFrom("image", "audio"), base64Texts, mimeTypes)
    .map(([type, data, mimeType]) => ({ type, data, mimeType })),
  // Pictures whose type is told by their bytes.
  files
    .filter((file) => file.mimeType?.startsWith("image/") === true)
    .chain((file) => base64Spellings(file.bytes))
    .map((data) => ({ type: "image", data, mimeType: "image/png" })),
);

const resources: fc.Arbitrary<JsonObject> = fc.oneof(
  fc
    .tuple(resourceUris, texts, types)
    .map(([uri, text, type]) => ({ type: "resource", resource: { uri, text, ...type } })),
  fc
    .tuple(resourceUris, base64Texts, types)
    .map(([uri, blob, type]) => ({ type: "resource", resource: { uri, blob, ...type } })),
);

const links: fc.Arbitrary<JsonObject> = fc
  .tuple(
    resourceUris,
    fc.oneof(fileNames, texts),
    optional({
      title: texts,
      description: texts,
      mimeType: mimeTypes,
      size: fc.constantFrom<JsonValue>(0, 17),
    }),
  )
  .map(([uri, name, rest]) => ({ type: "resource_link", uri, name, ...rest }));

/** Image, audio, resource and resource_link blocks without common fields. */
export const bareBlocks: fc.Arbitrary<JsonObject> = fc.oneof(media, resources, links);

/** Blocks that MCP's own validators take: no `null`, known roles only, no unknown keys (R56). */
export const strictMcpBlocks: fc.Arbitrary<JsonObject> = fc
  .tuple(
    fc.oneof(
      fc
        .tuple(fc.constantFrom("image", "audio"), base64Texts, mimeTypes)
        .map(([type, data, mimeType]) => ({ type, data, mimeType })),
      resources,
      links,
    ),
    optional({ annotations: strictAnnotations, _meta: jsonObjects }),
  )
  .map(([block, common]) => ({ ...block, ...common }));
