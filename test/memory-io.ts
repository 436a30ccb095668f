import { BrokenPipe, type InputFile, type Io, type Output } from "../src/cli/io.ts";
import { ConversionError } from "../src/errors.ts";

export interface MemoryIo extends Io {
  readonly files: Map<string, string>;
  /** What was written so far. */
  readonly written: { stdout: string; stderr: string };
  /** Asks the program to stop. */
  stop(): void;
}

export interface MemoryWorld {
  readonly stdin?: string | readonly (string | Uint8Array)[];
  readonly files?: Readonly<Record<string, string>>;
  readonly terminal?: "stderr" | "both";
  readonly environment?: Io["environment"];
  readonly workingDirectory?: string;
  /** Milliseconds that the clock goes on with each look at it. */
  readonly tick?: number;
  /** Writes to standard output before its reader goes. */
  readonly pipeBreaksAfter?: number;
}

/** An io in memory, so that a transcript needs no process. */
export function memoryIo(world: MemoryWorld = {}): MemoryIo {
  const files = new Map(Object.entries(world.files ?? {}));
  const written = { stdout: "", stderr: "" };
  let time = 0;
  let writesLeft = world.pipeBreaksAfter ?? Number.POSITIVE_INFINITY;
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const output = (name: "stdout" | "stderr", isTerminal: boolean): Output => ({
    isTerminal,
    async write(text) {
      if (name === "stdout" && text !== "") writesLeft -= 1;
      if (writesLeft < 0 && name === "stdout") throw new BrokenPipe();
      written[name] += text;
    },
  });
  const input = typeof world.stdin === "string" ? [world.stdin] : (world.stdin ?? []);
  return {
    files,
    written,
    stop,
    stdin: Object.assign(chunksOf(input), { isTerminal: false }),
    stdout: output("stdout", world.terminal === "both"),
    stderr: output("stderr", world.terminal !== undefined),
    environment: world.environment ?? {},
    workingDirectory: world.workingDirectory ?? "/nowhere",
    async open(path): Promise<InputFile> {
      const text = files.get(path);
      if (text === undefined)
        throw new ConversionError("file-failed", `cannot read ${path}: no such file or folder`);
      return { size: Buffer.byteLength(text), chunks: chunksOf([text]) };
    },
    exists: async (path) => files.has(path),
    async create(path) {
      let text = "";
      return {
        write: async (more) => {
          text += more;
        },
        commit: async () => {
          files.set(path, text);
        },
        discard: async () => {},
      };
    },
    now: () => {
      time += world.tick ?? 0;
      return time;
    },
    untilStopped: () => stopped,
  };
}

async function* chunksOf(pieces: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield typeof piece === "string" ? Buffer.from(piece) : piece;
}
