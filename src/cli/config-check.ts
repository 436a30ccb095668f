import { createConverter } from "../converter.ts";
import { exitCodes, isConversionError } from "../errors.ts";
import type { GatewayConfig } from "../gateway/config/config.ts";
import type { LoadedConfig } from "../gateway/config/load.ts";
import { problemText } from "../gateway/config/problems.ts";
import { openGateway } from "../gateway/open-gateway.ts";
import type { Upstream } from "../gateway/upstream.ts";
import { jsonLog } from "../server/log.ts";
import type { Session } from "./command-line.ts";
import { openConfig } from "./config-file.ts";
import { printable, printableLines } from "./escape.ts";
import { count } from "./report.ts";
import { tableText } from "./table.ts";

export interface CheckRequest {
  readonly file: string;
  readonly adapters: readonly string[];
  /** Whether each upstream is asked, too. */
  readonly connect: boolean;
}

/** Checks a configuration and writes what it comes to. Throws `invalid-config` with every problem. */
export async function checkConfig(
  session: Session,
  { file, adapters, connect }: CheckRequest,
): Promise<void> {
  const { io } = session;
  const loaded = await openConfig(session, { file, adapters });
  for (const warning of loaded.warnings) {
    await io.stderr.write(`trg: warning: ${printable(problemText(warning))}\n`);
  }
  await io.stdout.write(printableLines(summary(file, loaded.config)));
  if (connect) await askUpstreams(session, loaded);
}

function summary(file: string, { server, auth, upstreams, routes }: GatewayConfig): string {
  const head = [
    `${server.host}, port ${server.port}`,
    count(auth.keys.length, "key", "keys"),
    count(Object.keys(upstreams).length, "upstream", "upstreams"),
    count(routes.length, "route", "routes"),
  ];
  const rows = routes.map(({ name, from, to, upstream }) => [
    `  ${name}`,
    `${from} -> ${to}`,
    `${upstream} (${upstreams[upstream]?.kind})`,
  ]);
  return `${file}: ${head.join("; ")}\n${tableText(rows)}`;
}

/** Asks all upstreams at one time, and tells of each in the order of the file. */
async function askUpstreams({ io, exit }: Session, { config, parts }: LoadedConfig): Promise<void> {
  const log = jsonLog((line) => void io.stderr.write(line), config.server.logLevel);
  const gateway = openGateway(config, parts, createConverter(parts.adapters), log);
  try {
    const asked = [...gateway.upstreams].map(
      async ([name, upstream]) => [name, await ask(upstream)] as const,
    );
    const answers = await Promise.all(asked);
    const rows = answers.map(([name, { state, words }]) => [`  ${name}`, state, printable(words)]);
    await io.stdout.write(tableText(rows));
    if (answers.some(([, { state }]) => state === "failed")) exit(exitCodes.system);
  } finally {
    await gateway.close();
  }
}

interface Answer {
  readonly state: "ok" | "failed";
  readonly words: string;
}

async function ask(upstream: Upstream): Promise<Answer> {
  try {
    // Each phase of a call ends by the timeouts of the upstream, and a signal ends the program.
    return { state: "ok", words: await upstream.check(new AbortController().signal) };
  } catch (error) {
    if (isConversionError(error)) return { state: "failed", words: `${error.code}: ${error.message}` };
    throw error;
  }
}
