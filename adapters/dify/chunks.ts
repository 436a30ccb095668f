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

/** Takes the bytes of a blob piece by piece, as padded standard base64. */
export interface BlobBytes {
  push(data: string): void;
}

/** Joins base64 texts to the base64 of all their bytes. */
export class Base64Joiner implements BlobBytes {
  readonly #texts: string[] = [];
  readonly #aligner = new Base64Aligner();

  push(data: string): void {
    this.#texts.push(this.#aligner.push(data));
  }

  /** The whole text. */
  end(): string {
    this.#texts.push(this.#aligner.finish());
    return this.#texts.join("");
  }
}

/** Cuts bytes that come in pieces of any size into slices of `sliceBytes`. */
export class BlobSlicer implements BlobBytes {
  #rest: Uint8Array = new Uint8Array(0);
  #slices: string[] = [];

  push(data: string): void {
    if (this.#rest.length === 0 && base64Length(data) === sliceBytes) {
      this.#slices.push(data);
      return;
    }
    const bytes = platform.decodeBase64(data);
    const joined = new Uint8Array(this.#rest.length + bytes.length);
    joined.set(this.#rest);
    joined.set(bytes, this.#rest.length);
    let start = 0;
    for (; joined.length - start >= sliceBytes; start += sliceBytes) {
      this.#slices.push(platform.encodeBase64(joined.subarray(start, start + sliceBytes)));
    }
    this.#rest = joined.slice(start);
  }

  /** The slices that are complete since the last time. */
  take(): readonly string[] {
    const slices = this.#slices;
    this.#slices = [];
    return slices;
  }

  /** The last slices: what is left is one, too. */
  end(): readonly string[] {
    if (this.#rest.length > 0) this.#slices.push(platform.encodeBase64(this.#rest));
    this.#rest = new Uint8Array(0);
    return this.take();
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

/** The blob that a chunk belongs to. */
export interface Blob<Bytes> {
  /** Where its first chunk stood (R20). */
  readonly pointer: Pointer;
  /** What has taken its bytes so far. */
  readonly bytes: Bytes;
  /** Whether the chunk was its last one. */
  readonly isWhole: boolean;
}

interface OpenBlob<Bytes> {
  readonly pointer: Pointer;
  readonly total: number | undefined;
  readonly bytes: Bytes;
  /** Chunks that came before their turn, by sequence. */
  readonly early: Map<number, string>;
  next: number;
  length: number;
  isSorted: boolean;
}

/**
 * Puts the chunks of blobs together by id (R64), into whatever takes the bytes of one. Memory follows the bytes received,
 * never the announced length.
 */
export class BlobAssembler<Bytes extends BlobBytes> {
  readonly #context: Pick<ParseContext, "mode" | "lose" | "fail">;
  readonly #begin: (first: Chunk, place: Pointer) => Bytes;
  readonly #open = new Map<string, OpenBlob<Bytes>>();
  readonly #ended = new Set<string>();

  constructor(
    context: Pick<ParseContext, "mode" | "lose" | "fail">,
    begin: (first: Chunk, place: Pointer) => Bytes,
  ) {
    this.#context = context;
    this.#begin = begin;
  }

  /** Ids of the blobs without their last chunk. */
  get openIds(): readonly string[] {
    return [...this.#open.keys()];
  }

  add(chunk: Chunk, place: Pointer): Blob<Bytes> {
    if (this.#ended.has(chunk.id)) this.#failSequence(place, "a chunk after the last one");
    const blob = this.#open.get(chunk.id) ?? this.#opened(chunk, place);
    if (chunk.total !== blob.total) {
      this.#context.fail("blob-length-mismatch", place, "the announced length changes");
    }
    blob.length += base64Length(chunk.data);
    if (blob.total !== undefined && blob.length > blob.total) {
      this.#context.fail("blob-length-mismatch", place, `more than the ${blob.total} announced bytes`);
    }
    this.#place(blob, chunk, place);
    if (chunk.end) this.#finish(chunk.id, blob, place);
    return { pointer: blob.pointer, bytes: blob.bytes, isWhole: chunk.end };
  }

  #opened(chunk: Chunk, place: Pointer): OpenBlob<Bytes> {
    const blob = {
      pointer: place,
      total: chunk.total,
      bytes: this.#begin(chunk, place),
      early: new Map<number, string>(),
      next: 0,
      length: 0,
      isSorted: true,
    };
    this.#open.set(chunk.id, blob);
    return blob;
  }

  #place(blob: OpenBlob<Bytes>, { sequence, data }: Chunk, place: Pointer): void {
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
    blob.bytes.push(data);
    blob.next += 1;
    for (let early = blob.early.get(blob.next); early !== undefined; early = blob.early.get(blob.next)) {
      blob.early.delete(blob.next);
      blob.bytes.push(early);
      blob.next += 1;
    }
  }

  #finish(id: string, blob: OpenBlob<Bytes>, place: Pointer): void {
    if (blob.early.size > 0) this.#failSequence(place, `chunk ${blob.next} is missing`);
    this.#open.delete(id);
    this.#ended.add(id);
    if (!blob.isSorted)
      this.#context.lose("chunks-sorted", blob.pointer, "put in the order of their sequence");
    if (blob.total !== undefined && blob.length < blob.total) {
      const detail = `${blob.length} bytes of ${blob.total} announced`;
      if (this.#context.mode === "strict") this.#context.fail("blob-length-mismatch", place, detail);
      this.#context.lose("length-mismatch", blob.pointer, detail);
    }
  }

  #failSequence(place: Pointer, detail: string): never {
    return this.#context.fail("blob-out-of-sequence", place, detail);
  }
}
