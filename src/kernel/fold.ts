import type { Chunk } from "../adapter.ts";
import { ConversionError } from "../errors.ts";
import type { JsonObject, JsonValue } from "../json/json-value.ts";
import { stringify } from "../json/stringify.ts";
import type { Loss } from "../losses.ts";
import { base64Length, normaliseBase64 } from "../platform/base64.ts";
import { Base64Aligner } from "../platform/base64-aligner.ts";
import { type Pointer, pointer, rootPointer } from "../pointer.ts";
import { convertResult, piecesOf } from "./convert.ts";
import { DataPrinter } from "./prints.ts";
import { ReadSession } from "./read.ts";
import { resolveReading } from "./resolve.ts";
import {
  failedBy,
  type StreamRequest,
  type StreamSummary,
  type StreamWriter,
  streamSummaryOf,
} from "./stream-writer.ts";

/** From so many bytes of one file on, its bytes are passed on as they come instead of being held (R72). */
const streamThreshold = 1024 * 1024;

/** Characters of a passed-on file that are kept, for the renderings after it: enough for its type. */
const keptLength = 4096;

/** A file that is being passed on. */
interface OpenFile {
  readonly id: string;
  readonly totalLength: number;
  /** What follows the bytes in the output. */
  readonly suffix: string;
  readonly printer: DataPrinter;
  readonly aligner: Base64Aligner;
  /** Position of its item among the items. */
  readonly position: number;
  next: number;
  bytes: number;
}

/**
 * Holds the items and converts them at the end, exactly as the whole document would be. A large file whose chunks come
 * in one run is passed on chunk by chunk where the target can be written item by item; `status`, call id and carry then
 * follow the content (R72).
 */
export class Fold implements StreamWriter {
  readonly #request: StreamRequest;
  readonly #session: ReadSession;
  /** Every item so far; a file that was passed on stands as one item with the beginning of its bytes. */
  readonly #items: JsonValue[] = [];
  /** For each item its position in the source's own count, in which every chunk is one. */
  readonly #arrivals: number[] = [];
  #arrived = 0;
  readonly #open = new Map<string, { readonly first: number; bytes: number }>();
  readonly #prints = new Map<number, string>();
  #file: OpenFile | undefined;
  #written = 0;
  #canWrite: boolean;

  constructor(request: StreamRequest, session: ReadSession) {
    this.#request = request;
    this.#session = session;
    const { options, target } = request;
    // A policy that may refuse the losses must know them all before the first byte.
    this.#canWrite =
      target.dialect.contentPath !== undefined && options.mode !== "strict" && options.failOn === undefined;
  }

