import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { judge, requestOf } from "./call.mjs";
import { Client } from "./client.mjs";
import { checkGateways, configFor, freePort, GatewayProcess, UpstreamProcess } from "./processes.mjs";
import { Chance } from "./random.mjs";
import { quantile, Tally } from "./report.mjs";
import { tokenOf } from "./tools.mjs";

const clients = 50;
/** Longest time in milliseconds from the signal to the end of the process. */
const longestStop = 30_000;
/** `server.drainTimeout` in every second drain: too short for what is in flight. */
const shortTimeout = 1000;
/** How long in milliseconds the calls go on before the signal. */
const running = [300, 1500];
/** Streams that begin with a comment, and streams that wait for their first event. */
const heartbeats = ["150ms", "15s"];
const plainServer = [fileURLToPath(new URL("./plain-server.mjs", import.meta.url))];
const controlRounds = 20;

/** Callers whose calls end before the drain has to end them. */
const patientKinds = [
  { count: 30, tools: ["strands", "watsonx", "dify"], to: "strands", before: [0, 60], pause: [0, 10] },
  { count: 10, tools: ["strands", "watsonx"], to: "strands", before: [500, 3000], pause: [0, 50] },
  { count: 10, tools: ["dify"], to: "dify:sse", before: [0, 0], pause: [20, 300] },
];
/** Callers whose calls take longer than a drain waits. */
const impatientKinds = [
  { count: 30, tools: ["strands", "watsonx", "dify"], to: "strands", before: [0, 60], pause: [0, 10] },
  { count: 5, tools: ["slow", "endless"], to: "strands", before: [0, 0], pause: [20, 300] },
  { count: 15, tools: ["endless"], to: "dify:sse", before: [0, 0], pause: [5, 300] },
];

/**
 * SIGTERM in the middle of calls over kept connections, again and again: no call that the gateway had may be lost, every
 * stream must end with a final event, and the process with status 0.
 *
 * The clients never stop calling, and the system resets a connection that waits to be taken when its port closes. A call
 * on such a one was never the gateway's, as little as one whose connection is refused: it counts apart, and only where
 * it began after the signal, nothing of an answer came, and the upstream never saw it.
 */
export async function drain({ drains, seed }, entry, report) {
  const begun = Date.now();
  const chance = new Chance(seed);
  const port = await freePort(chance);
  const upstream = new UpstreamProcess();
  await upstream.listen(port);
  const rounds = [];
  for (let count = 0; count < drains; count += 1) {
    const isPatient = count % 2 === 0;
    const server = {
      heartbeat: heartbeats[Math.floor(count / 2) % heartbeats.length],
      ...(!isPatient && { drainTimeout: `${shortTimeout}ms` }),
    };
    const round = new Round(configFor(port, { server }), chance, seed + count, report.faults);
    await round.run(isPatient ? patientKinds : impatientKinds, entry);
    rounds.push(round);
  }
  await upstream.kill();
  tell(report, rounds, upstream.ledger.finish());
  await checkGateways(
    report,
    rounds.map(({ gateway }) => gateway),
  );
  report.least("lost by a plain server.close(), the control", await lostByControl(chance, seed), 1);
  report.tell("seconds", (Date.now() - begun) / 1000);
}

/** One gateway, its clients, and its end. */
class Round {
  gateway;
  verdicts = new Tally();
  codes = new Tally();
  /** Milliseconds from the signal to the end of the process. */
  stopped = 0;
  /** Calls that were in flight at the signal, and those of them whose stream of events had begun. */
  inFlight = new Set();
  streaming = new Set();
  /** Calls whose fresh connection was reset before anything came. */
  resets = [];
  stray = 0;
  #config;
  #chance;
  #seed;
  #index = 0;
  #open = new Set();
  #faults;

  constructor(config, chance, seed, faults) {
    this.#faults = faults;
    this.#config = config;
    this.#chance = chance;
    this.#seed = seed;
  }

