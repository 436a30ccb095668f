import { carryKey, markKey, type RenderContext } from "../../src/adapter.ts";
import type { LinkPart, MediaPart } from "../../src/ir.ts";
import type { JsonObject } from "../../src/json/json-value.ts";
import { isObject, type Message, storedKeys, stringAt, without } from "./shapes.ts";

/** Message types that name nothing but a file which Dify stores. */
export const storedTypes: ReadonlySet<string> = new Set(["image_link", "binary_link", "file"]);

/** Whether a message names a file that Dify resolves with its own rights (R63). */
export function namesStoredFile({ type, message, meta }: Message): boolean {
  if (storedTypes.has(type)) return true;
  if (type !== "link" && type !== "image") return false;
  return (
    isStoredUrl(stringAt(message, "text") ?? "") ||
    (meta !== undefined && storedKeys.some((key) => Object.hasOwn(meta, key)))
  );
}

export function isStoredUrl(url: string): boolean {
  return url.startsWith("/files/");
}

export function isWebUrl(url: string): boolean {
  return /^https?:\/\//i.test(url);
}

/** What the result may say in Dify's own spelling: its own facts (R8), and references to stored files (R63). */
export interface Rights {
  readonly own: boolean;
  readonly stored: boolean;
}

export function rightsOf(context: RenderContext): Rights {
  const own = context.origin.format === "dify";
  return { own, stored: own && context.trusted };
}

/** `meta` without the keys that Dify resolves and, from another format, without those that are ours. */
export function safeMeta(meta: JsonObject, rights: Rights): JsonObject {
  if (rights.stored) return meta;
  return without(meta, rights.own ? storedKeys : [...storedKeys, markKey, carryKey]);
}

/** Words for a file that only its platform can open: its name, never its place (R54, R63). */
export function nameOfFile(part: MediaPart | LinkPart): string {
  if (part.type === "link") return part.name ?? lastSegment(part.url) ?? "file";
  return part.fileName ?? lastSegment(part.stored?.uri ?? "") ?? part.kind;
}

export function lastSegment(url: string): string | undefined {
  const [path = ""] = url.split(/[?#]/, 1);
  const segment = path.slice(path.lastIndexOf("/") + 1);
  return segment === "" ? undefined : segment;
}

/** Dify's file object has several places for an address; the first that is given. */
export function addressOf(file: JsonObject): string {
  for (const key of ["url", "remote_url", "reference", "related_id", "id"]) {
    const address = file[key];
    if (typeof address === "string" && address !== "") return address;
  }
  return "";
}

/** The file object of a `file` message. */
export function fileOf(meta: JsonObject | undefined): JsonObject | undefined {
  const file = meta?.file;
  return isObject(file) ? file : undefined;
}
