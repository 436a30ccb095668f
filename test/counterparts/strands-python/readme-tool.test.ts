import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pythonOf } from "../environments.ts";
import { post, type Running, startGateway } from "../gateway.ts";
import { runScript } from "../script.ts";

/** The one Python example of the README, for the gateway as `npm start` runs it: with its demo tools. */
describe("the README's Strands tool", () => {
  let gateway: Running;
  let source: string;
  beforeAll(async () => {
    gateway = await startGateway();
    const readme = await readFile(new URL("../../../README.md", import.meta.url), "utf8");
    const [, example = ""] = /^```python\n(.*?)^```$/ms.exec(readme) ?? [];
    // Only the port differs here.
    source = example.replace("http://127.0.0.1:8080", gateway.url);
  });
  afterAll(() => gateway.stop());

  test("gives its agent the result that the gateway answers", async () => {
    const asked = { source, name: "weather", input: { city: "Oslo" } };
    const result = await runScript(pythonOf("strands-python"), "strands-python/run_tool.py", asked);
    const call = { toolUseId: "tooluse_weather", name: "weather", input: { city: "Oslo" } };
    const answer = await post(`${gateway.url}/tools/weather?to=strands`, JSON.stringify(call));
    expect(result).toEqual(JSON.parse(answer));
    expect(result).toMatchObject({ toolUseId: "tooluse_weather", status: "success" });
  });

  test("has ten lines at most", () => {
    expect(source.split("\n").filter((line) => line !== "").length).toBeLessThanOrEqual(10);
  });
});
