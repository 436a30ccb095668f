import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answerNames, answers, imageBase64, pdfBase64 } from "../answers.ts";
import { strandsTypeScript } from "../environments.ts";
import { callArguments, demoTools, type Running, startGateway } from "../gateway.ts";
import { preparedConfig, startPreparedTools } from "../prepared-tools.ts";
import { runScript } from "../script.ts";

interface Told {
  readonly tool: string;
  readonly received: string;
  readonly givenBack: string;
}

describe("@strands-agents/sdk", () => {
  const told = new Map<string, Told>();
  let running: readonly Running[];

  beforeAll(async () => {
    const tools = await startPreparedTools(answers);
    const gateway = await startGateway(preparedConfig(answers, tools));
    const demo = await startGateway();
    running = [demo, gateway, tools];
    for (const asked of [
      { url: gateway.url, tools: answerNames, input: callArguments },
      { url: demo.url, tools: demoTools, input: callArguments },
    ]) {
      const all = await runScript<Told[]>(strandsTypeScript.node, "strands-typescript/fetch.mjs", asked);
      for (const one of all) told.set(one.tool, one);
    }
  });

  afterAll(() => Promise.all(running.map((one) => one.stop())));

  test.for([...answerNames, ...demoTools])(
    "%s: fromJSON takes it and toJSON gives it back unchanged",
    (name) => {
      const { received, givenBack } = told.get(name) as Told;
      expect(JSON.parse(givenBack)).toEqual(JSON.parse(received));
    },
  );

  test("text, json, image and document are among them", () => {
    expect(JSON.parse(told.get("strands-blocks")?.received ?? "")).toEqual({
      toolResult: {
        toolUseId: "tooluse_strands-blocks",
        status: "success",
        content: [
          { text: "Light rain in Osló 🌧" },
          { json: { celsius: 7.5, wind: null, hours: [1, true, "3"], station: {} } },
          { image: { format: "png", source: { bytes: imageBase64 } } },
          { document: { format: "pdf", name: "Forecast", source: { bytes: pdfBase64 } } },
        ],
      },
    });
  });

  test.for(["strands-error", "watsonx-error", "dify-error"])("%s: the error is an error", (name) => {
    const { toolResult } = JSON.parse(told.get(name)?.givenBack ?? "");
    expect(toolResult).toMatchObject({ toolUseId: `tooluse_${name}`, status: "error" });
    expect(toolResult.content).toContainEqual({ text: "city not found" });
  });

  test("what is for the user only does not come", () => {
    expect(told.get("watsonx-audience")?.received).not.toContain("5,000.00");
  });
});
