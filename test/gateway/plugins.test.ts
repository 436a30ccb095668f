import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { adapters } from "../../adapters/index.ts";
import { loadPlugin } from "../../src/cli/plugins.ts";
import { builtInParts } from "../../src/gateway/built-in.ts";
import { loadConfig } from "../../src/gateway/config/load.ts";
import { type RunningGateway, startGateway } from "../../src/gateway/start-gateway.ts";
import type { UpstreamKind } from "../../src/gateway/upstream.ts";
import { KeptLog } from "../server/support.ts";
import { post } from "./support.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "trg-plugins-"));
  await symlink(join(root, "node_modules"), join(folder, "node_modules"), "junction");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function start(text: string, kinds: readonly UpstreamKind[], log: KeptLog): Promise<RunningGateway> {
  const { config, parts } = await loadConfig(text, {
    file: "trg.yaml",
    environment: { TRG_PORT: "0", TRG_DRAIN_DELAY: "0ms" },
    flags: [],
    readFile: () => Promise.reject(new Error("the test has no files")),
    parts: { ...builtInParts, kinds: [...builtInParts.kinds, ...kinds], adapters },
    importAdapters: () => Promise.reject(new Error("the test has no adapters")),
    importPlugin: (specifier) => loadPlugin(specifier, folder),
  });
  return startGateway({ config, parts }, { log, version: "1.2.3" });
}

test("the plugin of the documentation works as it stands there, configuration and all", async () => {
  const page = await readFile(join(root, "src", "gateway", "README.md"), "utf8");
  const [, module = ""] = /`clock\.mjs`:\n\n```js\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const [, configuration = ""] = /```yaml\n([\s\S]*?)^```$/m.exec(page) ?? [];
  await writeFile(join(folder, "clock.mjs"), module);
  const gateway = await start(configuration, [], new KeptLog());
  const answer = await post(`${gateway.url}/tools/year`, {});
  expect(await answer.json()).toMatchObject({
    content: [{ type: "text", text: String(new Date().getFullYear()) }],
  });
  await gateway.stop();
});

test("a plugin that throws is a fault of its own, told by kind and place, and the gateway lives on", async () => {
  const broken: UpstreamKind = {
    kind: "broken",
    settings: z.object({}),
    open: () => ({
      call: () => Promise.reject(new TypeError("CANARY")),
      check: async () => "",
      close: async () => {},
    }),
  };
  const log = new KeptLog();
  const text =
    "upstreams: { u: { kind: broken } }\nroutes: [{ name: t, upstream: u, from: strands, to: strands }]";
  const gateway = await start(text, [broken], log);
  const answer = await post(`${gateway.url}/tools/t?call=arguments`, {});
  expect(answer.status).toBe(200);
  expect(answer.headers.get("tool-result-status")).toBe("error;code=adapter-failed");
  expect(await answer.text()).not.toContain("CANARY");
  expect(log.of("/tools/:name")[0]?.facts).toMatchObject({ fault: "TypeError", code: "adapter-failed" });
  expect(JSON.stringify(log.lines)).not.toContain("CANARY");
  await gateway.stop();
});
