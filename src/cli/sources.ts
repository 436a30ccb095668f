import { ConversionError, isConversionError } from "../errors.ts";
import type { JsonValue } from "../json/json-value.ts";
import { JsonReadError, readJson } from "../json/read-json.ts";
import { decodeText } from "../kernel/read.ts";
import { isBlank } from "../lines.ts";
import type { InputFile, Io } from "./io.ts";
import type { Place } from "./report.ts";

/** One input of a command. */
export interface Source extends InputFile {
  /** Names the file; empty for standard input. */
  readonly place: Place;
}

/** The inputs that the arguments of a command name, opened one after the other; none, or `-`, is standard input. */
export async function* openSources(io: Io, files: readonly string[]): AsyncGenerator<Source> {
  for (const file of files.length === 0 ? ["-"] : files) {
    if (file === "-") yield await standardInput(io);
    else yield await openFile(io, file);
  }
}

/** The whole of a payload. Throws `invalid-json` for an empty one. */
export async function readPayload(source: Source): Promise<Uint8Array> {
  const bytes = await readAll(source);
  const fault = emptyFault(bytes);
  if (fault !== undefined) throw fault;
  return bytes;
}

/** A payload as it comes. The iteration throws `invalid-json` at the end of an empty one. */
export async function* payloadChunks({ chunks }: Source): AsyncGenerator<Uint8Array> {
  let fault = emptyFault(new Uint8Array());
  for await (const chunk of chunks) {
    if (fault !== undefined) fault = emptyFault(chunk);
    yield chunk;
  }
  if (fault !== undefined) throw fault;
}

/** An empty input is a fault in every format: it almost always means that what should have written it failed. */
export function emptyFault(bytes: Uint8Array): ConversionError | undefined {
  return isBlank(bytes) ? new ConversionError("invalid-json", "the input is empty") : undefined;
}

/** All bytes of an input. */
export async function readAll({ chunks }: Source): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const chunk of chunks) pieces.push(chunk);
  return Buffer.concat(pieces);
}

/** The text of a file that is no tool result. Throws `invalid-utf8`. */
export async function readText(io: Io, path: string): Promise<string> {
  const source = await openFile(io, path);
  return namingSource(source, async () => decodeText(await readAll(source)));
}

/** The JSON document of a file that is no tool result. Throws `invalid-utf8` and `invalid-json`. */
export async function readJsonFile(io: Io, path: string): Promise<JsonValue> {
  const text = await readText(io, path);
  try {
    return readJson(text).value;
  } catch (error) {
    if (error instanceof JsonReadError) throw new ConversionError(error.code, `${path}: ${error.detail}`);
    throw error;
  }
}

/** Runs `work`, naming the file in the error that it throws; standard input has no name. */
export async function namingSource<Value>(
  { place: { file } }: Source,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!isConversionError(error) || file === undefined) throw error;
    const { code, pointer, data, message } = error;
    throw new ConversionError(code, `${file}: ${message}`, { pointer, data, cause: error });
  }
}

async function standardInput(io: Io): Promise<Source> {
  // Whoever forgot the file would wait without knowing for what.
  if (io.stdin.isTerminal) await io.stderr.write("trg: reading standard input\n");
  return { place: {}, size: undefined, chunks: io.stdin };
}

async function openFile(io: Io, file: string): Promise<Source> {
  return { place: { file }, ...(await io.open(file)) };
}
