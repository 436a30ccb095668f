import { setTimeout as sleep } from "node:timers/promises";
import { judge, requestOf } from "./call.mjs";
import { Client } from "./client.mjs";
import { checkGateways, configFor, freePort, GatewayProcess, UpstreamProcess } from "./processes.mjs";
import { Chance } from "./random.mjs";
import { quantile, Tally } from "./report.mjs";
import { tokenOf } from "./tools.mjs";

const clients = 64;
/** Calls that the upstream must hold when it is killed, and those that are waited for, as some end on the way. */
const leastHit = 25;
const wantedHit = 35;
/** Milliseconds that so many calls are waited for. */
const patience = 10_000;
/** Longest time in milliseconds that the upstream stays away. */
const longestAbsence = 100;

/**
 * Calls with unique tokens while the upstream is killed again and again: each must end in exactly one of the right value
 * and an explicit error, and the upstream must have seen it at most once.
 */
export async function kill({ calls, kills, seed }, entry, report) {
  const begun = Date.now();
  const chance = new Chance(seed);
  const upstream = await RestartedUpstream.start(chance);
  const gateway = await GatewayProcess.start(configFor(upstream.port), entry);
  const run = new Run(seed, calls, kills, report.faults);

  const killer = async () => {
    for (let count = 1; count <= kills; count += 1) {
      const due = Math.floor((calls * (count - chance.next() / 2)) / kills);
      while (run.ended < due) await sleep(1);
      await upstream.restart(chance.between(0, longestAbsence));
      run.killed += 1;
    }
  };
  const caller = async () => {
    const client = new Client(gateway.port);
    for (let call = run.next(); call !== undefined; call = run.next()) {
      const judged = judge(call, await client.send(requestOf(call)));
      run.take(call, judged);
      // Else the calls would be used up while there is nothing to kill.
      if (judged.code === "upstream-unreachable") await upstream.isThere;
    }
    client.leave();
    run.stray += client.stray;
  };
  await Promise.all([killer(), ...Array.from({ length: clients }, caller)]);
  await gateway.stop();
  await upstream.end();
  tell(report, run, upstream);
  await checkGateways(report, [gateway]);
  report.tell("seconds", (Date.now() - begun) / 1000);
}

/** The upstream and its successors, at one port. */
class RestartedUpstream {
  port;
  /** Resolves while there is one. */
  isThere = Promise.resolve();
  /** By token, how often it was received over all processes. */
  received = new Map();
  /** Of each kill, in which step it met the calls that the upstream had received and not answered. */
  hits = [];
  #current;
  #next;

  static async start(chance) {
    const upstream = new RestartedUpstream();
    upstream.port = await freePort(chance);
    upstream.#current = new UpstreamProcess();
    upstream.#next = new UpstreamProcess();
    await upstream.#current.listen(upstream.port);
    return upstream;
  }

  async restart(absence) {
    for (const begun = Date.now(); Date.now() - begun < patience; await sleep(1)) {
      if (this.#current.ledger.open >= wantedHit) break;
    }
    let come = () => {};
    this.isThere = new Promise((resolve) => {
      come = resolve;
    });
    await this.#current.kill();
    this.hits.push(this.#tally());
    await sleep(absence);
    await this.#next.listen(this.port);
    this.#current = this.#next;
    this.#next = new UpstreamProcess();
    come();
  }

  async end() {
    await Promise.all([this.#current.kill(), this.#next.kill()]);
    this.#tally();
  }

  #tally() {
    const hit = new Tally();
    for (const [token, { received, last }] of this.#current.ledger.finish()) {
      this.received.set(token, (this.received.get(token) ?? 0) + received);
      if (last !== "ended") hit.add(last);
    }
    return hit;
  }
}

/** The calls of a run and how they ended. */
class Run {
  killed = 0;
  ended = 0;
  stray = 0;
  verdicts = new Tally();
  codes = new Tally();
  /** By token, the verdict and the code. */
  judged = new Map();
  #faults;
  #seed;
  #chance;
  #calls;
  #kills;
  #index = 0;

  constructor(seed, calls, kills, faults) {
    this.#faults = faults;
    this.#seed = seed;
    this.#chance = new Chance(seed + 1);
    this.#calls = calls;
    this.#kills = kills;
  }

  /** The next call, until there were enough of them and of kills. */
  next() {
    if (this.#index >= this.#calls && this.killed >= this.#kills) return undefined;
    this.#index += 1;
    const chance = this.#chance;
    const tool = chance.is(0.02)
      ? chance.of(["status", "malformed", "page"])
      : chance.of(["strands", "watsonx", "dify", "dify"]);
    const to = chance.of(["strands", "strands", "dify:sse"]);
    const token = tokenOf(this.#seed, this.#index);
    const [before, pause, size] = [chance.between(5, 60), chance.between(2, 10), chance.between(1, 20)];
    return { tool, to, given: { token, before, pause, size } };
  }

  take({ tool, given }, judged) {
    this.ended += 1;
    this.verdicts.add(judged.verdict);
    if (judged.code !== undefined) this.codes.add(judged.code);
    this.judged.set(given.token, judged);
    if (judged.why !== undefined) this.#faults.push(`${tool} ${judged.verdict}: ${judged.why}`);
  }
}

function tell(report, run, upstream) {
  const { verdicts, judged } = run;
  const { received, hits } = upstream;
  const hit = new Tally();
  for (const one of hits)
    for (const step of ["received", "begun", "inside", "between"]) hit.add(step, one.of(step));
  const totals = hits.map((one) => one.total);
  const seen = (token) => received.get(token) ?? 0;
  const told = [...judged];

  report.tell("calls", run.ended);
  report.least("right", verdicts.of("right"), run.ended / 2);
  report.tell("explicit errors", run.codes);
  for (const fault of ["lost", "refused", "crossed", "leaked", "wrong"])
    report.none(fault, verdicts.of(fault));
  report.none("bytes after an answer", run.stray);
  report.tell("kills", hits.length);
  report.least("in flight at the upstream at a kill, least", Math.min(...totals), leastHit);
  report.tell("in flight at the upstream at a kill, median", quantile(totals, 0.5));
  report.least("killed before the head of the answer", hit.of("received"), 1);
  report.least("killed in a JSON body or before the first frame", hit.of("begun"), 1);
  report.least("killed inside a frame", hit.of("inside"), 1);
  report.least("killed between frames", hit.of("between"), 1);
  report.tell("calls seen by the upstream", received.size);
  report.none("seen twice", [...received.values()].filter((count) => count > 1).length);
  report.none("seen but never sent", [...received.keys()].filter((token) => !judged.has(token)).length);
  report.none(
    "right but never seen",
    told.filter(([token, { verdict }]) => verdict === "right" && seen(token) === 0).length,
  );
  report.none(
    "seen though told unreachable",
    told.filter(([token, { code }]) => code === "upstream-unreachable" && seen(token) > 0).length,
  );
}
