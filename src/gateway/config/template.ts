import { type ConfigSetting, connectionTable, serverTable } from "./settings-table.ts";

/** Where an editor finds the schema beside the configuration of a project that has this package. */
const schemaPath = "./node_modules/tool-result-gateway/src/gateway/config.schema.json";

/** A configuration to begin with: complete as it is, with every other setting as a comment. */
export function configTemplate(): string {
  return `# yaml-language-server: $schema=${schemaPath}
#
# The tool result gateway: who may call, which servers run the tools, and what each side expects.
#
#   trg config check trg.yaml             checks this file; with --connect also the servers it names
#   trg serve --config trg.yaml           serves it
#   trg config schema > trg.schema.json   writes the schema of the first line, for other places
#
# A text can come from outside: \${VAR}, \${VAR:-default}, \${file:/run/secrets/name}.
# A flag comes before an environment variable (TRG_PORT), this before this file, and the file before the default.

server:
  host: 127.0.0.1
  port: 8080
${settingLines(serverTable, "  ", ["host", "port"])}

# Callers show a key as \`Authorization: Bearer KEY\`. An address that others can reach is refused without one.
# \`openssl rand -hex 32\` makes one.
# auth:
#   keys:
#     - name: ops
#       key: \${OPS_KEY}

# Signs what travels with a result, so that stored files and user-only content come back through another platform.
# carryKey: \${CARRY_KEY}

upstreams:
  weather:
    kind: http
    url: http://127.0.0.1:9000
${settingLines(connectionTable, "    ", [])}

routes:
  # POST /tools/weather calls POST http://127.0.0.1:9000/weather and turns its answer into what the caller expects.
  - name: weather
    upstream: weather
    path: /weather
    # What the server answers, and what the caller gets: \`trg formats\` lists them.
    from: dify:sse
    to: strands
    # The request is a bare object of arguments instead of a call in the format of \`to\`.
    # call: arguments
    tool:
      description: The weather of a city.
      inputSchema:
        type: object
        properties:
          city: { type: string }
        required: [city]
    # A failure of the server as HTTP 502 or 504, instead of a result that says so to the agent.
    # upstreamErrors: problem
    # Options of the conversion, by the names of the library.
    # policy:
    #   mode: strict
`;
}

/** The settings of a table with their defaults, as comments. */
function settingLines(
  table: Readonly<Record<string, ConfigSetting<unknown>>>,
  indent: string,
  written: readonly string[],
): string {
  return Object.entries(table)
    .filter(([name]) => !written.includes(name))
    .flatMap(([name, { what, fallback }]) => [
      `${indent}# ${what}`,
      `${indent}# ${name}: ${typeof fallback === "string" ? fallback : JSON.stringify(fallback)}`,
    ])
    .join("\n");
}
