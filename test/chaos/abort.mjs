import { setTimeout as sleep } from "node:timers/promises";
import { getOf, judge, requestOf } from "./call.mjs";
import { Client, Connection } from "./client.mjs";
import { clock } from "./ledger.mjs";
import { checkGateways, configFor, freePort, GatewayProcess, UpstreamProcess } from "./processes.mjs";
import { Chance } from "./random.mjs";
import { quantile, Tally } from "./report.mjs";
import { tokenOf } from "./tools.mjs";

const clients = 32;
/** Calls before the first client leaves, so that the figures are those of a gateway that has run for a while. */
const warmUp = 320;
/** `server.maxInFlight`, with no queue behind it: so many calls at once pass only where none is left over. */
const maxInFlight = 128;
/** `server.maxHeldBytes`, and bodies that fill it nearly. */
const maxHeldBytes = 32 * 1024 * 1024;
const ballast = [15_500_000, 15_500_000];
/** Milliseconds from the client's leaving to the end of the upstream's call. */
const mostAtP99 = 100;
const mostEver = 2000;

/** When a client leaves, how often, and what it has called. */
const moments = [
  { moment: "while sending", weight: 10, tools: ["slow"], targets: ["strands"], delay: [0, 10] },
  { moment: "before the head", weight: 30, tools: ["slow", "endless"], targets: ["strands"], delay: [0, 80] },
  { moment: "in the body", weight: 30, tools: ["endless"], targets: ["dify:sse"], delay: [0, 60] },
  { moment: "not reading", weight: 3, tools: ["flood"], targets: ["dify:sse"], delay: [10, 60] },
  {
    moment: "at any time",
    weight: 25,
    tools: ["strands", "watsonx", "dify"],
    targets: ["strands", "dify:sse"],
    delay: [0, 80],
  },
  {
    moment: "after the end",
    weight: 10,
    tools: ["strands", "dify"],
    targets: ["strands", "dify:sse"],
    delay: [0, 0],
  },
];
const lots = moments.flatMap((one) => Array.from({ length: one.weight }, () => one));

/**
 * Clients that leave at random moments: the process lives, nothing is rejected without a handler, every call of the
 * upstream ends at once, and nothing is left over.
 */
export async function abort({ aborts, seed }, entry, report) {
  const begun = Date.now();
  const chance = new Chance(seed);
  const port = await freePort(chance);
  const upstream = new UpstreamProcess();
  await upstream.listen(port);
  const server = { maxInFlight, maxQueued: 0, maxHeldBytes, heartbeat: "100ms" };
  const config = configFor(port, { server, upstream: { maxSockets: maxInFlight } });
  const gateway = await GatewayProcess.start(config, entry);
  const run = new Run(gateway.port, seed, aborts, report.faults);
  await Promise.all(Array.from({ length: clients }, () => run.warmUp()));
  await Promise.all(Array.from({ length: clients }, () => run.leaveAgainAndAgain()));

  const patience = Date.now() + mostEver;
  while (upstream.ledger.open > 0 && Date.now() < patience) await sleep(10);
  tell(report, run, upstream);
  await tellAfterwards(report, run, gateway);
  report.none("calls that the upstream still has open", upstream.ledger.open);
  await gateway.stop();
  await upstream.kill();
  await checkGateways(report, [gateway]);
  report.tell("seconds", (Date.now() - begun) / 1000);
}

/** The clients and what became of their calls. */
class Run {
  verdicts = new Tally();
  /** By token, when the client left: the kind of moment, and the time by `clock`. */
  left = new Map();
  #faults;
  #port;
  #seed;
  #chance;
  #aborts;
  #index = 0;

  constructor(port, seed, aborts, faults) {
    this.#faults = faults;
    this.#port = port;
    this.#seed = seed;
    this.#chance = new Chance(seed + 1);
    this.#aborts = aborts;
  }

