import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canonical } from "../../../src/index.ts";
import { type AnswerName, answerNames, answers, imageBase64, pdfBase64, withCallId } from "../answers.ts";
import { pythonOf } from "../environments.ts";
import { post, type Running, startGateway } from "../gateway.ts";
import { preparedConfig, startPreparedTools } from "../prepared-tools.ts";
import { runScript } from "../script.ts";

interface Told {
  readonly tool: string;
  readonly received: string;
  readonly kept: string;
  readonly session: string;
}

describe("strands-agents", () => {
  const told = new Map<string, Told>();
  let tools: Running;
  let gateway: Running;

  beforeAll(async () => {
    tools = await startPreparedTools(answers);
    gateway = await startGateway(preparedConfig(answers, tools));
    const asked = { url: gateway.url, tools: answerNames };
    for (const one of await runScript<Told[]>(
      pythonOf("strands-python"),
      "strands-python/history.py",
      asked,
    )) {
      told.set(one.tool, one);
    }
  });

  afterAll(async () => {
    await gateway.stop();
    await tools.stop();
  });

  const of = (name: AnswerName) => told.get(name) as Told;

  test.for(answerNames)("%s: an agent keeps the result as the gateway sent it", (name) => {
    const { received, kept } = of(name);
    expect(JSON.parse(kept)).toEqual(JSON.parse(received));
  });

  test("text, json, image and document are among them", () => {
    expect(JSON.parse(of("strands-blocks").kept)).toMatchObject({
      toolUseId: "tooluse_strands-blocks",
      status: "success",
      content: [
        { text: "Light rain in Osló 🌧" },
        { json: { celsius: 7.5, wind: null, hours: [1, true, "3"], station: {} } },
        { image: { format: "png", source: { bytes: { __bytes_encoded__: true, data: imageBase64 } } } },
        { document: { format: "pdf", source: { bytes: { __bytes_encoded__: true, data: pdfBase64 } } } },
      ],
    });
  });

  test.for(["strands-error", "watsonx-error", "dify-error"] as const)("%s: the error is an error", (name) => {
    const { toolUseId, status, content } = JSON.parse(of(name).kept);
    expect({ toolUseId, status }).toEqual({ toolUseId: `tooluse_${name}`, status: "error" });
    expect(content).toContainEqual({ text: "city not found" });
  });

  test("what is for the user only does not reach the model", () => {
    expect(JSON.stringify(JSON.parse(of("watsonx-audience").kept).content)).not.toContain("5,000.00");
  });

  test.for(answerNames)("%s: the SDK's session file gives the tool's own payload back", async (name) => {
    const { from } = answers[name];
    const back = await post(`${gateway.url}/v1/convert?from=strands&to=${from}&carry=off`, of(name).session);
    const original = withCallId(answers[name], `tooluse_${name}`);
    expect(canonical(back, { from })).toEqual(canonical(original, { from }));
  });
});
