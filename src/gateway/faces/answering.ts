import type { Answer, Exchange } from "../../server/endpoint.ts";
import { lossesHeader, lossesHeaderValue } from "../../server/losses-header.ts";
import type { CallAnswer, Ending } from "../answer.ts";
import type { Framing } from "./framing.ts";

/** `success`, or `error` with the gateway's own code where the way to the tool or back was at fault. */
export const statusHeader = "Tool-Result-Status";
/** The id of the call, which the result has, too. */
export const callIdHeader = "Tool-Call-Id";

const endingHeaders = [statusHeader, lossesHeader] as const;

/**
 * A result as the answer to a request. What it comes to stands in the headers where that is known before the first
 * byte, else in the trailers of the same names.
 */
export function resultAnswer(
  answer: CallAnswer,
  { mediaType, before, after }: Pick<Framing, "mediaType" | "before" | "after">,
  toolCallId: string | undefined,
  exchange: Exchange,
): Answer & { readonly body: AsyncIterable<string> } {
  const known = answer.ending();
  async function* body(): AsyncGenerator<string, void> {
    let opening = before;
    for await (const piece of answer.body) {
      yield opening + piece;
      opening = "";
    }
    if (after !== "") yield after;
    const ending = answer.ending();
    if (ending !== undefined) note(ending, exchange);
  }
  return {
    status: 200,
    headers: {
      "Content-Type": mediaType,
      // An id can be any text, a header cannot.
      ...(toolCallId !== undefined &&
        /^[\x21-\x7e]{1,256}$/.test(toolCallId) && { [callIdHeader]: toolCallId }),
      ...(known !== undefined && headersOf(known)),
    },
    body: body(),
    ...(known === undefined && {
      trailers: { names: endingHeaders, read: () => trailersOf(answer.ending()) },
    }),
  };
}

function trailersOf(ending: Ending | undefined): Readonly<Record<string, string>> {
  return ending === undefined ? {} : headersOf(ending);
}

function headersOf({ status, losses, fault }: Ending): Readonly<Record<string, string>> {
  return {
    [statusHeader]: fault === undefined ? status : `${status};code=${fault.code}`,
    [lossesHeader]: lossesHeaderValue(losses),
  };
}

function note({ status, losses, fault }: Ending, exchange: Exchange): void {
  exchange.note({
    result: status,
    losses: losses.length,
    ...(fault !== undefined && { code: fault.code }),
  });
}
