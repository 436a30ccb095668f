import { printable } from "../cli/escape.ts";

/** What a log line can say: names, codes, counts and times; never a payload, a header or an address with a query. */
export type LogFacts = Readonly<Record<string, string | number | boolean>>;

export const logLevels = ["error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof logLevels)[number];

export interface Log {
  write(level: LogLevel, event: string, facts?: LogFacts): void;
}

/** Characters of one text in a line. */
const maxText = 1024;

/** What clients can cause as often as they like: one line a second of each event, with the number of those left out. */
const sampled: ReadonlySet<string> = new Set(["request-aborted", "connection-refused"]);
const sampleInterval = 1000;

/** A log of one JSON object a line, of a level and those before it. `now` is in milliseconds since 1970. */
export function jsonLog(write: (line: string) => void, level: LogLevel, now: () => number = Date.now): Log {
  const levels = new Set(logLevels.slice(0, logLevels.indexOf(level) + 1));
  const samples = new Map<string, { readonly at: number; leftOut: number }>();
  return {
    write: (lineLevel, event, facts = {}) => {
      if (!levels.has(lineLevel)) return;
      const at = now();
      const last = samples.get(event);
      if (last !== undefined && at - last.at < sampleInterval) {
        last.leftOut += 1;
        return;
      }
      if (sampled.has(event)) samples.set(event, { at, leftOut: 0 });
      const line = {
        time: new Date(at).toISOString(),
        level: lineLevel,
        event,
        ...shortened(facts),
        ...(last !== undefined && last.leftOut > 0 && { leftOut: last.leftOut }),
      };
      write(`${printable(JSON.stringify(line))}\n`);
    },
  };
}

function shortened(facts: LogFacts): LogFacts {
  return Object.fromEntries(
    Object.entries(facts).map(([name, fact]) => [
      name,
      typeof fact === "string" ? fact.slice(0, maxText) : fact,
    ]),
  );
}
