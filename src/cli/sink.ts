import { printableLines } from "./escape.ts";
import type { Io, NewFile } from "./io.ts";

/** Where a command writes its result: a new file, which is there when it is complete, or standard output. */
export async function openSink(io: Io, path: string | undefined): Promise<NewFile> {
  if (path !== undefined && path !== "-") return io.create(path);
  const write = (text: string) => io.stdout.write(io.stdout.isTerminal ? printableLines(text) : text);
  return { write, commit: async () => {}, discard: async () => {} };
}

/** Runs `work` with a sink, and puts the file under its name only if `work` did not throw. */
export async function withSink<Value>(
  io: Io,
  path: string | undefined,
  work: (sink: NewFile) => Promise<Value>,
): Promise<Value> {
  const sink = await openSink(io, path);
  try {
    const value = await work(sink);
    await sink.commit();
    return value;
  } catch (error) {
    await sink.discard();
    throw error;
  }
}
