// Peak memory of `trg convert` above an idle `trg`: a 50 MB document, and 200 MB event streams of Dify with one file and
// with texts.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const bin = fileURLToPath(new URL("../../dist/src/bin.js", import.meta.url));
// The process itself tells its peak when it ends, on every system.
const tellPeak =
  'data:text/javascript,process.on("exit",()=>process.stderr.write("\\npeak "+process.resourceUsage().maxRSS))';

async function run(parameters, feed) {
  const begun = Date.now();
  const child = spawn(process.execPath, ["--import", tellPeak, bin, ...parameters], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  let written = 0;
  let told = "";
  child.stdout.on("data", (chunk) => {
    written += chunk.length;
  });
  child.stderr.on("data", (chunk) => {
    told += chunk;
  });
  const ended = once(child, "close");
  for (const piece of feed()) if (!child.stdin.write(piece)) await once(child.stdin, "drain");
  child.stdin.end();
  const [status] = await ended;
  const peak = Number(/peak (\d+)/.exec(told)?.[1]) / 1024;
  return { status, written: written / 1e6, peak, seconds: (Date.now() - begun) / 1000 };
}

const frame = (data) => `data: ${JSON.stringify({ code: 0, message: "success", data })}\n\n`;

function* stream() {
  yield frame({ type: "text", message: { text: "before" } });
  const slice = Buffer.alloc(8192, 7);
  const count = Math.ceil(150e6 / slice.length);
  const meta = { mime_type: "image/png", filename: "map.png" };
  const chunk = (sequence, blob, end) => ({
    type: "blob_chunk",
    message: { id: "f", sequence, total_length: count * slice.length, blob, end },
    meta,
  });
  for (let sequence = 0; sequence < count; sequence += 1) {
    if (sequence === 0) Buffer.from("89504e470d0a1a0a", "hex").copy(slice);
    else slice.writeUInt32LE(sequence, 0);
    yield frame(chunk(sequence, slice.toString("base64"), false));
  }
  yield frame(chunk(count, "", true));
}

/** As many parts as one result may have, and log entries between them. */
function* texts() {
  const text = "word ".repeat(2000);
  for (let index = 0; index < 9990; index += 1) {
    yield frame({ type: "text", message: { text } });
    yield frame({ type: "log", message: { id: `${index}`, label: text, status: "success", data: {} } });
  }
}

function* document() {
  yield '{"content":[{"type":"text","text":"rows"}],"structuredContent":{"rows":[';
  for (let index = 0; index < 500_000; index += 1) {
    yield `${index === 0 ? "" : ","}{"id":${index},"name":"record ${index}","score":${index / 4},"tags":["alpha","beta"],"note":"plain words"}`;
  }
  yield "]}}";
}

const idle = await run(["--version"], () => []);
process.stdout.write(`Node ${process.version}; an idle trg has ${idle.peak.toFixed(0)} MB\n\n`);
process.stdout.write(
  "| input | to | status | written MB | peak above idle MB | goal | seconds |\n|---|---|--:|--:|--:|--:|--:|\n",
);
for (const [name, feed, from, to, goal] of [
  ["200 MB event stream", stream, "dify:sse", "strands", "< 150"],
  ["200 MB event stream", stream, "dify:sse", "watsonx", "< 150"],
  ["200 MB event stream", stream, "dify:sse", "dify:sse", "< 150"],
  ["200 MB event stream", stream, "dify:sse", "dify:ndjson", "< 150"],
  ["200 MB of texts", texts, "dify:sse", "dify:sse", "< 150"],
  ["50 MB document", document, "watsonx", "strands", "finishes"],
  ["50 MB document", document, "watsonx", "dify", "finishes"],
]) {
  const { status, written, peak, seconds } = await run(
    ["convert", "--from", from, "--to", to, "--losses", "none"],
    feed,
  );
  process.stdout.write(
    `| ${name} | ${to} | ${status} | ${written.toFixed(0)} | ${(peak - idle.peak).toFixed(0)} | ${goal} | ${seconds.toFixed(1)} |\n`,
  );
}
