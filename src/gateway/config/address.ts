import type * as z from "zod";
import { isConversionError } from "../../errors.ts";
import { checkUrl } from "../client/address.ts";
import { targetOf } from "../client/target.ts";

/**
 * Refuses what the client would refuse of a `url` beside the settings of a connection, as far as its text says. Names
 * are looked up, and checked, when a connection is made.
 */
export function checkAddress(settings: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void {
  const { url, allowHttp, allowPrivate } = settings;
  if (typeof url !== "string" || !URL.canParse(url)) return;
  // A plugin may have a `url` of its own that no connection of the gateway is made to.
  if (typeof allowHttp !== "boolean" || typeof allowPrivate !== "boolean") return;
  const refusal = refusalOf(() => checkUrl(new URL(url), { allowHttp, allowPrivate }));
  if (refusal !== undefined) context.addIssue({ code: "custom", path: ["url"], message: refusal });
}

/** Refuses what the client would refuse of a path below an upstream's address. */
export function checkPath(path: string, context: z.RefinementCtx): void {
  const refusal = /^[!-~]*$/.test(path)
    ? refusalOf(() => targetOf(new URL("http://upstream"), path))
    : "expected a path from / in ASCII, with %20 for a blank";
  if (refusal !== undefined) context.addIssue({ code: "custom", message: refusal });
}

function refusalOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (isConversionError(error)) return error.message;
    throw error;
  }
}
