import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { converter, read } from "./dify-helpers.ts";

/** Lines that a plugin process of dify-plugin 0.10.2 wrote, one file per call; paths of tracebacks are shortened. */
const folder = new URL("../fixtures/dify/", import.meta.url);

const captured = (name: string): string => readFileSync(new URL(name, folder), "utf8");

describe("what dify-plugin 0.10.2 writes", () => {
  test.each(readdirSync(folder))("%s is recognised, read, and its own canonical form", (name) => {
    const text = captured(name);
    expect(converter.detect(text)).toMatchObject({
      outcome: "recognised",
      format: "dify",
      dialect: "session",
    });
    const canonical = converter.canonical(text, { from: "dify" });
    expect(canonical).not.toContain("Traceback");
    expect(converter.canonical(canonical, { from: "dify" })).toBe(canonical);
    expect(read(text)).toEqual(read(text, {}, "dify:session"));
  });

  test("says what was meant", () => {
    expect(read(captured("wire-now-blob.jsonl")).content).toEqual([
      { type: "media", kind: "file", mimeType: "application/octet-stream", fileName: "a.bin", data: "AP/+" },
    ]);
    expect(read(captured("wire-now-blob-empty.jsonl")).content).toEqual([
      { type: "media", kind: "file", data: "" },
    ]);
    expect(read(captured("wire-now-stream.jsonl")).structuredContent).toEqual({ s: "12" });
    expect(read(captured("wire-now-variable.jsonl")).structuredContent).toEqual({
      n: null,
      o: { a: [1] },
      text: "reserved",
    });
    expect(read(captured("wire-now-log.jsonl")).logs).toMatchObject([
      { label: "step", status: "error", error: "boom", data: { r: 2 } },
    ]);
    expect(read(captured("wire-now-file-null.jsonl")).content).toMatchObject([
      { type: "media", stored: { uri: "https://e.x/a" } },
    ]);
    expect(read(captured("wire-now-none.json"))).toEqual({ content: [] });
    expect(read(captured("wire-now-raise-after.jsonl"))).toMatchObject({
      status: "error",
      error: { type: "ValueError", message: "city not found" },
      content: [{ text: "partial" }],
    });
  });
});
