import type { ConversionError } from "./errors.ts";
import type { Loss } from "./losses.ts";

/** The losses behind `losses-refused`; none behind any other error. */
export function refusedLosses({ code, data }: ConversionError): readonly Loss[] {
  // What the kernel puts there with this code.
  return code === "losses-refused" ? (data.losses as readonly Loss[]) : [];
}
