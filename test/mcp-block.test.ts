import { describe, expect, test } from "vitest";
import type { Part } from "../src/ir.ts";
import type { JsonValue } from "../src/json/json-value.ts";
import { readJson } from "../src/json/read-json.ts";
import { annotationsOf, isCompleteMcpBlock, mcpBlockOfPart, nameOfUri } from "../src/mcp-block.ts";
import { essence, fileExtensionOf, isTextType, mediaKindOf, mediaTypeOfFileName } from "../src/media-type.ts";

const image = { type: "image", data: "aGk=", mimeType: "image/png" };
const resource = { type: "resource", resource: { uri: "x:y", text: "a" } };
const link = { type: "resource_link", uri: "x:y", name: "n" };

describe("a complete MCP block (R56)", () => {
  test.each<[string, JsonValue]>([
    ["an image", image],
    ["a sound without bytes", { type: "audio", data: "", mimeType: "audio/wav" }],
    ["a text resource", resource],
    ["a resource of bytes", { type: "resource", resource: { uri: "x:y", blob: "aGk=", mimeType: "a/b" } }],
    ["a link", { ...link, title: "t", description: "d", mimeType: "a/b", size: 1 }],
    ["annotations", { ...link, annotations: { audience: ["user"], priority: 1 }, _meta: { a: 1 } }],
  ])("%s", (_name, block) => {
    expect(isCompleteMcpBlock(block)).toBe(true);
  });

  test.each<[string, JsonValue]>([
    ["no object", [image]],
    ["a text", { type: "text", text: "a" }],
    ["an unknown key", { ...image, detail: "high" }],
    ["an unknown key of the resource", { ...resource, resource: { ...resource.resource, x: 1 } }],
    ["an unknown key of the annotations", { ...link, annotations: { x: 1 } }],
    ["annotations that say nothing", { ...link, annotations: {} }],
    ["an unknown role", { ...link, annotations: { audience: ["system"] } }],
    ["a role twice", { ...link, annotations: { audience: ["user", "user"] } }],
    ["a priority above one", { ...link, annotations: { priority: 2 } }],
    ["a date without time", { ...link, annotations: { lastModified: "2025-01-02" } }],
    ["null", { ...link, title: null }],
    ["base64 without padding", { ...image, data: "aGk" }],
    ["a data URL", { ...image, data: "data:image/png;base64,aGk=" }],
    ["an image without type", { type: "image", data: "" }],
    ["a resource with text and bytes", { type: "resource", resource: { uri: "x:y", text: "", blob: "" } }],
    ["a resource with neither", { type: "resource", resource: { uri: "x:y" } }],
    ["a link without name", { type: "resource_link", uri: "x:y" }],
  ])("is not: %s", (_name, block) => {
    expect(isCompleteMcpBlock(block)).toBe(false);
  });
});

describe("the block of a part (R9)", () => {
  test("a file is named by its own name, without its path", () => {
    const part: Part = { type: "media", kind: "file", fileName: "..\\a/ü\ud800.zip", data: "" };
    expect(mcpBlockOfPart(part, 3)).toEqual({
      block: {
        type: "resource",
        resource: { uri: "attachment:///3/%C3%BC%EF%BF%BD.zip", blob: "" },
      },
      generated: true,
    });
  });

  test("a file without a name is named by its kind", () => {
    expect(mcpBlockOfPart({ type: "media", kind: "video", data: "" }, 0).block).toMatchObject({
      resource: { uri: "attachment:///0/video" },
    });
  });

  test("several texts are joined", () => {
    const { block } = mcpBlockOfPart({ type: "media", kind: "file", texts: ["a", "b"] }, 0);
    expect(block).toMatchObject({ resource: { text: "a\n\nb" } });
  });

  test.each([
    ["https://example.com/a/report%20q1.pdf?x=/y#z", "report q1.pdf"],
    ["https://example.com", "link"],
    ["https://example.com/a/", "link"],
    ["s3://bucket/key", "key"],
    ["/files/tools/1.png", "1.png"],
    ["x:%zz", "%zz"],
    ["", "link"],
  ])("the link %s is named %s", (uri, name) => {
    expect(nameOfUri(uri)).toBe(name);
  });
});

describe("annotations that strict readers take (R44)", () => {
  test.each<[JsonValue, JsonValue | undefined]>([
    [{ audience: ["assistant", "system", "assistant"] }, { audience: ["assistant"] }],
    [{ audience: ["system"] }, undefined],
    [{ audience: [] }, { audience: [] }],
    [{ lastModified: "2025-01-12T15:00:58+09:00" }, { lastModified: "2025-01-12T15:00:58+09:00" }],
    [{ lastModified: "2025-13-12T15:00:58Z" }, undefined],
  ])("%j", (stated, expected) => {
    expect(annotationsOf(stated as Omit<Part, "type">)).toEqual(expected);
  });

  test.each([
    ["0", true],
    ["1", true],
    ["0.50000000000000000000001", true],
    ["1.00000000000000000000001", false],
    ["-1", false],
    ["1e400", false],
  ])("priority %s: %s", (source, isWritten) => {
    const priority = readJson(source).value as number;
    expect(annotationsOf({ priority }) !== undefined).toBe(isWritten);
  });
});

describe("MIME types", () => {
  test("are compared in lower case, without parameters", () => {
    expect(essence(" Text/HTML; charset=utf-8")).toBe("text/html");
    expect(essence("image/JPG")).toBe("image/jpeg");
  });

  test("tell the kind", () => {
    expect([undefined, "Image/png", "audio/wav", "video/mp4", "text/plain", ""].map(mediaKindOf)).toEqual([
      "file",
      "image",
      "audio",
      "video",
      "file",
      "file",
    ]);
  });

  test("tell text from bytes", () => {
    expect(["text/x", "application/json", "application/ld+json", "image/svg+xml"].every(isTextType)).toBe(
      true,
    );
    expect(["application/pdf", "image/png"].some(isTextType)).toBe(false);
  });

  test("go with file extensions", () => {
    expect(fileExtensionOf("image/jpeg")).toBe("jpg");
    expect(fileExtensionOf("constructor")).toBeUndefined();
    expect(mediaTypeOfFileName("a.b.JPEG")).toBe("image/jpeg");
    expect(mediaTypeOfFileName("jpeg")).toBeUndefined();
  });
});
