import type { ToolAnswer, ToolAnswers } from "./prepared-tools.ts";

/** 16 bytes that begin as a PNG does. */
export const imageBase64 = "iVBORw0KGgoAAAANSUhEUg==";
export const pdfBase64 = "JVBERi0xLjQK";

/** What the prepared tools answer, each in the words of its own platform. */
export const answers = {
  "strands-blocks": strands("success", [
    { text: "Light rain in Osló 🌧" },
    { json: { celsius: 7.5, wind: null, hours: [1, true, "3"], station: {} } },
    { image: { format: "png", source: { bytes: imageBase64 } } },
    { document: { format: "pdf", name: "Forecast", source: { bytes: pdfBase64 } } },
  ]),
  "strands-texts": strands("success", [{ text: "Light rain" }, { text: "" }, { text: '{"celsius": 7}' }]),
  "strands-error": strands("error", [{ text: "city not found" }, { json: { asked: "Oslo" } }]),
  "watsonx-audience": {
    from: "watsonx",
    body: `{"content":[
      {"type":"text","text":"Account 1207 is active."},
      {"type":"text","text":"Your balance is 5,000.00.","annotations":{"audience":["user"]}}],
      "structuredContent":{"account":12345678901234567890,"balance":5000}}`,
  },
  "watsonx-media": {
    from: "watsonx",
    body: JSON.stringify({
      content: [
        { type: "text", text: '{"id":1}' },
        { type: "image", data: imageBase64, mimeType: "image/png" },
        { type: "resource_link", uri: "https://example.com/a.csv", name: "a.csv", mimeType: "text/csv" },
      ],
      structuredContent: { id: 1 },
    }),
  },
  "watsonx-error": {
    from: "watsonx",
    body: JSON.stringify({ content: [{ type: "text", text: "city not found" }], isError: true }),
  },
  "dify-messages": {
    from: "dify:sse",
    body: frames([
      { type: "text", message: { text: "Light rain in Oslo" } },
      { type: "json", message: { json_object: { celsius: 7, hours: [1, 2] } } },
      chunk(0, "iVBORw0KGgo=", false),
      chunk(1, "AAAADUlIRFI=", false),
      chunk(2, "", true),
      { type: "link", message: { text: "https://example.com/oslo" } },
      { type: "image", message: { text: "https://example.com/a.png" }, meta: { mime_type: "image/png" } },
      { type: "variable", message: { variable_name: "station", variable_value: "Blindern" } },
      {
        type: "log",
        message: { id: "log-1", label: "asked", status: "success", data: { tries: 1 } },
      },
      {
        type: "retriever_resources",
        message: {
          retriever_resources: [{ position: 1, document_name: "Almanac", content: "rain", score: 0.5 }],
          context: "rain",
        },
      },
    ]),
  },
  "dify-error": {
    from: "dify:sse",
    body: `${frames([{ type: "text", message: { text: "asking" } }])}${errorFrame("ValueError", "city not found")}`,
  },
} as const satisfies ToolAnswers;

export type AnswerName = keyof typeof answers;
export const answerNames = Object.keys(answers) as readonly AnswerName[];

/** The same payload with the id that a call gave it, where its format has a place for one. */
export function withCallId({ from, body }: ToolAnswer, toolUseId: string): string {
  return from === "strands" ? JSON.stringify({ toolUseId, ...JSON.parse(body) }) : body;
}

function strands(status: string, content: readonly object[]): ToolAnswer {
  return { from: "strands", body: JSON.stringify({ status, content }) };
}

function chunk(sequence: number, blob: string, end: boolean): object {
  return {
    type: "blob_chunk",
    message: { id: "image-1", sequence, total_length: 16, blob, end },
    meta: { mime_type: "image/png" },
  };
}

function frames(messages: readonly object[]): string {
  return messages.map((message) => frame(JSON.stringify(message))).join("");
}

/** One message as Dify's plugin daemon frames it (langgenius/dify-plugin-daemon, `pkg/entities/response.go`). */
export function frame(message: string): string {
  return `data: {"code":0,"message":"success","data":${message}}\n\n`;
}

/** The failure of a plugin as the daemon frames it: JSON in a string, twice. */
export function errorFrame(type: string, message: string, args: object = {}): string {
  const inner = JSON.stringify({ args, error_type: type, message });
  const outer = JSON.stringify({ message: inner, error_type: "PluginInvokeError", args: null });
  return `data: ${JSON.stringify({ code: -500, message: outer, data: null })}\n\n`;
}
