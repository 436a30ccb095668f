import { openSync, readSync, writeSync } from "node:fs";

/**
 * What an upstream notes of each call, in a file that only grows: every line is in the hands of the system before the
 * upstream takes its next step, so a SIGKILL takes back nothing. Its lines are numbered, so a gap or a torn line shows.
 */

/** Milliseconds of the machine's own clock, which is the same in every process. */
export function clock() {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** The steps of one call, in their order; the last one says where a kill has hit it. */
export const steps = ["received", "begun", "inside", "between", "ended", "closed"];

export class LedgerWriter {
  #file;
  #count = 0;

  constructor(path) {
    this.#file = openSync(path, "a");
  }

  note(step, token) {
    this.#count += 1;
    writeSync(this.#file, `${this.#count} ${step} ${token} ${clock()}\n`);
  }
}

/** Reads the file of one upstream process while it is written. */
export class LedgerReader {
  /** By token: how often it was received, its last step, and the time of each by `clock`. */
  calls = new Map();
  #file;
  #rest = "";
  #count = 0;
  #open = 0;
  #buffer = Buffer.alloc(1 << 20);

  constructor(path) {
    this.#file = openSync(path, "a+");
  }

  /** Calls that were received and are not answered yet. */
  get open() {
    this.#readOn();
    return this.#open;
  }

  /** Reads to the end of the file of a process that is gone or has nothing to do; throws where a line is missing. */
  finish() {
    this.#readOn();
    if (this.#rest !== "") throw new Error("the ledger ends inside a line");
    return this.calls;
  }

  #readOn() {
    for (;;) {
      const length = readSync(this.#file, this.#buffer, 0, this.#buffer.length, null);
      if (length === 0) return;
      const lines = (this.#rest + this.#buffer.toString("latin1", 0, length)).split("\n");
      this.#rest = lines.pop();
      for (const line of lines) this.#take(line);
    }
  }

  #take(line) {
    const [number, step, token, time] = line.split(" ");
    this.#count += 1;
    if (Number(number) !== this.#count || !steps.includes(step)) throw new Error("the ledger has a gap");
    const call = this.calls.get(token) ?? { received: 0, times: {} };
    this.calls.set(token, call);
    if (step === "received") call.received += 1;
    // A call is over by its answer or by the end of its connection, whichever is first.
    const wasOpen = isOpen(call);
    call.times[step] = Number(time);
    if (step !== "closed") call.last = step;
    this.#open += Number(isOpen(call)) - Number(wasOpen);
  }
}

function isOpen({ times }) {
  return times.received !== undefined && times.ended === undefined && times.closed === undefined;
}
