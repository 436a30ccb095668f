import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const bin = fileURLToPath(new URL("../../dist/src/bin.js", import.meta.url));

/** Something that listens on a free port of this machine. */
export interface Running {
  readonly url: string;
  stop(): Promise<void>;
}

/** The tools of the gateway that has no configuration. */
export const demoTools = ["weather", "forecast", "account"] as const;

/** The built gateway in a process of its own; without a configuration it has its demo tools. */
export async function startGateway(config?: object): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), "counterparts-"));
  const file = join(folder, "gateway.json");
  await writeFile(file, JSON.stringify(config ?? {}));
  const configured = config === undefined ? [] : ["--config", file];
  const child = spawn(process.execPath, [bin, "serve", "--port", "0", ...configured], {
    // Nobody is left to be told of a drain.
    env: { ...process.env, TRG_DRAIN_DELAY: "0ms", TRG_LOG_LEVEL: "warn" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  return {
    url: await listening(child),
    stop: async () => {
      const closed = once(child, "close");
      child.kill();
      await closed;
      await rm(folder, { recursive: true });
    },
  };
}

/** What the gateway says first: where it listens. Rejects where it ends instead. */
function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    child.stdout?.on("data", (data) => {
      said += String(data);
      const [, url] = /Listening on (\S+)/.exec(said) ?? [];
      if (url !== undefined) resolve(url);
    });
    child.on("close", (code) => reject(new Error(`the gateway ended with ${code}`)));
  });
}

/** Every tool gets these, whichever it asks for. */
export const callArguments = { city: "Oslo", account: "1207" };

/** The id of every call that `callTool` makes. */
export const callId = "call-1";

/** Calls a tool with nothing but its arguments, and gives the body of the answer; `query` begins with the format. */
export function callTool({ url }: Running, tool: string, query: string): Promise<string> {
  return post(`${url}/tools/${tool}?call=arguments&to=${query}`, JSON.stringify(callArguments), {
    "Tool-Call-Id": callId,
  });
}

/** Sends JSON text and gives the body of the answer, which must be a good one. */
export async function post(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body,
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${answer}`);
  return answer;
}
