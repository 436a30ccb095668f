import type { Limits } from "../options.ts";
import { defaultLimits } from "../options.ts";
import { createApp, serverDefaults } from "../server/app.ts";
import { listen } from "../server/listen.ts";
import { type AddCommand, examples, openConverter, type Session } from "./command-line.ts";
import { addAdapters, addLimits, givenLimits, readPort } from "./options.ts";

interface Flags {
  readonly port: number;
  readonly host: string;
  readonly adapter?: readonly string[];
}

export const addServe: AddCommand = (program, session) => {
  const command = program
    .command("serve")
    .summary("Convert over HTTP, on this machine.")
    .description(
      "Serves POST /v1/convert, POST /v1/detect, GET /v1/formats and GET /healthz until it is told to stop.",
    )
    .option("--port <number>", "Port; 0 takes a free one.", readPort, 8080)
    .option("--host <address>", "A loopback address: there is no authentication.", "127.0.0.1");
  addAdapters(command);
  addLimits(command, { ...defaultLimits, ...serverDefaults.limits });
  command
    .addHelpText("after", examples("trg serve", "trg serve --port 0 --adapter ./my-adapter.js"))
    .action((flags: Flags) => serve(session, flags, givenLimits(command)));
};

async function serve(
  session: Session,
  { port, host, adapter }: Flags,
  limits: Partial<Limits>,
): Promise<void> {
  const { io } = session;
  const converter = await openConverter(session, adapter);
  const stopped = io.untilStopped();
  const log = (line: string) => void io.stderr.write(`${line}\n`);
  const listener = await listen(createApp(converter, { limits, log }), { host, port });
  await io.stdout.write(
    `Listening on ${listener.url}\n\nTry:\n` +
      `  curl -H 'Content-Type: application/json' '${listener.url}/v1/convert?from=dify&to=strands' \\\n` +
      `    -d '[{"type": "text", "message": {"text": "sunny"}}]'\n`,
  );
  await stopped;
  await listener.stop();
}
