import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { strandsTypeScript } from "./environments.ts";

/**
 * Runs a script beside this file with `input` as JSON on its standard input, and gives the JSON that it prints, whose
 * type is the script's to keep. Rejects with what it said where it fails.
 */
export async function runScript<Output>(program: string, script: string, input: object): Promise<Output> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(program, [path], {
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1", STRANDS_TYPESCRIPT: strandsTypeScript.folder },
  });
  child.stdin.end(JSON.stringify(input));
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  if (code !== 0) throw new Error(`${script} ended with ${code}:\n${stderr}`);
  return JSON.parse(stdout) as Output;
}
