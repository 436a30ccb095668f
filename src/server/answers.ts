import type { Answer } from "./endpoint.ts";
import { type LossTally, lossesHeader } from "./losses-header.ts";

/** A JSON document of plain values. */
export function jsonAnswer(value: unknown): Answer {
  return textAnswer(JSON.stringify(value), "application/json");
}

export function textAnswer(
  body: string,
  mediaType: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status: 200, headers: { ...headers, "Content-Type": mediaType }, body };
}

/** Text that is sent as it comes; what was lost stands after it, as a trailer. */
export function streamAnswer(body: AsyncIterable<string>, mediaType: string, tally: LossTally): Answer {
  return {
    status: 200,
    headers: { "Content-Type": mediaType },
    body,
    trailers: { names: [lossesHeader], read: () => ({ [lossesHeader]: tally.header }) },
  };
}

/** Pieces whose first one has come: what fails before it can still be told by a status. */
export async function begun(pieces: AsyncGenerator<string, void>): Promise<AsyncIterable<string>> {
  const first = await pieces.next();
  async function* all(): AsyncGenerator<string, void> {
    try {
      if (first.done === true) return;
      yield first.value;
      yield* pieces;
    } finally {
      await pieces.return();
    }
  }
  return all();
}
