import { type SpawnOptions, spawn } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/**
 * The official SDKs that the gateway is held against, each in a folder of its own below `.counterparts/`, with the
 * exact versions that the folder of its tests names. Nothing of it is needed by `npm test`.
 */
const base = fileURLToPath(new URL("../../.counterparts/", import.meta.url));
const beside = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const isWindows = process.platform === "win32";

const pythonSdks = ["strands-python", "dify", "watsonx"] as const;
export type PythonSdk = (typeof pythonSdks)[number];

export function pythonOf(sdk: PythonSdk): string {
  return join(base, sdk, isWindows ? "Scripts/python.exe" : "bin/python");
}

/** The folder in which `@strands-agents/sdk` is found, and the Node 24 that runs it. */
export const strandsTypeScript = {
  folder: join(base, "strands-typescript"),
  node: join(base, "strands-typescript", "node_modules", "node", "bin", isWindows ? "node.exe" : "node"),
};

/** Makes every environment that is missing or out of date; returns at once where none is. */
export async function prepareEnvironments(): Promise<void> {
  mkdirSync(base, { recursive: true });
  await Promise.all([...pythonSdks.map(preparePython), prepareStrandsTypeScript()]);
}

async function preparePython(sdk: PythonSdk): Promise<void> {
  const requirements = beside(`${sdk}/requirements.txt`);
  await prepare(sdk, readFileSync(requirements, "utf8"), async (folder) => {
    await run(await findPython(), ["-m", "venv", folder]);
    const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements];
    await threeTimes(() => run(pythonOf(sdk), install));
  });
}

async function prepareStrandsTypeScript(): Promise<void> {
  const files = ["package.json", "package-lock.json"].map((name) => beside(`strands-typescript/${name}`));
  const wanted = files.map((path) => readFileSync(path, "utf8")).join("");
  await prepare("strands-typescript", wanted, async (folder) => {
    mkdirSync(folder);
    for (const path of files) copyFileSync(path, join(folder, basename(path)));
    const install = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
    // npm is a `.cmd` file on Windows, which only a shell runs.
    await threeTimes(() => run("npm", install, { cwd: folder, shell: isWindows }));
  });
}

/** Makes a folder by `fill`, unless it was made with the same `wanted` before. */
async function prepare(name: string, wanted: string, fill: (folder: string) => Promise<void>): Promise<void> {
  const folder = join(base, name);
  const stamp = join(folder, ".made-of");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  const begun = Date.now();
  rmSync(folder, { recursive: true, force: true });
  await fill(folder);
  // Written last, so that an install that was broken off counts as missing.
  writeFileSync(stamp, wanted);
  process.stderr.write(`Installed ${name} in ${Math.round((Date.now() - begun) / 1000)} s\n`);
}

/** A registry is now and then out of reach for a moment. */
async function threeTimes(install: () => Promise<void>): Promise<void> {
  for (const pause of [5000, 20_000]) {
    try {
      return await install();
    } catch {
      await after(pause);
    }
  }
  await install();
}

/** The first Python of 3.12 or newer, which dify-plugin needs: `PYTHON`, one on the path, or one of pyenv. */
async function findPython(): Promise<string> {
  const named = ["python3.12", "python3.13", "python3.14", "python3", "python"];
  const pyenv = join(process.env.PYENV_ROOT ?? join(homedir(), ".pyenv"), "versions");
  const ofPyenv = existsSync(pyenv)
    ? readdirSync(pyenv).map((version) => join(pyenv, version, "bin", "python3"))
    : [];
  const given = process.env.PYTHON === undefined ? [] : [process.env.PYTHON];
  for (const python of [...given, ...named, ...ofPyenv]) {
    const test = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 12))";
    const isFit = await run(python, ["-c", test], { stdio: "ignore" }).then(
      () => true,
      () => false,
    );
    if (isFit) return python;
  }
  throw new Error(
    "no Python of version 3.12 or newer was found: install one, with its `venv` module, or set PYTHON to its path",
  );
}

/** Runs a program to its end; its output goes to standard error. Rejects where it fails or is not there. */
function run(file: string, parameters: readonly string[], options: SpawnOptions = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, parameters, { stdio: ["ignore", 2, 2], ...options });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${file} ${parameters.join(" ")} ended with ${code ?? signal}`));
    });
  });
}
