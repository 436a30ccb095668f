import type { CallAnswer } from "../answer.ts";

/** An event ends with an empty line; only there may a comment stand. */
const eventEnd = "\n\n";

/**
 * The pieces of an event stream, with a comment wherever none has come for so many milliseconds, so that no proxy on the
 * way takes the connection for dead.
 */
export async function* withHeartbeat(
  body: AsyncIterable<string>,
  comment: string,
  milliseconds: number,
): AsyncGenerator<string, void> {
  const pieces = body[Symbol.asyncIterator]();
  let isBetweenEvents = true;
  try {
    for (;;) {
      const next = pieces.next();
      let step = await within(next, milliseconds);
      while (step === undefined) {
        if (isBetweenEvents) yield comment;
        step = await within(next, milliseconds);
      }
      if (step.done === true) return;
      isBetweenEvents = step.value.endsWith(eventEnd);
      yield step.value;
    }
  } finally {
    await pieces.return?.();
  }
}

/** What a promise gives if it does so within the time; its rejection at once. */
export async function within<Value>(
  promise: Promise<Value>,
  milliseconds: number,
): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, milliseconds, undefined);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** An answer that is not there yet, as one whose body begins late. */
export function lateAnswer(pending: Promise<CallAnswer>): CallAnswer {
  let answer: CallAnswer | undefined;
  // Whoever iterates sees the error there; a client that has gone before leaves nobody to see it.
  pending.catch(() => undefined);
  async function* body(): AsyncGenerator<string, void> {
    answer = await pending;
    yield* answer.body;
  }
  return { body: body(), ending: () => answer?.ending() };
}
