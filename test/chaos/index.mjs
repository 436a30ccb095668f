/**
 * The chaos suite: `npm run test:chaos -- [kill] [drain] [abort] [--quick]`. Prints one table with the figures of every
 * program, then `N passed, N failed`.
 */
import { parseArgs } from "node:util";
import { programs, runProgram } from "./programs.mjs";
import { tableOf } from "./report.mjs";

const sizes = {
  whole: { calls: 50_000, kills: 100, drains: 20, aborts: 10_000 },
  quick: { calls: 4000, kills: 15, drains: 2, aborts: 1000 },
};
const usage = `Usage: index.mjs [${Object.keys(programs).join("] [")}] [--quick] [--seed N]
       [--calls N] [--kills N] [--drains N] [--aborts N]\n`;
/** Faults that are shown one by one, of each program. */
const maxShown = 10;

const { names, options } = readArguments();
process.stdout.write(`Node ${process.version}, --seed ${options.seed}\n`);
const reports = [];
for (const name of names) {
  const report = await runProgram(name, options);
  reports.push(report);
  for (const fault of report.faults.slice(0, maxShown)) process.stdout.write(`${name}: ${fault}\n`);
}
const { text, failed } = tableOf(reports);
process.stdout.write(`\n${text}`);
process.exitCode = failed === 0 ? 0 : 1;

function readArguments() {
  const count = { type: "string" };
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        quick: { type: "boolean" },
        calls: count,
        kills: count,
        drains: count,
        aborts: count,
        seed: count,
      },
    });
    const { quick, ...given } = values;
    const defaults = { ...(quick ? sizes.quick : sizes.whole), seed: Date.now() % 2 ** 32 };
    const entries = Object.entries({ ...defaults, ...given }).map(([name, value]) => [name, Number(value)]);
    const isWrong = entries.some(([, value]) => !Number.isInteger(value) || value < 0);
    if (isWrong || positionals.some((name) => !Object.hasOwn(programs, name)))
      throw new Error("wrong arguments");
    return {
      names: positionals.length === 0 ? Object.keys(programs) : positionals,
      options: Object.fromEntries(entries),
    };
  } catch (error) {
    process.stderr.write(`${error.message}\n${usage}`);
    process.exit(2);
  }
}
