import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canonical } from "../../../src/index.ts";
import { type AnswerName, answerNames, answers, withCallId } from "../answers.ts";
import { pythonOf } from "../environments.ts";
import { callId, callTool, type Running, startGateway } from "../gateway.ts";
import { preparedConfig, startPreparedTools, type ToolAnswer, type ToolAnswers } from "../prepared-tools.ts";
import { runScript } from "../script.ts";

interface Told {
  /** What the ADK sends for each result of the gateway: of its own class, and of a dictionary. */
  readonly taken: Readonly<
    Record<AnswerName | "account", { readonly class: string | null; readonly dictionary: string }>
  >;
  /** What it sends for results that were made with its own classes. */
  readonly made: Readonly<Record<Made, string>>;
}

type Made = "audience" | "widget" | "dumped" | "context" | "value" | "nan";

/** The ADK has a class for text blocks alone, and its result no place for `isError`. */
const ofText = ["watsonx-audience", "strands-texts"] as const;

describe("ibm-watsonx-orchestrate", () => {
  const running: Running[] = [];
  /** What the gateway answered in the format of watsonx. */
  const sent: Record<string, string> = {};
  let told: Told;
  /** The gateway in front of what the ADK sends. */
  let gateway: Running;

  const gatewayTo = async (prepared: ToolAnswers) => {
    const tools = await startPreparedTools(prepared);
    const started = await startGateway(preparedConfig(prepared, tools));
    running.push(started, tools);
    return started;
  };

  beforeAll(async () => {
    const first = await gatewayTo(answers);
    const demo = await startGateway();
    running.push(demo);
    sent.account = await callTool(demo, "account", "watsonx");
    for (const name of answerNames) sent[name] = await callTool(first, name, "watsonx");
    told = await runScript<Told>(pythonOf("watsonx"), "watsonx/results.py", sent);
    const made: Record<string, ToolAnswer> = {};
    for (const [name, body] of Object.entries(told.made)) made[name] = { from: "watsonx", body };
    for (const [name, forms] of Object.entries(told.taken)) {
      for (const [form, body] of Object.entries(forms)) {
        if (body !== null) made[`${name}-${form}`] = { from: "watsonx", body };
      }
    }
    gateway = await gatewayTo(made);
  });

  afterAll(() => Promise.all(running.map((one) => one.stop())));

  test.for([...ofText, "account"] as const)(
    "%s: the ADK's classes say again what the gateway sent",
    (name) => {
      const dump = JSON.parse(told.taken[name].class ?? "");
      // The class writes `null` for what was not there.
      const content = dump.content.map(({ annotations, ...block }: { annotations: object | null }) =>
        annotations === null ? block : { ...block, annotations },
      );
      expect({ ...dump, content }).toEqual(JSON.parse(sent[name] ?? ""));
    },
  );

  const ways = [
    ...ofText.map((name) => ({ name, form: "class" as const })),
    ...answerNames.map((name) => ({ name, form: "dictionary" as const })),
  ];
  test.for(ways)(
    "$name: through the ADK as a $form the tool's own payload comes back",
    async ({ name, form }) => {
      const { from } = answers[name];
      const back = await callTool(gateway, `${name}-${form}`, from);
      const original = withCallId(answers[name], callId);
      expect(canonical(back, { from })).toEqual(canonical(original, { from }));
    },
  );

  test("an audience of the ADK's classes keeps the model from what the user sees", async () => {
    const { content } = JSON.parse(await callTool(gateway, "audience", "strands"));
    expect(content).toEqual([{ text: "The balance was shown." }, { text: "Anything else?" }]);
  });

  test("an audience of the ADK's classes comes back to watsonx", async () => {
    expect(JSON.parse(await callTool(gateway, "audience", "watsonx&carry=off"))).toEqual({
      content: [
        { type: "text", text: "Your balance is 5,000.00.", annotations: { audience: ["user"] } },
        { type: "text", text: "The balance was shown.", annotations: { audience: ["assistant"] } },
        { type: "text", text: "Anything else?" },
      ],
      structuredContent: { balance: 5000 },
    });
  });

  test.for(["widget", "dumped"] as const)("%s: a form goes to watsonx as the ADK wrote it", async (name) => {
    const { _meta } = JSON.parse(await callTool(gateway, name, "watsonx&carry=off"));
    expect(_meta).toEqual(JSON.parse(told.made[name])._meta);
    expect(_meta["com.ibm.orchestrate/widget"]).toMatchObject({
      response_type: "forms",
      on_event: [
        { type: "tool", tool: "transfer", parameters: { from: "1207" }, map_input_to: "submit" },
        { type: "message", message: "Done." },
      ],
    });
  });

  test("a form that only the user sees is told to the model as one", async () => {
    const { content } = JSON.parse(await callTool(gateway, "widget", "strands"));
    expect(content).toEqual([{ text: expect.stringMatching(/^\[The tool returned .*\]$/) }]);
  });

  test("a value that a tool returns is data", async () => {
    expect(JSON.parse(await callTool(gateway, "value", "strands")).content).toEqual([
      { json: { celsius: 7, hours: [1, 2.5, null] } },
    ]);
  });

  test("a context update stays within watsonx", async () => {
    expect(JSON.parse(await callTool(gateway, "context", "watsonx")).context_updates).toEqual({
      account: "1207",
    });
    expect(JSON.parse(await callTool(gateway, "context", "strands")).content).toEqual([
      { text: "Account 1207 is chosen." },
    ]);
  });

  test("a NaN, which the ADK writes and JSON does not have, is an error in words", async () => {
    const { status, content } = JSON.parse(await callTool(gateway, "nan", "strands"));
    expect(status).toBe("error");
    expect(content).toHaveLength(1);
  });
});
