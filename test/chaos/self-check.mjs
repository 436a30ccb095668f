/**
 * Shows that every check of the suite can fail: runs it, small, against gateways with one fault each
 * (`node test/chaos/self-check.mjs`, some minutes), and ends with `N passed, N failed`.
 */
import { fileURLToPath } from "node:url";
import { programs, runProgram } from "./programs.mjs";

const faultyGateway = fileURLToPath(new URL("./faulty-gateway.mjs", import.meta.url));
const sizes = { calls: 800, kills: 2, drains: 2, aborts: 400, seed: 7 };

/** By program and fault, the checks that must fail. */
const expected = {
  kill: {
    overloaded: [
      "right",
      "in flight at the upstream at a kill, least",
      "killed before the head of the answer",
      "killed in a JSON body or before the first frame",
      "killed inside a frame",
      "killed between frames",
    ],
    "makes-up": ["right but never seen"],
    "hangs-up": ["lost"],
    "goes-away": ["refused"],
    swaps: ["crossed"],
    leaks: ["leaked"],
    whitewashes: ["wrong"],
    "answers-twice": ["bytes after an answer"],
    retries: ["seen twice"],
    "calls-by-itself": ["seen but never sent"],
    "plays-innocent": ["seen though told unreachable"],
    "stops-badly": ["gateways with another exit status than 0"],
    silent: ["lines in their logs"],
    warns: ["of them about a fault of the program"],
    "logs-payloads": ["canaries in what they wrote"],
  },
  drain: {
    "stops-at-once": ["lost", "of them without a final event"],
    swaps: ["crossed"],
    leaks: ["leaked"],
    "cuts-events": ["wrong"],
    "refuses-in-drain": ["errors where the drain had time"],
    "answers-twice": ["bytes after an answer"],
    overloaded: ["streams in flight at the signals"],
    "never-stops": ["stopped within ms, longest"],
    "stops-badly": ["gateways with another exit status than 0"],
    silent: ["lines in their logs"],
    warns: ["of them about a fault of the program"],
    "logs-payloads": ["canaries in what they wrote"],
  },
  abort: {
    overloaded: ["calls that the upstream had open when their client left", "of them not right"],
    "goes-on": ["calls that the upstream never saw end", "calls that the upstream still has open"],
    tarries: ["ms from leaving to the upstream's end, p99", "ms from leaving to the upstream's end, longest"],
    "completes-parts": ["calls that were only sent in part and yet seen"],
    "calls-twice": ["calls seen twice"],
    "not-ready": ["status of /readyz afterwards"],
    "keeps-places": ["right of so many calls at once as there are places"],
    "keeps-bytes": ["right of the calls that fill the budget of bytes"],
    rejects: ["reasons not to come to the end"],
    "stops-badly": ["gateways with another exit status than 0"],
    silent: ["lines in their logs"],
    warns: ["of them about a fault of the program"],
    "logs-payloads": ["canaries in what they wrote"],
  },
};
/** Checks that no gateway can make fail: what the control loses shows that the clients see a loss. */
const ownChecks = new Set(["lost by a plain server.close(), the control"]);

let passed = 0;
let failed = 0;

function show(isRight, what) {
  if (isRight) passed += 1;
  else failed += 1;
  process.stdout.write(`${isRight ? "ok    " : "FAILED"}  ${what}\n`);
}

async function failuresOf(name, fault) {
  const { rows } = await runProgram(name, sizes, [faultyGateway, fault]);
  const checks = rows.filter(({ isRight }) => isRight !== undefined);
  return { checks, failures: checks.filter(({ isRight }) => !isRight).map(({ what }) => what) };
}

for (const name of Object.keys(programs)) {
  const { checks, failures } = await failuresOf(name, "none");
  show(
    failures.length === 0,
    `${name}: nothing fails without a fault${failures.map((one) => `; ${one}`).join("")}`,
  );
  const proven = new Set(ownChecks);
  for (const [fault, whats] of Object.entries(expected[name])) {
    const found = (await failuresOf(name, fault)).failures;
    for (const what of whats) {
      proven.add(what);
      show(found.includes(what), `${name}: ${fault} fails "${what}"`);
    }
  }
  // The same for all programs, and shown by one of them.
  proven.add("reasons not to come to the end");
  for (const { what } of checks)
    if (!proven.has(what)) show(false, `${name}: no fault is known that fails "${what}"`);
}
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
