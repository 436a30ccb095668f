import { ConversionError } from "../errors.ts";

/** How a server stops, in two steps: it says so to its clients, and later ends what still runs. */
export class Drain {
  readonly #watchers = new Set<(reason: ConversionError) => void>();
  #isDraining = false;
  #end: ConversionError | undefined;

  /** Whether the server is stopping: it is not ready, and closes each connection with its next answer. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  begin(): void {
    this.#isDraining = true;
  }

  /** The time for calls in flight is over: each of them is told, and so is every later one. */
  end(): void {
    this.begin();
    const reason = new ConversionError(
      "draining",
      "the server is stopping and the time for calls in flight is over",
    );
    this.#end = reason;
    for (const watcher of [...this.#watchers]) watcher(reason);
  }

  /** Calls `watcher` when the time is over, at once where it is already. Returns what stops watching. */
  watch(watcher: (reason: ConversionError) => void): () => void {
    if (this.#end !== undefined) watcher(this.#end);
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }
}
