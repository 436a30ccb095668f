import type { MediaKind } from "./ir.ts";

/** MIME types that this project names, each with the usual extension of its files first. */
const fileExtensions: Readonly<Record<string, readonly [string, ...string[]]>> = {
  "image/png": ["png"],
  "image/jpeg": ["jpg", "jpeg"],
  "image/gif": ["gif"],
  "image/webp": ["webp"],
  "image/svg+xml": ["svg"],
  "image/bmp": ["bmp"],
  "image/tiff": ["tiff", "tif"],
  "image/avif": ["avif"],
  "audio/mpeg": ["mp3"],
  "audio/wav": ["wav"],
  "audio/ogg": ["ogg", "oga"],
  "audio/flac": ["flac"],
  "audio/aac": ["aac"],
  "audio/mp4": ["m4a"],
  "audio/webm": ["weba"],
  "audio/opus": ["opus"],
  "video/mp4": ["mp4"],
  "video/quicktime": ["mov"],
  "video/x-matroska": ["mkv"],
  "video/webm": ["webm"],
  "video/x-flv": ["flv"],
  "video/mpeg": ["mpeg", "mpg"],
  "video/x-ms-wmv": ["wmv"],
  "video/3gpp": ["3gp"],
  "text/plain": ["txt"],
  "text/markdown": ["md", "markdown"],
  "text/html": ["html", "htm"],
  "text/csv": ["csv"],
  "text/css": ["css"],
  "text/javascript": ["js", "mjs"],
  "application/json": ["json"],
  "application/xml": ["xml"],
  "application/yaml": ["yaml", "yml"],
  "application/pdf": ["pdf"],
  "application/msword": ["doc"],
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ["docx"],
  "application/vnd.ms-excel": ["xls"],
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ["xlsx"],
  "application/vnd.ms-powerpoint": ["ppt"],
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": ["pptx"],
  "application/vnd.oasis.opendocument.text": ["odt"],
  "application/zip": ["zip"],
  "application/gzip": ["gz"],
  "application/octet-stream": ["bin"],
};

const mediaTypes: ReadonlyMap<string, string> = new Map(
  Object.entries(fileExtensions).flatMap(([mediaType, names]) => names.map((name) => [name, mediaType])),
);

/** `type/subtype` in lower case without parameters; the common misspelling `image/jpg` as `image/jpeg` (R61). */
export function essence(mimeType: string): string {
  const [bare = ""] = mimeType.split(";", 1);
  const name = bare.trim().toLowerCase();
  return name === "image/jpg" ? "image/jpeg" : name;
}

/** The kind of media that a MIME type names; `file` where it is absent or anything else. */
export function mediaKindOf(mimeType: string | undefined): MediaKind {
  switch (mimeType === undefined ? "" : essence(mimeType).split("/", 1)[0]) {
    case "image":
      return "image";
    case "audio":
      return "audio";
    case "video":
      return "video";
    default:
      return "file";
  }
}

/** Types outside `text/` whose files are text all the same. */
const textTypes: ReadonlySet<string> = new Set([
  "application/json",
  "application/x-ndjson",
  "application/xml",
  "application/yaml",
  "application/x-yaml",
  "application/toml",
  "application/sql",
  "application/javascript",
]);

/** Whether files of this type are text; takes an `essence`. */
export function isTextType(mediaType: string): boolean {
  return (
    mediaType.startsWith("text/") ||
    mediaType.endsWith("+json") ||
    mediaType.endsWith("+xml") ||
    textTypes.has(mediaType)
  );
}

/** The usual file extension, without the dot, of an `essence`; `undefined` where none is known. */
export function fileExtensionOf(mediaType: string): string | undefined {
  return Object.hasOwn(fileExtensions, mediaType) ? fileExtensions[mediaType]?.[0] : undefined;
}

/** The MIME type that the extension of a file name says; `undefined` where it says none that is known. */
export function mediaTypeOfFileName(name: string): string | undefined {
  const dot = name.lastIndexOf(".");
  return dot < 0 ? undefined : mediaTypes.get(name.slice(dot + 1).toLowerCase());
}
