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