  async run(kinds, entry) {
    this.gateway = await GatewayProcess.start(this.#config, entry);
    const callers = kinds.flatMap((kind) => Array.from({ length: kind.count }, () => this.#callOn(kind)));
    await sleep(this.#chance.between(...running));
    this.inFlight = new Set(this.#open);
    this.streaming = new Set(
      [...this.#open].filter(({ to, reader }) => to === "dify:sse" && reader?.hasHead),
    );
    const signalled = Date.now();
    await this.gateway.stop(longestStop);
    this.stopped = Date.now() - signalled;
    await Promise.all(callers);
  }

  /** Calls until no connection is to be had any more. */
  async #callOn(kind) {
    const client = new Client(this.gateway.port);
    for (;;) {
      const call = this.#call(kind);
      this.#open.add(call);
      const answer = await client.send(requestOf(call), (reader) => {
        call.reader = reader;
      });
      this.#open.delete(call);
      if (answer.refused !== undefined) break;
      this.#take(call, judge(call, answer));
    }
    client.leave();
    this.stray += client.stray;
  }

  #call({ tools, to, before, pause }) {
    const chance = this.#chance;
    this.#index += 1;
    const token = tokenOf(this.#seed, this.#index);
    const [waits, pauses] = [chance.between(...before), chance.between(...pause)];
    return {
      tool: chance.of(tools),
      to,
      given: { token, before: waits, pause: pauses, size: chance.between(1, 20) },
    };
  }

  #take(call, { verdict, code, why }) {
    call.verdict = verdict;
    if (verdict === "lost" && why.startsWith("ECONNRESET after 0 answers, 0 bytes")) {
      this.resets.push(call);
      return;
    }
    this.verdicts.add(verdict);
    if (code !== undefined) this.codes.add(code);
    if (why !== undefined) this.#faults.push(`${call.tool} to ${call.to} ${verdict}: ${why}`);
  }
}

function tell(report, rounds, seen) {
  const sum = (of) => rounds.reduce((total, round) => total + of(round), 0);
  const verdicts = (word) => sum((round) => round.verdicts.of(word));
  const codes = new Tally();
  for (const round of rounds) for (const [code, count] of round.codes.entries()) codes.add(code, count);
  const streams = rounds.flatMap(({ streaming }) => [...streaming]);
  const patient = rounds.filter((_, index) => index % 2 === 0);
  const stops = rounds.map(({ stopped }) => stopped);

  report.tell("drains", rounds.length);
  report.tell(
    "calls",
    sum((round) => round.verdicts.total),
  );
  report.tell("right", verdicts("right"));
  report.tell("explicit errors", codes);
  const resets = rounds.flatMap((round) => round.resets.map((call) => ({ call, round })));
  const taken = resets.filter(({ call, round }) => round.inFlight.has(call) || seen.has(call.given.token));
  report.none("lost", verdicts("lost") + taken.length);
  report.tell(
    "reset before they were taken, on connections made after the signal",
    resets.length - taken.length,
  );
  for (const fault of ["crossed", "leaked", "wrong"]) report.none(fault, verdicts(fault));
  report.none(
    "errors where the drain had time",
    patient.reduce((total, { codes: found }) => total + found.total, 0),
  );
  report.none(
    "bytes after an answer",
    sum((round) => round.stray),
  );
  report.tell("in flight at a signal, least", Math.min(...rounds.map(({ inFlight }) => inFlight.size)));
  report.least("streams in flight at the signals", streams.length, rounds.length);
  report.none(
    "of them without a final event",
    streams.filter(({ verdict }) => verdict !== "right" && verdict !== "error").length,
  );
  report.tell("stopped within ms, median", quantile(stops, 0.5));
  report.most("stopped within ms, longest", Math.max(...stops), longestStop);
}

/** Calls that a server loses which only closes: rounds until there is one, so that the clients are known to see it. */
async function lostByControl(chance, seed) {
  const kinds = [{ count: clients, tools: ["strands"], to: "strands", before: [0, 0], pause: [0, 0] }];
  for (let count = 0; count < controlRounds; count += 1) {
    const round = new Round({}, chance, seed, []);
    await round.run(kinds, plainServer);
    if (round.verdicts.of("lost") > 0) return round.verdicts.of("lost");
  }
  return 0;
}
