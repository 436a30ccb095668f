import type { MediaKind } from "../../src/ir.ts";
import { essence } from "../../src/media-type.ts";
import type { DialectId, MediaType } from "./wire.ts";

/**
 * MIME types by the name that Strands gives the format. Per MIME type the first name is the one to write; names that
 * both SDKs know are kept apart (`mpg` and `mpeg`), other spellings of one name are in `spellings`.
 * From `toMimeType` of @strands-agents/sdk 1.19.0 and the literal types of strands-agents 1.62.0.
 */
const mimeTypes: Readonly<Record<MediaType, ReadonlyMap<string, string>>> = {
  image: new Map([
    ["png", "image/png"],
    ["jpeg", "image/jpeg"],
    ["gif", "image/gif"],
    ["webp", "image/webp"],
  ]),
  document: new Map([
    ["pdf", "application/pdf"],
    ["csv", "text/csv"],
    ["doc", "application/msword"],
    ["docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
    ["xls", "application/vnd.ms-excel"],
    ["xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
    ["html", "text/html"],
    ["txt", "text/plain"],
    ["md", "text/markdown"],
    ["json", "application/json"],
    ["xml", "application/xml"],
  ]),
  video: new Map([
    ["mkv", "video/x-matroska"],
    ["mov", "video/quicktime"],
    ["mp4", "video/mp4"],
    ["webm", "video/webm"],
    ["flv", "video/x-flv"],
    ["mpeg", "video/mpeg"],
    ["mpg", "video/mpeg"],
    ["wmv", "video/x-ms-wmv"],
    ["three_gp", "video/3gpp"],
  ]),
  audio: new Map([
    ["mp3", "audio/mpeg"],
    ["mpeg", "audio/mpeg"],
    ["mpga", "audio/mpeg"],
    ["wav", "audio/wav"],
    ["ogg", "audio/ogg"],
    ["flac", "audio/flac"],
    ["aac", "audio/aac"],
    ["x-aac", "audio/aac"],
    ["mp4", "audio/mp4"],
    ["m4a", "audio/mp4"],
    ["opus", "audio/opus"],
    ["webm", "audio/webm"],
    ["mka", "audio/x-matroska"],
    ["mkv", "audio/x-matroska"],
  ]),
};

const spellings: ReadonlyMap<string, string> = new Map([
  ["jpg", "jpeg"],
  ["3gp", "three_gp"],
]);

/** TypeScript only, and refused by Bedrock: read, but never chosen for a file of another format. */
const notChosen: ReadonlySet<string> = new Set(["json", "xml"]);

/** The block type and format that a file gets by its MIME type. */
export interface MediaForm {
  readonly type: MediaType;
  readonly format: string;
}

/** The one spelling of a format name; a name that nobody knows stays as it is. */
export function formatName(type: MediaType, name: string): string {
  const lower = name.toLowerCase();
  const known = spellings.get(lower) ?? lower;
  return mimeTypes[type].has(known) ? known : name;
}

/** The name as a dialect spells it. */
export function spelledFormat(format: string, dialect: DialectId): string {
  return format === "three_gp" && dialect === "typescript" ? "3gp" : format;
}

export function mimeTypeOf(type: MediaType, format: string): string | undefined {
  return mimeTypes[type].get(format);
}

/** The format of a block of this type whose file has the MIME type. */
export function formatOfMimeType(type: MediaType, mimeType: string | undefined): string | undefined {
  if (mimeType === undefined) return undefined;
  const wanted = essence(mimeType);
  return [...mimeTypes[type]].find(([, known]) => known === wanted)?.[0];
}

/** The block for a file, by its MIME type; undefined where Strands has none, and always for audio. */
export function mediaFormOf(kind: MediaKind, mimeType: string | undefined): MediaForm | undefined {
  for (const type of ["image", "document", "video"] as const) {
    const format = kind === "file" || kind === type ? formatOfMimeType(type, mimeType) : undefined;
    if (format !== undefined) return notChosen.has(format) ? undefined : { type, format };
  }
  return undefined;
}

/** The part's kind for a block type. */
export function kindOf(type: MediaType): MediaKind {
  return type === "document" ? "file" : type;
}
