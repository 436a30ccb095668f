import { exitCodes } from "../errors.ts";
import type { GatewayConfig } from "../gateway/config/config.ts";
import { problemText } from "../gateway/config/problems.ts";
import { demoConfig } from "../gateway/demo/demo-config.ts";
import { startDemo } from "../gateway/demo/demo-server.ts";
import { startGateway } from "../gateway/start-gateway.ts";
import { defaultLimits } from "../options.ts";
import { serverDefaults } from "../server/conversion-api.ts";
import { faultFacts } from "../server/fault.ts";
import { jsonLog } from "../server/log.ts";
import { type AddCommand, examples, type Session } from "./command-line.ts";
import { type ConfigRequest, configFile, openConfig } from "./config-file.ts";
import { printable } from "./escape.ts";
import { addAdapters, addLimits } from "./options.ts";
import { addServerFlags, flagOverrides } from "./server-flags.ts";

interface Flags {
  readonly config?: string;
  readonly adapter?: readonly string[];
}

export const addServe: AddCommand = (program, session) => {
  const command = program
    .command("serve")
    .summary("Put the gateway between platforms: tool calls and conversions over HTTP.")
    .description(
      "Serves the tools of a configuration and the conversions until it is told to stop. Without a configuration it\n" +
        "serves three tools of its own, to try it. `GET /` lists the paths. The log goes to standard error.",
    )
    .option("--config <file>", "Configuration, YAML or JSON; `trg config init` writes one to begin with.");
  addAdapters(command);
  addServerFlags(command);
  addLimits(command, { ...defaultLimits, ...serverDefaults.limits });
  command
    .addHelpText("after", examples("trg serve", "trg serve --config trg.yaml", "trg serve --port 0"))
    .action(({ config, adapter = [] }: Flags) =>
      serve(session, {
        file: configFile(session.io, config),
        adapters: adapter,
        flags: flagOverrides(command),
      }),
    );
};

async function serve(session: Session, request: ConfigRequest): Promise<void> {
  if (request.file !== undefined) return serveConfig(session, request);
  const demo = await startDemo();
  try {
    await serveConfig(session, { ...request, text: JSON.stringify(demoConfig(demo.url)) });
  } finally {
    await demo.close();
  }
}

async function serveConfig(session: Session, request: ConfigRequest): Promise<void> {
  const { io, version, exit } = session;
  const loaded = await openConfig(session, request);
  for (const warning of loaded.warnings) {
    await io.stderr.write(`trg: warning: ${printable(problemText(warning))}\n`);
  }
  const log = jsonLog((line) => void io.stderr.write(line), loaded.config.server.logLevel);
  const stopped = io.untilStopped();
  const gateway = await startGateway(loaded, { log, version });
  await io.stdout.write(greeting(gateway.url, loaded.config));
  const crash = await stopped;
  if (crash !== undefined) {
    // In a state that nobody knows nothing new is begun; what is in flight may still end well.
    log.write("error", "crashed", faultFacts(crash));
    exit(exitCodes.failed);
  }
  await gateway.stop();
}

function greeting(url: string, { routes }: GatewayConfig): string {
  const [route] = routes;
  const json = "-H 'Content-Type: application/json'";
  const conversion =
    `  curl ${json} '${url}/v1/convert?from=dify&to=strands' \\\n` +
    `    -d '[{"type": "text", "message": {"text": "sunny"}}]'\n`;
  const call =
    route === undefined
      ? ""
      : `  curl ${json} '${url}/tools/${route.name}?call=arguments' \\\n    -d '{"city": "Oslo"}'\n`;
  const tools = routes.map(({ name }) => name).join(", ");
  return `Listening on ${url}\n${tools === "" ? "" : `Tools: ${tools}\n`}\nTry:\n${call}${conversion}`;
}
