import { carryKey, type RenderContext } from "../../src/adapter.ts";
import type { LinkPart, MediaPart } from "../../src/ir.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { isObject, knownKeys, type Message, storedKeys, stringAt, without } from "./shapes.ts";

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

/** `meta` without the keys that Dify resolves, and without a carry that would be taken for ours. */
export function safeMeta(meta: JsonObject, rights: Rights): JsonObject {
  return rights.stored ? meta : without(meta, [...storedKeys, carryKey]);
}

/** Unknown keys of a message, the payload's under `message`; undefined where they may not be written (R63). */
export function safeExtra(extra: JsonObject, rights: Rights): JsonObject | undefined {
  if (rights.stored) return extra;
  const isRefused = !rights.own || couldNameFile(extra) || couldBePayload(extra.message);
  return isRefused ? undefined : extra;
}

/** Whether something of these facts of Dify's spelling is left out for what it could name (R63). */
export function isCut({ meta, extra }: JsonObject, rights: Rights): boolean {
  return (
    (isObject(meta) && safeMeta(meta, rights) !== meta) ||
    (isObject(extra) && safeExtra(extra, rights) === undefined)
  );
}

/** What any of Dify's programs looks a file up by; what it does with an unknown message is not known. */
const referenceKeys: readonly string[] = [...storedKeys, "upload_file_id"];

/** Whether a value could be taken for a reference to a stored file, at any depth. */
export function couldNameFile(value: JsonValue): boolean {
  const open: JsonValue[] = [value];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (typeof one === "string" && isStoredUrl(one)) return true;
    if (isObject(one) && referenceKeys.some((key) => Object.hasOwn(one, key))) return true;
    if (Array.isArray(one) || isObject(one)) for (const member of Object.values(one)) open.push(member);
  }
  return false;
}

const payloadKeys: ReadonlySet<string> = new Set(Object.values(knownKeys).flat());

/** Whether unknown keys have some that a reader takes for the payload, be it that of another type. */
function couldBePayload(extra: JsonValue | undefined): boolean {
  return isObject(extra) && Object.keys(extra).some((key) => payloadKeys.has(key));
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
