import type { ItemRelay, ParseContext, RelayEnd } from "../../src/adapter.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { base64Length } from "../../src/platform/base64.ts";
import { type Pointer, rootPointer } from "../../src/pointer.ts";
import { isAgentItem } from "./agent.ts";
import { BlobAssembler, type BlobBytes, BlobSlicer, type Chunk } from "./chunks.ts";
import { isManifest } from "./frames.ts";
import { MessageReader, readChunk } from "./message-reader.ts";
import { isSuppressed, readingOf } from "./parse.ts";
import { isObject, type Message, stringAt } from "./shapes.ts";
import { ChunkWriter, chunksOf } from "./text.ts";
import { VariableNames } from "./variables.ts";
import { unwrap } from "./wire.ts";
import { isWorkflowItem } from "./workflow.ts";

/**
 * Messages, bare or in the envelope of the daemon, of a plugin line or of a line of `slim`, are passed on one by one;
 * what the events of a run or of an agent come to is known at their end only.
 */
export function relayOf(first: JsonValue, context: ParseContext): ItemRelay | undefined {
  if (!isObject(first) || isRun(first)) return undefined;
  const { event } = first;
  const isMessage = event === undefined ? !isManifest(first) : event === "session" || event === "chunk";
  return isMessage ? new MessageRelay(first, context) : undefined;
}

const isRun = (item: JsonObject): boolean => isAgentItem(item) || isWorkflowItem(item);

/**
 * Writes the messages of one call as they come, each in the one spelling and with everything checked that the fold
 * checks. Kept are names and ids, the pieces of a blob that make no slice yet, and the texts (R55).
 */
class MessageRelay implements ItemRelay {
  readonly #context: ParseContext;
  readonly #isSession: boolean;
  readonly #session: JsonValue | undefined;
  readonly #messages: MessageReader;
  readonly #names: VariableNames;
  readonly #blobs: BlobAssembler<BlobRelay>;
  readonly #texts: JoinedTexts;
  /** That of the result: as in the fold, a document without sessions as a whole. */
  #place: Pointer | undefined;
  #position = -1;
  #parts = 0;
  #hasAsides = false;
  #isEnded = false;

  constructor(first: JsonObject, context: ParseContext) {
    this.#context = context;
    this.#isSession = first.event === "session";
    this.#session = first.session_id;
    this.#messages = new MessageReader(context);
    this.#names = new VariableNames(context);
    this.#blobs = new BlobAssembler(context, (chunk) => new BlobRelay(chunk, this.#position));
    this.#texts = new JoinedTexts(context.limits.maxLineBytes);
  }

  get parts(): number {
    return this.#parts;
  }

  take(item: JsonValue, place: Pointer): readonly JsonObject[] {
    this.#position += 1;
    if (!isObject(item)) return this.#context.fail("invalid-payload", place, "expected an object");
    if (isRun(item)) {
      return this.#context.fail("invalid-payload", place, "an event of a run among the messages of a call");
    }
    const found = unwrap({ value: item, pointer: place }, this.#isSession, this.#context);
    switch (found.kind) {
      case "message":
        this.#checkCall(item, place);
        return this.#message(found.value, found.pointer);
      case "failure":
        this.#checkCall(item, place);
        this.#messages.fail(found.failure, found.pointer);
        return [];
      case "end":
        this.#checkCall(item, place);
        this.#isEnded = true;
        return [];
      case "cut":
        // A session says by its last line that it is complete.
        if (!this.#isSession) this.#messages.cut("a message");
        return [];
      case "nothing":
        return [];
    }
  }

  end(): RelayEnd {
    if (this.#isSession && !this.#isEnded) this.#messages.cut("the session");
    const { joined: text } = this.#texts;
    const place = this.#place ?? rootPointer;
    const message = { type: "text", message: { text } };
    const entries = text === "" ? [] : [{ known: true as const, message, pointer: place }];
    const ending = this.#messages.end(place, () => text, this.#blobs.openIds);
    const reading = readingOf({ pointer: place, entries, ...ending }, this.#context);
    return { reading, hasExtensions: this.#hasAsides };
  }

  /** There is one call: another one would be another result (R24). */
  #checkCall({ event, session_id: session }: JsonObject, place: Pointer): void {
    const isOther = this.#isSession ? session !== this.#session : event === "session";
    if (isOther) this.#context.fail("many-results", place, "messages of another session");
    this.#place ??= this.#isSession ? place : rootPointer;
  }

  #message(value: JsonObject, place: Pointer): readonly JsonObject[] {
    const read = this.#messages.read(value, place);
    if (read === undefined) return [];
    const { message } = read;
    if (!read.known) {
      this.#parts += 1;
      return [message];
    }
    switch (read.message.type) {
      case "blob_chunk":
        return this.#chunk(read.message, place);
      case "variable":
        this.#names.add(read.message, place);
        this.#hasAsides = true;
        return [message];
      case "log":
        this.#hasAsides = true;
        return [message];
      case "blob":
        this.#parts += 1;
        return [...chunksOf(read.message, this.#position)];
      default:
        if (isSuppressed(read.message)) this.#hasAsides = true;
        else this.#parts += 1;
        if (read.message.type === "text") this.#texts.add(stringAt(read.message.message, "text") ?? "");
        return [message];
    }
  }

  #chunk(message: Message, place: Pointer): readonly JsonObject[] {
    const { chunk, about } = readChunk(message, place, this.#context);
    const { bytes, isWhole } = this.#blobs.add(chunk, place);
    if (isWhole) this.#parts += 1;
    return bytes.chunks(about, isWhole);
  }
}

/** Writes one blob anew as it comes, in slices and under an id of its own (R64). */
class BlobRelay implements BlobBytes {
  readonly #position: number;
  readonly #slicer = new BlobSlicer();
  readonly #writer: ChunkWriter | undefined;

  constructor({ total }: Chunk, position: number) {
    this.#position = position;
    this.#writer = total === undefined ? undefined : new ChunkWriter(position, total);
  }

  push(data: string): void {
    this.#slicer.push(data);
  }

  /** The chunks to write now. Each has to say the length: where none was announced, it is known at the end. */
  chunks(about: Message, isWhole: boolean): readonly JsonObject[] {
    if (this.#writer === undefined && !isWhole) return [];
    const slices = isWhole ? this.#slicer.end() : this.#slicer.take();
    const total = slices.reduce((sum, slice) => sum + base64Length(slice), 0);
    const writer = this.#writer ?? new ChunkWriter(this.#position, total);
    const chunks = slices.map((slice) => writer.next(about, slice));
    return isWhole ? [...chunks, writer.last(about)] : chunks;
  }
}

/**
 * The texts of the content as an error repeats them. Of more than one line can hold, which no message of an error
 * repeats, nothing is kept.
 */
class JoinedTexts {
  readonly #maxLength: number;
  #text: string | undefined;
  #isTooLong = false;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  get joined(): string {
    return this.#text ?? "";
  }

  add(text: string): void {
    if (this.#isTooLong) return;
    this.#text = this.#text === undefined ? text : `${this.#text}\n${text}`;
    if (this.#text.length <= this.#maxLength) return;
    this.#isTooLong = true;
    this.#text = undefined;
  }
}
