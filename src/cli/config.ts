import { ConversionError } from "../errors.ts";
import { configJsonSchema } from "../gateway/config/schema.ts";
import { configTemplate } from "../gateway/config/template.ts";
import { type AddCommand, examples, type Session } from "./command-line.ts";
import { checkConfig } from "./config-check.ts";
import { configFile } from "./config-file.ts";
import { printable } from "./escape.ts";
import { addAdapters } from "./options.ts";
import { withSink } from "./sink.ts";

const defaultFile = "trg.yaml";

interface CheckFlags {
  readonly connect?: boolean;
  readonly adapter?: readonly string[];
}

export const addConfig: AddCommand = (program, session) => {
  const command = program
    .command("config")
    .summary("Begin, check and describe a configuration of the gateway.")
    .description("Begins, checks and describes a configuration for `trg serve --config FILE`.");
  command
    .command("init")
    .summary("Write a configuration to begin with.")
    .description("Writes a commented configuration that passes `trg config check` as it is.")
    .argument("[file]", "File to write, which must not exist yet; - is standard output.", defaultFile)
    .addHelpText("after", examples("trg config init", "trg config init - | less"))
    .action((file: string) => init(session, file));
  const check = command
    .command("check")
    .summary("Check a configuration.")
    .description(
      "Checks a configuration and writes its routes. Ends with 2 where something is wrong, after naming it all with\n" +
        "file, line and column, and with 4 where an upstream does not answer under --connect.",
    )
    .argument("[file]", `File to check; without it the one that TRG_CONFIG names, or ${defaultFile}.`)
    .option("--connect", "Also asks each upstream whether it answers; calls no tool.");
  addAdapters(check)
    .addHelpText("after", examples("trg config check", "trg config check trg.yaml --connect"))
    .action((file: string | undefined, { connect = false, adapter = [] }: CheckFlags) =>
      checkConfig(session, { file: configFile(session.io, file) ?? defaultFile, adapters: adapter, connect }),
    );
  command
    .command("schema")
    .summary("Write the JSON Schema of a configuration.")
    .description("Writes the JSON Schema of a configuration, for editors.")
    .addHelpText("after", examples("trg config schema > trg.schema.json"))
    .action(() => {
      const schema = configJsonSchema({ ...session.gateway, adapters: session.adapters });
      return session.io.stdout.write(`${JSON.stringify(schema, null, 2)}\n`);
    });
};

async function init({ io }: Session, file: string): Promise<void> {
  if (file !== "-" && (await io.exists(file))) {
    throw new ConversionError(
      "file-failed",
      `cannot write ${file}: it is there already, and is not replaced`,
    );
  }
  await withSink(io, file, (sink) => sink.write(configTemplate()));
  if (file !== "-")
    await io.stderr.write(`trg: wrote ${printable(file)}; next: trg config check ${printable(file)}\n`);
}
