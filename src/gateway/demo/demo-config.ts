import { demoKey } from "./demo-server.ts";

/** What a configuration file would say to put the gateway in front of the demo's tools. */
export function demoConfig(url: string) {
  const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  const account = { type: "object", properties: { account: { type: "string" } }, required: ["account"] };
  return {
    upstreams: {
      "demo-dify": {
        kind: "dify-daemon",
        url,
        key: demoKey,
        tenant: "demo",
        plugin: "demo/weather",
        provider: "weather",
      },
      "demo-strands": { kind: "http", url: `${url}/strands` },
      "demo-watsonx": { kind: "http", url: `${url}/watsonx` },
    },
    routes: [
      {
        name: "weather",
        upstream: "demo-dify",
        from: "dify:sse",
        to: "strands",
        tool: { description: "The weather in Oslo or Lisbon, by a Dify plugin.", inputSchema: city },
      },
      {
        name: "forecast",
        upstream: "demo-strands",
        from: "strands",
        to: "watsonx",
        path: "/forecast",
        tool: { description: "Three days in Oslo or Lisbon, by a Strands tool.", inputSchema: city },
      },
      {
        name: "account",
        upstream: "demo-watsonx",
        from: "watsonx",
        to: "dify",
        path: "/account",
        tool: { description: "An account by its number, by a watsonx tool.", inputSchema: account },
      },
    ],
  };
}
