import { ConversionError } from "../errors.ts";

/** The budget of the process for bodies and answers that are held in memory. */
export class HeldBytes {
  readonly #max: number;
  #held = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Throws `overloaded`, taking nothing, where it would be more than the budget. */
  take(bytes: number): void {
    if (this.#held + bytes > this.#max) {
      throw new ConversionError(
        "overloaded",
        `the server holds ${this.#max} bytes, as many as it may (\`server.maxHeldBytes\`)`,
      );
    }
    this.#held += bytes;
  }

  give(bytes: number): void {
    this.#held -= bytes;
  }
}
