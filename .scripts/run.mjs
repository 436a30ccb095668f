// Runs one task of package.json in a fresh clone: installs and builds what is missing first.
// Needs nothing but Node and npm, uses no shell, and so does the same on Windows.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = ["src", "adapters", "conformance", "tsconfig.json", "package.json"];
const stamp = join(root, "dist", ".built");
const [task, ...rest] = process.argv.slice(2);

const tasks = {
  start: () => startServer(rest),
  test: () => vitest("run", "--config", "test/vitest.config.ts", ...rest),
  "test:deep": () => vitest("run", "--config", "test/vitest.deep.config.ts", ...rest),
  "test:counterparts": () => vitest("run", "--config", "test/vitest.counterparts.config.ts", ...rest),
  "test:chaos": () => chaos(),
  reference: () => import("./reference.mjs"),
  bench: () => bench(rest[0] ?? "convert"),
};

const chosen = Object.hasOwn(tasks, task ?? "") ? tasks[task] : undefined;
if (chosen === undefined) {
  process.stderr.write(`Unknown task. Known: ${Object.keys(tasks).join(", ")}\n`);
  process.exit(2);
}
installIfMissing();
buildIfStale();
await chosen();

/** npm writes its hidden lock file last, so an install that was broken off counts as missing too. */
function installIfMissing() {
  const modules = join(root, "node_modules");
  if (existsSync(join(modules, ".package-lock.json")) && existsSync(join(modules, "typescript"))) return;
  const npm = npmCommand();
  // Standard output may be read by a program (`npm start --silent | ...`), so npm talks to standard error.
  step(npm.file, [...npm.arguments, "ci", "--include=dev", "--no-audit", "--no-fund"], npm.shell);
}

/** npm's own program, run by this Node: `npm` alone is a `.cmd` file on Windows, which needs a shell. */
function npmCommand() {
  const beside = dirname(process.execPath);
  const candidates = [
    process.env.npm_execpath ?? "",
    join(beside, "node_modules", "npm", "bin", "npm-cli.js"),
    join(beside, "..", "lib", "node_modules", "npm", "bin", "npm-cli.js"),
  ];
  const found = candidates.find((path) => path.endsWith("npm-cli.js") && existsSync(path));
  return found === undefined
    ? { file: "npm", arguments: [], shell: process.platform === "win32" }
    : { file: process.execPath, arguments: [found], shell: false };
}

function buildIfStale() {
  const newest = Math.max(...sources.map((name) => newestChange(join(root, name))));
  if (existsSync(join(root, "dist", "src")) && existsSync(stamp) && statSync(stamp).mtimeMs > newest) return;
  const begun = new Date();
  step(process.execPath, [join(root, "node_modules", "typescript", "bin", "tsc"), "-p", "tsconfig.json"]);
  writeFileSync(stamp, "");
  // A source saved while the compiler ran must count as newer than the build.
  utimesSync(stamp, begun, begun);
}

/** Newest change below a path in milliseconds; 0 where it does not exist. Folders count: a deletion changes them. */
function newestChange(path) {
  if (!existsSync(path)) return 0;
  const status = statSync(path);
  if (!status.isDirectory()) return status.mtimeMs;
  return Math.max(status.mtimeMs, ...readdirSync(path).map((name) => newestChange(join(path, name))));
}

function step(file, parameters, shell = false) {
  const result = spawnSync(file, parameters, { cwd: root, stdio: ["ignore", 2, 2], shell });
  if (result.error !== undefined) process.stderr.write(`${result.error.message}\n`);
  if (result.status !== 0) process.exit(result.status ?? 1);
}

/** The server runs in this very process, so standard streams and signals reach it without a relay. */
async function startServer(parameters) {
  const bin = join(root, "dist", "src", "bin.js");
  process.argv = [process.execPath, bin, "serve", ...parameters];
  await import(pathToFileURL(bin).href);
}

/** `npm run bench -- NAME` runs test/bench/NAME.mjs. */
async function bench(name) {
  await import(pathToFileURL(join(root, "test", "bench", `${name}.mjs`)).href);
}

/** The chaos suite reads its own options from the command line. */
async function chaos() {
  const index = join(root, "test", "chaos", "index.mjs");
  process.argv = [process.execPath, index, ...rest];
  await import(pathToFileURL(index).href);
}

function vitest(...parameters) {
  const program = join(root, "node_modules", "vitest", "vitest.mjs");
  const child = spawn(process.execPath, [program, ...parameters], { cwd: root, stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    // A terminal sends Ctrl-C to the whole process group: passing it on would deliver it twice.
    process.on(signal, () => (signal !== "SIGINT" || !process.stdin.isTTY ? child.kill(signal) : undefined));
  }
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal ?? "SIGTERM"] ?? 0);
  });
}
