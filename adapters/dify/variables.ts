import type { ParseContext } from "../../src/adapter.ts";
import type { Pointer } from "../../src/pointer.ts";
import type { Message } from "./shapes.ts";

interface Known {
  /** Where the first message of the name stood. */
  readonly pointer: Pointer;
  readonly isText: boolean;
  readonly isFolded: boolean;
}

/** The names of the variables of one call: several messages of a name are one variable (R10). */
export class VariableNames {
  readonly #context: ParseContext;
  readonly #known = new Map<string, Known>();

  constructor(context: ParseContext) {
    this.#context = context;
  }

  /** What a message does to its variable: a streamed text goes on where the value so far is one. */
  add({ message }: Message, place: Pointer): "begins" | "continues" | "replaces" {
    // A message of this type has a name.
    const name = message.variable_name as string;
    const isText = typeof message.variable_value === "string";
    const before = this.#known.get(name);
    if (before === undefined) {
      this.#known.set(name, { pointer: place, isText, isFolded: false });
      return "begins";
    }
    const continues = message.stream === true && isText;
    if (continues && !before.isText) {
      this.#context.fail("invalid-payload", place, "a streamed text continues a value that is none");
    }
    if (!before.isFolded) {
      const detail = "several messages of this name are one variable";
      this.#context.lose("variable-folded", before.pointer, detail);
    }
    this.#known.set(name, { pointer: before.pointer, isText, isFolded: true });
    return continues ? "continues" : "replaces";
  }
}
