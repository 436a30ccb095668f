import { constants } from "node:os";
import { isatty } from "node:tty";
import { BrokenPipe, type Io, type Output } from "./io.ts";
import { createFile, fileExists, fileFailed, openFile, removeUnfinished } from "./node-files.ts";

const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
type StopSignal = (typeof stopSignals)[number];

/** The io of this process. Takes over the signals that ask it to stop. */
export function nodeIo(): Io {
  const signals = takeSignals();
  return {
    stdin: Object.assign(readStdin(), { isTerminal: isatty(0) }),
    stdout: output(process.stdout, "standard output"),
    stderr: unfailing(output(process.stderr, "standard error")),
    environment: process.env,
    workingDirectory: process.cwd(),
    open: openFile,
    exists: fileExists,
    create: createFile,
    now: () => performance.now(),
    untilStopped: signals.untilStopped,
  };
}

function takeSignals(): Pick<Io, "untilStopped"> {
  let onFirst: ((crash?: unknown) => void) | undefined;
  for (const signal of stopSignals) {
    process.on(signal, () => {
      if (onFirst === undefined) exitBySignal(signal);
      onFirst?.();
      onFirst = undefined;
    });
  }
  const untilStopped = () =>
    new Promise<unknown>((stop) => {
      onFirst = stop;
      // Without this listener such an error would end the process in the middle of what others asked of it.
      process.on("uncaughtException", (error) => stop(error));
    });
  return { untilStopped };
}

function exitBySignal(signal: StopSignal): never {
  removeUnfinished();
  process.exit(128 + constants.signals[signal]);
}

async function* readStdin(): AsyncGenerator<Uint8Array> {
  try {
    // Touching process.stdin opens it, so a command that does not read leaves it alone.
    yield* process.stdin as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw fileFailed("read", "standard input", error);
  }
}

function output(stream: NodeJS.WriteStream, name: string): Output {
  // Each write answers for itself; without a listener the event would end the process.
  stream.on("error", () => {});
  return {
    isTerminal: stream.isTTY === true,
    write: (text) =>
      new Promise((resolve, reject) => {
        // Waiting for each write also keeps memory flat when the reader is slow.
        stream.write(text, (error: NodeJS.ErrnoException | null | undefined) => {
          if (error === null || error === undefined) resolve();
          else reject(isBroken(error) ? new BrokenPipe() : fileFailed("write", name, error));
        });
      }),
  };
}

/** Windows says EOF where the reader of a pipe has gone. */
function isBroken({ code }: NodeJS.ErrnoException): boolean {
  return code === "EPIPE" || code === "EOF" || code === "ERR_STREAM_DESTROYED";
}

/** Messages that nobody reads any more are no reason to stop. */
function unfailing({ isTerminal, write }: Output): Output {
  return { isTerminal, write: (text) => write(text).catch(() => {}) };
}
