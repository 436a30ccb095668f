import { abort } from "./abort.mjs";
import { drain } from "./drain.mjs";
import { kill } from "./kill.mjs";
import { builtGateway } from "./processes.mjs";
import { Report } from "./report.mjs";

export const programs = { kill, drain, abort };

/** Runs a program against the built gateway or another; one that cannot go on has failed, and says why. */
export async function runProgram(name, options, entry = builtGateway) {
  const report = new Report(name);
  const reasons = [];
  try {
    await programs[name](options, entry, report);
  } catch (error) {
    reasons.push(error.stack);
  }
  report.none("reasons not to come to the end", reasons.length);
  report.faults.push(...reasons);
  return report;
}
