import { fingerprint } from "../../src/fingerprint.ts";
import { essence, mediaTypeOfFileName } from "../../src/media-type.ts";

/** What Bedrock takes as an id: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolResultBlock.html */
const bedrockId = /^[a-zA-Z0-9_.:-]{1,64}$/;

/**
 * The id itself where Bedrock takes it, else an alias that follows from it (R53). 128 bits, so that ids which differ
 * far behind their beginning do not meet.
 */
export function bedrockCallId(id: string): string {
  return bedrockId.test(id) ? id : `tooluse_${fingerprint(id)}${fingerprint([id])}`;
}

/** Letters, digits, `-`, round and square brackets, and single spaces between them. */
const bedrockName = /^[a-zA-Z0-9()[\]-]+(?: [a-zA-Z0-9()[\]-]+)*$/;
const longestName = 200;
/** Room for a number and for the digits that tell requests apart. */
const longestBase = 180;

/** Gives the documents of one result names that Bedrock takes, each another one (R54). */
export class DocumentNames {
  readonly #taken = new Set<string>();
  /** For each base the number to try next, so that many documents of one name stay cheap. */
  readonly #next = new Map<string, number>();
  readonly #callId: string | undefined;

  /** With the id of the call, names differ from those of other calls of the same request too. */
  constructor(callId: string | undefined) {
    this.#callId = callId;
  }

  /** Takes a name as it is, where Bedrock does and no other document has it; answers whether. */
  take(name: string | undefined): name is string {
    if (name === undefined || name.length > longestName || !bedrockName.test(name) || this.#taken.has(name)) {
      return false;
    }
    this.#taken.add(name);
    return true;
  }

  /** The name for a file at this position of the content; an extension that says the MIME type is left out. */
  nameFor(fileName: string | undefined, mimeType: string | undefined, position: number): string {
    const base = baseName(fileName ?? "", mimeType);
    let name = base;
    for (let number = this.#next.get(base) ?? 2; this.#taken.has(name); number += 1) {
      name = `${base.slice(0, longestBase).trimEnd()} ${number}`;
      this.#next.set(base, number + 1);
    }
    this.#taken.add(name);
    if (this.#callId === undefined) return name;
    const digits = fingerprint([this.#callId, position]).slice(0, 6);
    return `${name.slice(0, longestBase + 12).trimEnd()} ${digits}`;
  }
}

/** Without folders, the extension and every character that Bedrock refuses. */
function baseName(fileName: string, mimeType: string | undefined): string {
  const file = fileName.split(/[/\\]/).at(-1) ?? "";
  const said = mediaTypeOfFileName(file);
  const isSaid = said !== undefined && mimeType !== undefined && said === essence(mimeType);
  const allowed = (isSaid ? file.slice(0, file.lastIndexOf(".")) : file)
    // Letters without their accents are better than gaps.
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-zA-Z0-9()[\]-]+/g, " ")
    .trim();
  return allowed === "" ? "document" : allowed.slice(0, longestName).trimEnd();
}