  async warmUp() {
    const client = new Client(this.#port);
    for (let count = 0; count < warmUp / clients; count += 1) await this.call(client);
    client.leave();
  }

  async leaveAgainAndAgain() {
    while (this.left.size < this.#aborts) {
      const connection = await Connection.open(this.#port);
      if (typeof connection === "string") throw new Error(`the gateway cannot be reached: ${connection}`);
      // Some leave on a connection that has served before.
      if (this.#chance.is(0.3)) await this.call(connection);
      if (connection.isOpen) await this.#leave(connection);
    }
  }

  /** A call that is waited for, over a client or a connection. */
  async call(client, given = {}) {
    const call = this.#call(["strands", "watsonx", "dify"], ["strands", "dify:sse"], given);
    const judged = judge(call, await client.send(requestOf(call)));
    this.verdicts.add(judged.verdict);
    if (judged.verdict !== "right")
      this.#faults.push(`${call.tool} ${judged.verdict}: ${judged.why ?? judged.code}`);
    return judged.verdict;
  }

  async #leave(connection) {
    const chance = this.#chance;
    const { moment, tools, targets, delay } = chance.of(lots);
    const call = this.#call(tools, targets);
    const request = requestOf(call);
    if (moment === "while sending")
      connection.sendPart(request.slice(0, chance.between(1, request.length - 1)));
    else {
      let answer;
      const begun = new Promise((resolve) => {
        answer = connection.send(request, resolve);
      });
      if (moment === "in the body" || moment === "not reading") await Promise.race([begun, answer]);
      if (moment === "not reading") connection.pause();
      if (moment === "after the end") await answer;
    }
    await sleep(chance.between(...delay));
    this.left.set(call.given.token, { moment, at: clock() });
    connection.leave({ reset: chance.is(0.5) });
  }

  #call(tools, targets, given = {}) {
    const chance = this.#chance;
    this.#index += 1;
    const token = tokenOf(this.#seed, this.#index);
    const [before, pause, size] = [chance.between(0, 30), chance.between(1, 15), chance.between(1, 20)];
    return {
      tool: chance.of(tools),
      to: chance.of(targets),
      given: { token, before, pause, size, ...given },
    };
  }
}

function tell(report, { left, verdicts }, upstream) {
  const calls = upstream.ledger.finish();
  const byMoment = new Tally();
  const delays = [];
  let [neverEnded, partsSeen, endedBefore] = [0, 0, 0];
  for (const [token, { moment, at }] of left) {
    byMoment.add(moment);
    const call = calls.get(token);
    if (call === undefined) continue;
    if (moment === "while sending") partsSeen += 1;
    const { received, ended, closed } = call.times;
    // What ended by itself says nothing about the leaving.
    if (ended !== undefined) endedBefore += 1;
    else if (closed === undefined) neverEnded += 1;
    else delays.push(closed - Math.max(received, at));
  }
  report.tell("aborts", byMoment);
  report.tell("aborts in all", left.size);
  report.least("calls that the upstream had open when their client left", delays.length, left.size / 3);
  report.tell("calls that had ended by themselves", endedBefore);
  report.none("calls that the upstream never saw end", neverEnded);
  report.none("calls that were only sent in part and yet seen", partsSeen);
  report.none("calls seen twice", [...calls.values()].filter(({ received }) => received > 1).length);
  report.tell("ms from leaving to the upstream's end, median", quantile(delays, 0.5));
  report.most("ms from leaving to the upstream's end, p99", quantile(delays, 0.99), mostAtP99);
  report.most("ms from leaving to the upstream's end, longest", quantile(delays, 1), mostEver);
  report.tell("calls between the aborts", verdicts.total);
  report.none("of them not right", verdicts.total - verdicts.of("right"));
}

/** Nothing is left over: every place, every byte of the budget is free again. */
async function tellAfterwards(report, run, gateway) {
  const ready = await new Client(gateway.port).send(getOf("/readyz"));
  report.check(
    "status of /readyz afterwards",
    ready.reader?.status ?? "none",
    "200",
    ready.reader?.status === 200,
  );
  const together = async (givens) => {
    const verdicts = await Promise.all(givens.map((given) => run.call(new Client(gateway.port), given)));
    return verdicts.filter((verdict) => verdict === "right").length;
  };
  const places = await together(Array.from({ length: maxInFlight }, () => ({ before: 1000, pause: 50 })));
  report.check(
    "right of so many calls at once as there are places",
    places,
    String(maxInFlight),
    places === maxInFlight,
  );
  const large = await together(ballast.map((size) => ({ ballast: "x".repeat(size), before: 1000 })));
  report.check(
    "right of the calls that fill the budget of bytes",
    large,
    String(ballast.length),
    large === ballast.length,
  );
}
