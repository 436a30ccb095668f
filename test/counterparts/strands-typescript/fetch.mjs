// Calls tools of the gateway as a user of the TypeScript SDK does, and tells what the SDK makes of each result.
// Reads {"url", "tools", "input"}; prints [{"tool", "received", "givenBack"}], both as JSON text.
import { createRequire } from "node:module";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const installed = createRequire(join(process.env.STRANDS_TYPESCRIPT, "package.json"));
const sdk = await import(pathToFileURL(installed.resolve("@strands-agents/sdk")).href);

const { url, tools, input } = JSON.parse(await text(process.stdin));
const told = [];
for (const tool of tools) {
  const call = new sdk.ToolUseBlock({ name: tool, toolUseId: `tooluse_${tool}`, input });
  const response = await fetch(`${url}/tools/${tool}?to=strands:typescript`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(call),
  });
  const received = await response.text();
  if (!response.ok) throw new Error(`${tool}: ${response.status} ${received}`);
  const block = sdk.ToolResultBlock.fromJSON(JSON.parse(received));
  told.push({ tool, received, givenBack: JSON.stringify(block) });
}
process.stdout.write(JSON.stringify(told));
