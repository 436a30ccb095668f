import type { Io } from "./io.ts";

/** Batches shorter than this show nothing, in milliseconds. */
const quietFor = 1000;
const redrawEvery = 200;
const barWidth = 24;
const eraseLine = "\r\u001b[K";

/** How far a long batch has come, on standard error. */
export interface Progress {
  /** Begins the next input; its size in bytes, where it is known, makes the bar. */
  begin(size: number | undefined): void;
  /** Counts, and redraws when it is time to. */
  advance(lines: number, bytes: number): Promise<void>;
  /** Takes the bar away, before something else is written or at the end. */
  clear(): Promise<void>;
}

/** Silent where standard error is no terminal, or where the result itself scrolls there. */
export function createProgress(io: Io, isResultShown: boolean): Progress {
  if (!io.stderr.isTerminal || isResultShown) return silent;
  const begun = io.now();
  let drawnAt = begun + quietFor - redrawEvery;
  let isShown = false;
  let lines = 0;
  let bytes = 0;
  let total: number | undefined;
  return {
    begin(size) {
      total = size;
      bytes = 0;
    },
    async advance(moreLines, moreBytes) {
      lines += moreLines;
      bytes += moreBytes;
      const now = io.now();
      if (now - drawnAt < redrawEvery) return;
      drawnAt = now;
      isShown = true;
      await io.stderr.write(
        `${eraseLine}${progressText({ lines, bytes, total, seconds: (now - begun) / 1000 })}`,
      );
    },
    async clear() {
      if (isShown) await io.stderr.write(eraseLine);
      isShown = false;
    },
  };
}

const silent: Progress = { begin: () => {}, advance: async () => {}, clear: async () => {} };

interface State {
  readonly lines: number;
  readonly bytes: number;
  readonly total: number | undefined;
  readonly seconds: number;
}

function progressText({ lines, bytes, total, seconds }: State): string {
  const share = total === undefined || total === 0 ? undefined : Math.min(bytes / total, 1);
  const bar =
    share === undefined
      ? []
      : [
          `[${"#".repeat(Math.round(share * barWidth)).padEnd(barWidth, ".")}]`,
          `${Math.floor(share * 100)} %`,
        ];
  const rate = Math.round(lines / seconds);
  return [...bar, `${lines} lines`, `${rate} lines/s`, `${(bytes / 1_000_000).toFixed(1)} MB`].join("  ");
}