  /** Not inside a file, whose end nobody knows. */
  canClose(isSource: boolean): boolean {
    return (isSource || this.#written > 0) && this.#file === undefined;
  }

  *take(item: JsonValue): Generator<string, void> {
    const chunk = this.#chunkOf(item);
    this.#arrived += 1;
    if (this.#file !== undefined) {
      yield* this.#continueFile(item, chunk, this.#file);
      return;
    }
    this.#keep(item);
    if (chunk === undefined) return;
    const held = this.#open.get(chunk.id) ?? { first: this.#items.length - 1, bytes: 0 };
    held.bytes += base64Length(chunk.data);
    if (chunk.end) this.#open.delete(chunk.id);
    else this.#open.set(chunk.id, held);
    if (this.#canWrite && !chunk.end && held.bytes >= streamThreshold)
      yield* this.#beginFile(chunk, held.first);
  }

  *finish(fault?: ConversionError): Generator<string, StreamSummary> {
    if (this.#file !== undefined) {
      throw new ConversionError(
        "truncated",
        `the stream ended inside the file ${this.#file.id}, whose beginning is written`,
        {
          pointer: pointer(rootPointer, this.#file.position),
        },
      );
    }
    const { source, target, options, limits } = this.#request;
    const [reading, ...others] = this.#session.results(this.#items);
    if (reading === undefined) throw new ConversionError("result-not-found", "the stream holds no result");
    if (others.length > 0) {
      const ids = [reading, ...others].map(({ result }) => result.toolCallId);
      throw new ConversionError("many-results", `the stream holds ${ids.length} results`, { data: { ids } });
    }
    const isLate = this.#written > 0 && reading.carry !== undefined;
    // Content is written already, so a carry that comes after it can change nothing any more.
    const { carry: _, ...without } = reading;
    const resolved = resolveReading(isLate ? without : reading, source, this.#session, options, limits);
    const readLosses = isLate
      ? [
          ...this.#session.losses,
          {
            code: "carry-rejected" as const,
            pointer: rootPointer,
            detail: "it came after the content was written",
          },
        ]
      : this.#session.losses;
    const outcome = convertResult(
      { ...resolved, result: failedBy(fault, resolved.result) },
      {
        target,
        options,
        limits,
        position: 0,
        readLosses,
        ...(this.#written > 0 ? { written: this.#prints } : {}),
      },
    );
    if (this.#written > 0) yield this.#tail(outcome.document);
    else yield* piecesOf(outcome, target.dialect);
    const summary = streamSummaryOf(outcome, target.dialect);
    return { ...summary, losses: this.#inDocument(summary.losses) };
  }

  #inDocument(losses: readonly Loss[]): readonly Loss[] {
    return losses.map((loss) => ({ ...loss, pointer: this.#documentPlace(loss.pointer) }));
  }

  #keep(item: JsonValue): void {
    this.#items.push(item);
    this.#arrivals.push(this.#arrived - 1);
  }

  /** A pointer into the items as one into the document: every chunk of a file that was passed on counts there (R20). */
  #documentPlace(place: Pointer): Pointer {
    const [, first = "", ...rest] = place.split("/");
    const arrival = first === "" ? undefined : this.#arrivals[Number(first)];
    return arrival === undefined ? place : (`/${[arrival, ...rest].join("/")}` as Pointer);
  }

  /** The chunk of an item, its bytes in padded standard base64. */
  #chunkOf(item: JsonValue): Chunk | undefined {
    const chunk = this.#request.format.chunkOf(item);
    if (chunk === undefined) return undefined;
    const read = normaliseBase64(chunk.data);
    if (read !== undefined) return read.changed ? { ...chunk, data: read.data } : chunk;
    const position = this.#file?.position ?? this.#items.length;
    return this.#session.fail("invalid-base64", pointer(rootPointer, position), "expected base64");
  }

  /** Turns from holding to passing on, where the chunks of this file are the last items in one run. */
  *#beginFile(chunk: Chunk, first: number): Generator<string, void> {
    const { format, target } = this.#request;
    const chunks = this.#items.slice(first).map((item) => this.#chunkOf(item));
    const inOneRun = chunks.every((one, index) => one?.id === chunk.id && one.sequence === index);
    if (!inOneRun || this.#open.size > 1) return;
    const aligner = new Base64Aligner();
    const data = (chunks as Chunk[]).map((one) => aligner.push(one.data)).join("");
    const before = this.#items.slice(0, first);
    const rendered = this.#renderItems([...before, format.whole(chunk, data)]);
    const pieces = rendered.slice(this.#written).map((item) => stringify(item));
    const last = pieces.at(-1);
    const at = last === undefined ? -1 : last.indexOf(data);
    if (last === undefined || at === -1) {
      // This target writes the file otherwise (or not at all): then it has to be held.
      this.#canWrite = false;
      return;
    }
    const printer = new DataPrinter();
    printer.push(data);
    this.#open.delete(chunk.id);
    this.#items.splice(first, this.#items.length - first, format.whole(chunk, data.slice(0, keptLength)));
    this.#arrivals.length = this.#items.length;
    this.#file = {
      id: chunk.id,
      totalLength: chunk.totalLength,
      suffix: last.slice(at + data.length),
      printer,
      aligner,
      position: first,
      next: chunks.length,
      bytes: (chunks as Chunk[]).reduce((sum, one) => sum + base64Length(one.data), 0),
    };
    const opening = this.#written === 0 ? headOf(target.dialect.contentPath ?? []) : ",";
    yield opening + [...pieces.slice(0, -1), last.slice(0, at + data.length)].join(",");
    this.#written = rendered.length;
  }

  *#continueFile(item: JsonValue, chunk: Chunk | undefined, file: OpenFile): Generator<string, void> {
    if (chunk === undefined) {
      // What is content would have to stand before this file, which is written already.
      if (this.#request.format.isContent(item)) this.#outOfOrder(file, "a message");
      this.#keep(item);
      return;
    }
    if (chunk.id !== file.id) this.#outOfOrder(file, "a chunk of another file");
    const place = pointer(rootPointer, file.position);
    if (chunk.sequence !== file.next) {
      throw new ConversionError("blob-out-of-sequence", `the file ${file.id}: expected chunk ${file.next}`, {
        pointer: place,
      });
    }
    file.next += 1;
    file.bytes += base64Length(chunk.data);
    if (file.bytes > file.totalLength) {
      throw new ConversionError("blob-length-mismatch", `the file ${file.id} has more bytes than announced`, {
        pointer: place,
      });
    }
    const data = file.aligner.push(chunk.data) + (chunk.end ? file.aligner.finish() : "");
    file.printer.push(data);
    if (!chunk.end) {
      if (data !== "") yield data;
      return;
    }
    this.#closeFile(file, place);
    yield data + file.suffix;
  }

  #closeFile(file: OpenFile, place: Pointer): void {
    if (file.bytes < file.totalLength) {
      this.#session.losses.push({
        code: "length-mismatch",
        pointer: place,
        detail: `${file.bytes} of ${file.totalLength} bytes`,
      });
    }
    this.#prints.set(this.#written - 1, file.printer.finish());
    this.#file = undefined;
  }

  #outOfOrder(file: OpenFile, what: string): never {
    throw new ConversionError(
      "stream-not-sequential",
      `${what} came between the chunks of the file ${file.id}`,
      {
        pointer: pointer(rootPointer, file.position),
      },
    );
  }

  /** The content items that the target writes for these items of the source. */
  #renderItems(items: readonly JsonValue[]): readonly JsonValue[] {
    const { source, target, options, limits } = this.#request;
    const session = new ReadSession(source.adapter, source.dialect, limits, "lenient");
    const reading = session.results(items)[0];
    if (reading === undefined) return [];
    const resolved = resolveReading(reading, source, session, options, limits);
    // Only the content is wanted; structured content and the error text may still change.
    const { structuredContent: _, error: __, status: ___, ...rest } = resolved.result;
    const { document } = convertResult(
      { ...resolved, result: rest },
      {
        target,
        options: { ...options, carry: "off" },
        limits,
        position: 0,
        readLosses: [],
        written: this.#prints,
      },
    );
    return itemsAt(document, target.dialect.contentPath ?? []);
  }

  #tail(document: JsonValue): string {
    const path = this.#request.target.dialect.contentPath ?? [];
    const rest = itemsAt(document, path)
      .slice(this.#written)
      .map((item) => stringify(item));
    return rest.map((text) => `,${text}`).join("") + tailOf(document as JsonObject, path);
  }
}

function itemsAt(document: JsonValue, path: readonly string[]): readonly JsonValue[] {
  let value: JsonValue = document;
  for (const key of path) value = (value as JsonObject)[key] as JsonValue;
  return value as readonly JsonValue[];
}

/** `{"toolResult":{"content":[` for the path `toolResult`, `content`. */
function headOf(path: readonly string[]): string {
  return `${path.map((key) => `{${JSON.stringify(key)}:`).join("")}[`;
}

/** What closes the list of items, with every other member of the objects around it. */
function tailOf(document: JsonObject, path: readonly string[]): string {
  const objects: JsonObject[] = [];
  let value: JsonValue = document;
  for (const key of path) {
    objects.push(value as JsonObject);
    value = (value as JsonObject)[key] as JsonValue;
  }
  const closing = objects.map((object, depth) => {
    const members = Object.entries(object).filter(([key]) => key !== path[depth]);
    return `${members.map(([key, member]) => `,${JSON.stringify(key)}:${stringify(member)}`).join("")}}`;
  });
  return `]${closing.reverse().join("")}`;
}
