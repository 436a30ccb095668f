import type { Dispatcher } from "undici";
import { ConversionError, isConversionError } from "../../errors.ts";
import type { ClientRequest } from "./http-client.ts";

/** A body as undici takes it. Where one that comes piece by piece breaks off, `onBreak` is told before undici. */
export function dispatchBody(
  body: ClientRequest["body"],
  onBreak: (fault: ConversionError) => void,
): NonNullable<Dispatcher.DispatchOptions["body"]> | null {
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) return body ?? null;
  // The type does not say so, but undici takes any iterable of bytes, and begins to read it when it sends.
  return pieces(body, onBreak) as unknown as Uint8Array;
}

async function* pieces(
  body: AsyncIterable<Uint8Array>,
  onBreak: (fault: ConversionError) => void,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* body;
  } catch (error) {
    // The body comes from the caller, so that it breaks off is the caller's leaving.
    const fault = isConversionError(error)
      ? error
      : new ConversionError("cancelled", "the caller's request broke off");
    onBreak(fault);
    throw fault;
  }
}
