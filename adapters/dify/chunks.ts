import type { ParseContext } from "../../src/adapter.ts";
import { base64Length } from "../../src/platform/base64.ts";
import { Base64Aligner } from "../../src/platform/base64-aligner.ts";
import { platform } from "../../src/platform/index.ts";
import type { Pointer } from "../../src/pointer.ts";

/** Raw bytes of one slice: what the SDK cuts, and the most that the API and the daemon take (R64). */
export const sliceBytes = 8192;

/** Base64 characters of three slices: the shortest text that ends at both a slice and a group of base64. */
const windowLength = (sliceBytes * 3 * 4) / 3;

/** Cuts base64 into the base64 of slices of `sliceBytes`, without holding the bytes as a whole. */
export function* slicesOf(data: string): Generator<string> {
  for (let at = 0; at < data.length; at += windowLength) {
    const bytes = platform.decodeBase64(data.slice(at, at + windowLength));
    for (let start = 0; start < bytes.length; start += sliceBytes) {
      yield platform.encodeBase64(bytes.subarray(start, start + sliceBytes));
    }
  }
}

/** Joins base64 texts to the base64 of all their bytes. */
export class Base64Joiner {
  readonly #texts: string[] = [];
  readonly #aligner = new Base64Aligner();

  /** Takes padded standard base64. */
  push(data: string): void {
    this.#texts.push(this.#aligner.push(data));
  }

  /** The whole text. */
  end(): string {
    this.#texts.push(this.#aligner.finish());
    return this.#texts.join("");
  }
}

/** One chunk, its payload checked; `data` is padded standard base64. */
export interface Chunk {
  readonly id: string;
  /** Absent: a raw dictionary of a plugin may lack it. */
  readonly sequence: number | undefined;
  /** Announced raw bytes of the blob. */
  readonly total: number | undefined;
  readonly data: string;
  readonly end: boolean;
}

export interface Blob {
  readonly data: string;
  /** Where the first chunk stood (R20). */
  readonly pointer: Pointer;
}

interface OpenBlob {
  readonly pointer: Pointer;
  readonly total: number | undefined;
  readonly joiner: Base64Joiner;
  /** Chunks that came before their turn, by sequence. */
  readonly early: Map<number, string>;
  next: number;
  bytes: number;
  isSorted: boolean;
}

/** Puts the chunks of blobs together by id (R64). Memory follows the bytes received, never the announced length. */
export class BlobAssembler {
  readonly #context: Pick<ParseContext, "mode" | "lose" | "fail">;
  readonly #open = new Map<string, OpenBlob>();
  readonly #ended = new Set<string>();

  constructor(context: Pick<ParseContext, "mode" | "lose" | "fail">) {
    this.#context = context;
  }

  /** Ids of the blobs without their last chunk. */
  get openIds(): readonly string[] {
    return [...this.#open.keys()];
  }

  /** The blob that this chunk completes. */
  add(chunk: Chunk, place: Pointer): Blob | undefined {
    if (this.#ended.has(chunk.id)) this.#failSequence(place, "a chunk after the last one");
    const blob = this.#open.get(chunk.id) ?? this.#begin(chunk, place);
    if (chunk.total !== blob.total) {
      this.#context.fail("blob-length-mismatch", place, "the announced length changes");
    }
    blob.bytes += base64Length(chunk.data);
    if (blob.total !== undefined && blob.bytes > blob.total) {
      this.#context.fail("blob-length-mismatch", place, `more than the ${blob.total} announced bytes`);
    }
    this.#place(blob, chunk, place);
    return chunk.end ? this.#finish(chunk.id, blob, place) : undefined;
  }

  #begin(chunk: Chunk, place: Pointer): OpenBlob {
    const blob = {
      pointer: place,
      total: chunk.total,
      joiner: new Base64Joiner(),
      early: new Map<number, string>(),
      next: 0,
      bytes: 0,
      isSorted: true,
    };
    this.#open.set(chunk.id, blob);
    return blob;
  }

  #place(blob: OpenBlob, { sequence, data }: Chunk, place: Pointer): void {
    const isStrict = this.#context.mode === "strict";
    if (sequence === undefined && isStrict) this.#failSequence(place, "a chunk without a sequence");
    const at = sequence ?? blob.next;
    if (at < blob.next || blob.early.has(at)) this.#failSequence(place, `chunk ${at} comes twice`);
    if (at > blob.next) {
      if (isStrict) this.#failSequence(place, `chunk ${at} comes where ${blob.next} is expected`);
      blob.isSorted = false;
      blob.early.set(at, data);
      return;
    }
    blob.joiner.push(data);
    blob.next += 1;
    for (let early = blob.early.get(blob.next); early !== undefined; early = blob.early.get(blob.next)) {
      blob.early.delete(blob.next);
      blob.joiner.push(early);
      blob.next += 1;
    }
  }

  #finish(id: string, blob: OpenBlob, place: Pointer): Blob {
    if (blob.early.size > 0) this.#failSequence(place, `chunk ${blob.next} is missing`);
    this.#open.delete(id);
    this.#ended.add(id);
    if (!blob.isSorted)
      this.#context.lose("chunks-sorted", blob.pointer, "put in the order of their sequence");
    if (blob.total !== undefined && blob.bytes < blob.total) {
      const detail = `${blob.bytes} bytes of ${blob.total} announced`;
      if (this.#context.mode === "strict") this.#context.fail("blob-length-mismatch", place, detail);
      this.#context.lose("length-mismatch", blob.pointer, detail);
    }
    return { data: blob.joiner.end(), pointer: blob.pointer };
  }

  #failSequence(place: Pointer, detail: string): never {
    return this.#context.fail("blob-out-of-sequence", place, detail);
  }
}
