#!/usr/bin/env node
/** The program `trg`: the command line over the built-in adapters, in this process. */
import { createRequire } from "node:module";
import { adapters } from "../adapters/index.ts";
import { nodeIo } from "./cli/node-io.ts";
import { run } from "./cli/program.ts";
import { builtInParts } from "./gateway/built-in.ts";

// The package by its own name: the way is the same from the sources and from the build.
const { version } = createRequire(import.meta.url)("tool-result-gateway/package.json") as {
  readonly version: string;
};

process.exitCode = await run(process.argv.slice(2), nodeIo(), { adapters, gateway: builtInParts, version });
