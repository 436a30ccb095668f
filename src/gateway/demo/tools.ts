/** The demo's tools, each in the spelling that its own platform would send. */

interface Weather {
  readonly sky: string;
  readonly celsius: number;
}

const weathers: ReadonlyMap<unknown, Weather> = new Map<unknown, Weather>([
  ["Oslo", { sky: "Light rain", celsius: 11 }],
  ["Lisbon", { sky: "Clear sky", celsius: 24 }],
]);

/** The first 16 bytes of a PNG, as a plugin sends a file: slices, then an empty end. */
const picture = ["iVBORw0KGgo=", "AAAADUlIRFI="];
const pictureBytes = 16;

/** Frames of the plugin daemon: progress, messages of several types, a picture in chunks; or an error. */
export function* weatherIn(city: unknown): Generator<unknown, void> {
  const weather = weathers.get(city);
  if (weather === undefined) {
    yield errorFrame("ValueError", "no weather for this city");
    return;
  }
  const { sky, celsius } = weather;
  const log = { id: "log-1", label: "Asking the weather station", data: { city } };
  yield frame("log", { ...log, status: "start" });
  yield frame("text", { text: `${sky} in ${city}` });
  for (const [sequence, blob] of [...picture, ""].entries()) {
    const end = sequence === picture.length;
    const chunk = { id: "picture", sequence, total_length: pictureBytes, blob, end };
    yield frame("blob_chunk", chunk, { mime_type: "image/png", filename: "sky.png" });
  }
  yield frame("variable", { variable_name: "celsius", variable_value: celsius, stream: false });
  yield frame("log", { ...log, status: "success" });
}

/** A `ToolResult` of the Python SDK. */
export function forecastIn(toolUseId: unknown, city: unknown): unknown {
  const weather = weathers.get(city);
  if (weather === undefined) {
    return { toolUseId, status: "error", content: [{ text: "Error: no forecast for this city" }] };
  }
  const { sky, celsius } = weather;
  const days = [celsius, celsius + 1, celsius - 1].map((value, index) => ({
    day: index + 1,
    celsius: value,
  }));
  return {
    toolUseId,
    status: "success",
    content: [{ text: `${sky}, then much the same.` }, { json: { days } }],
  };
}

/** The body of a tool of watsonx Orchestrate: one text for the model, one that only the user may see. */
export function account(number: unknown): unknown {
  return {
    content: [
      { type: "text", text: `Account ${number} is active.` },
      { type: "text", text: "Your balance is 5,000.00.", annotations: { audience: ["user"] } },
    ],
    structuredContent: { account: number, balance: 5000 },
  };
}

function frame(type: string, message: object, meta: object | null = null): unknown {
  return { code: 0, message: "success", data: { type, message, meta } };
}

/** An exception of a plugin: JSON in a string in JSON in a string. */
function errorFrame(type: string, text: string): unknown {
  const inner = { error_type: type, message: text, args: {} };
  const outer = { error_type: "PluginInvokeError", message: JSON.stringify(inner), args: null };
  return { code: -500, message: JSON.stringify(outer), data: null };
}
