/** The bytes of a small PNG file's beginning, as base64. */
export const imageBase64 = "iVBORw0KGgoAAAANSUhEUg==";

const chunk = (sequence: number, blob: string, end: boolean) => ({
  type: "blob_chunk",
  message: { id: "b1", sequence, total_length: 16, blob, end },
  meta: { mime_type: "image/png" },
});

/** An event stream of Dify's plugin daemon: a text and an image in chunks, the last of them empty. */
export const chunkedImage = [
  { type: "text", message: { text: "sunny" }, meta: null },
  chunk(0, "iVBORw0KGgo=", false),
  chunk(1, "AAAADUlIRFI=", false),
  chunk(2, "", true),
]
  .map((data) => `data: ${JSON.stringify({ code: 0, message: "success", data })}\n\n`)
  .join("");

/** A frame of the plugin daemon. */
export const frame = (data: unknown): string =>
  `data: ${JSON.stringify({ code: 0, message: "success", data })}\n\n`;
export const text = (value: string): string => frame({ type: "text", message: { text: value }, meta: null });

/** Raw bytes of the slices that Dify's SDK cuts. */
export const sliceBytes = 8192;

export interface FileOptions {
  readonly id?: string;
  /** Chunks whose sequence is left out. */
  readonly skip?: ReadonlySet<number>;
  readonly announced?: number;
}

/** Chunks of a PNG of `slices` slices, without the end chunk; and the end chunk. */
export function file(
  slices: number,
  { id = "f", skip = new Set(), announced = slices * sliceBytes }: FileOptions = {},
) {
  const chunk = (sequence: number, blob: string, end: boolean): string =>
    frame({
      type: "blob_chunk",
      message: { id, sequence, total_length: announced, blob, end },
      meta: { mime_type: "image/png", filename: "map.png" },
    });
  const bytes = Buffer.alloc(sliceBytes, 7);
  const chunks = Array.from({ length: slices }, (_, sequence) => {
    bytes.writeUInt32LE(sequence, 100);
    if (sequence === 0) Buffer.from("89504e470d0a1a0a", "hex").copy(bytes);
    return skip.has(sequence) ? "" : chunk(sequence, bytes.toString("base64"), false);
  });
  return { chunks, end: chunk(slices, "", true), all: chunks.join("") + chunk(slices, "", true) };
}

/** Texts or bytes as a source of a stream. */
export async function* pieces(
  texts: readonly (string | Uint8Array)[],
): AsyncGenerator<string | Uint8Array, void> {
  yield* texts;
}

/** The bytes of a text, cut every `size` bytes. */
export function cutInto(whole: string, size: number): readonly Uint8Array[] {
  const bytes = Buffer.from(whole);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}
