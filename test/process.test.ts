import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { chunkedImage, imageBase64 } from "./dify-stream.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = join(root, "dist", "src", "bin.js");
const dify = '[{"type":"text","message":{"text":"sunny"}}]';
const folder = () => mkdtempSync(join(tmpdir(), "trg-"));

/** The built program, in a process of its own. */
const trg = (...argv: readonly string[]) => spawn(process.execPath, [bin, ...argv]);

async function ending(child: ChildProcess) {
  let [stdout, stderr] = ["", ""];
  child.stdout?.on("data", (data) => {
    stdout += String(data);
  });
  child.stderr?.on("data", (data) => {
    stderr += String(data);
  });
  const exit = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { exit, stdout, stderr };
}

describe("the built program", () => {
  beforeAll(() => {
    // `npm test` builds first; run alone, this file takes the build that is there.
    if (!existsSync(bin))
      spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", root]);
  });

  test("converts standard input and writes no warning", async () => {
    const child = trg("convert", "--from", "dify", "--to", "watsonx");
    child.stdin.end(dify);
    expect(await ending(child)).toEqual({
      exit: 0,
      stdout: '{"content":[{"type":"text","text":"sunny"}]}\n',
      stderr: "",
    });
  });

  test("answers its version", async () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect(await ending(trg("--version"))).toEqual({ exit: 0, stdout: `${version}\n`, stderr: "" });
  });

  test("puts a file under its name whole, over an old one", async () => {
    const path = join(folder(), "out.json");
    writeFileSync(path, "old");
    const failed = trg("convert", "--from", "dify", "--to", "watsonx", "-o", path);
    failed.stdin.end("[");
    expect((await ending(failed)).exit).toBe(1);
    expect(readFileSync(path, "utf8")).toBe("old");
    const done = trg("convert", "--from", "dify", "--to", "watsonx", "-o", path);
    done.stdin.end(dify);
    expect((await ending(done)).exit).toBe(0);
    expect(readFileSync(path, "utf8")).toContain("sunny");
  });

  test("ends quietly when the reader of its output goes", async () => {
    const child = trg("convert", "--lines", "--from", "dify", "--to", "watsonx");
    child.stdout.once("data", () => child.stdout.destroy());
    child.stdin.on("error", () => {});
    const line = `${dify}\n`.repeat(1000);
    const feed = setInterval(() => child.stdin.write(line), 5);
    const { exit, stderr } = await ending(child);
    clearInterval(feed);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  });

  test.skipIf(process.platform === "win32")(
    "ends with 130 on an interrupt and leaves no unfinished file",
    async () => {
      const place = folder();
      const child = trg(
        "convert",
        "--lines",
        "--from",
        "dify",
        "--to",
        "watsonx",
        "-o",
        join(place, "out.ndjson"),
      );
      child.stdin.write(`${dify}\n`);
      await expect.poll(() => readdirSync(place).length).toBe(1);
      child.kill("SIGINT");
      expect((await ending(child)).exit).toBe(130);
      expect(readdirSync(place)).toEqual([]);
    },
  );

  test("serves, converts a stream with a chunked image, and stops in order", async () => {
    const child = trg("serve", "--port", "0");
    const end = ending(child);
    const url = await new Promise<string>((resolve) => {
      let text = "";
      child.stdout.on("data", (data) => {
        text += String(data);
        const found = /^Listening on (http:\S+)\n/.exec(text)?.[1];
        if (found !== undefined) resolve(found);
      });
    });
    const response = await fetch(`${url}/v1/convert?from=dify:sse&to=strands`, {
      method: "POST",
      body: chunkedImage,
      headers: { "Content-Type": "text/event-stream" },
    });
    expect(await response.text()).toContain(imageBase64);
    child.kill("SIGTERM");
    const { exit, stderr } = await end;
    expect(exit).toBe(process.platform === "win32" ? null : 0);
    // One log line for the one request, and no warning.
    expect(JSON.parse(stderr)).toMatchObject({ level: "info", event: "request", endpoint: "/v1/convert" });
  });
});
