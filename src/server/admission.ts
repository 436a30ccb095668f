import { ConversionError } from "../errors.ts";
import type { ServerSettings } from "./settings.ts";

/** Calls in flight up to a limit; a few more wait a moment for their turn, first come, first served. */
export class Admission {
  readonly #settings: Pick<ServerSettings, "maxInFlight" | "maxQueued" | "queueTimeout">;
  /** Those that wait, in order; called, each has its place. */
  readonly #queue = new Set<() => void>();
  #inFlight = 0;

  constructor(settings: Pick<ServerSettings, "maxInFlight" | "maxQueued" | "queueTimeout">) {
    this.#settings = settings;
  }

  /**
   * Resolves when the call may begin; `leave` gives its place back. Throws `overloaded` where the queue is full or the
   * wait too long, and the signal's reason when it aborts.
   */
  async enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { maxInFlight, maxQueued } = this.#settings;
    if (this.#inFlight < maxInFlight) {
      this.#inFlight += 1;
      return;
    }
    if (this.#queue.size >= maxQueued) {
      throw new ConversionError(
        "overloaded",
        `${maxInFlight} calls are in flight and ${maxQueued} wait (\`server.maxInFlight\`, \`server.maxQueued\`)`,
      );
    }
    await this.#turn(signal);
  }

  leave(): void {
    // The place goes from one call to the next, so it is never free while somebody waits.
    const [next] = this.#queue;
    if (next === undefined) this.#inFlight -= 1;
    else next();
  }

  #turn(signal: AbortSignal): Promise<void> {
    const { queueTimeout } = this.#settings;
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        this.#queue.delete(begin);
        settle();
      };
      const begin = () => end(resolve);
      const onAbort = () => end(() => reject(signal.reason));
      const timer = setTimeout(
        () =>
          end(() =>
            reject(
              new ConversionError(
                "overloaded",
                `the call has waited for ${queueTimeout} ms (\`server.queueTimeout\`)`,
              ),
            ),
          ),
        queueTimeout,
      );
      signal.addEventListener("abort", onAbort);
      this.#queue.add(begin);
    });
  }
}
