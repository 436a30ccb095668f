import { ConversionError } from "../errors.ts";

interface Bucket {
  calls: number;
  /** When `calls` was right. */
  at: number;
}

/** Calls per second of each key, a second's worth of them at once. */
export class RateLimit {
  readonly #rate: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /** `rate` 0 is no limit; `now` is in milliseconds and only goes forward. */
  constructor(rate: number, now: () => number) {
    this.#rate = rate;
    this.#now = now;
  }

  /** Counts one call. Throws `rate-limited` with `data.retryAfter` in whole seconds. */
  take(principal: string): void {
    if (this.#rate === 0) return;
    const now = this.#now();
    const { calls, at } = this.#buckets.get(principal) ?? { calls: this.#rate, at: now };
    const left = Math.min(this.#rate, calls + ((now - at) / 1000) * this.#rate);
    const isFree = left >= 1;
    this.#buckets.set(principal, { calls: isFree ? left - 1 : left, at: now });
    if (isFree) return;
    throw new ConversionError(
      "rate-limited",
      `the key may make ${this.#rate} calls per second (\`server.rate\`)`,
      { data: { retryAfter: Math.max(1, Math.ceil((1 - left) / this.#rate)) } },
    );
  }
}
