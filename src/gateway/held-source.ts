import { ConversionError } from "../errors.ts";
import type { Exchange } from "../server/endpoint.ts";
import type { UpstreamAnswer } from "./upstream.ts";

/** The bytes of an answer on their way into a conversion. */
export interface HeldSource extends AsyncIterable<Uint8Array> {
  /** From now on what comes is passed on, so nothing is counted as held any more. */
  passOn(): void;
}

/**
 * Counts the bytes of an answer for as long as the conversion holds them: against the upstream's own limit, and against
 * the budget of the process. Throws `answer-too-large`, never `overloaded`: the tool has run, so nothing must read as
 * "try again".
 */
export function holding({ body, maxHeldBytes }: UpstreamAnswer, exchange: Exchange): HeldSource {
  let held = 0;
  let isHolding = true;
  const hold = (bytes: number): void => {
    held += bytes;
    if (held > maxHeldBytes) throw tooLarge(`larger than the ${maxHeldBytes} bytes of \`maxAnswerBytes\``);
    try {
      exchange.hold(bytes);
    } catch {
      throw tooLarge("more than the server may hold now (`server.maxHeldBytes`)");
    }
  };
  async function* counted(): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of body) {
      if (isHolding) hold(chunk.length);
      yield chunk;
    }
  }
  return {
    [Symbol.asyncIterator]: counted,
    passOn: () => {
      isHolding = false;
      exchange.release(held);
    },
  };
}

function tooLarge(detail: string): ConversionError {
  return new ConversionError("answer-too-large", `the answer is ${detail}; the tool has run`);
}
