import * as z from "zod";

/** What the gateway writes itself, or what belongs to the connection. */
const ownNames: ReadonlySet<string> = new Set([
  "host",
  "connection",
  "keep-alive",
  "transfer-encoding",
  "content-length",
  "te",
  "trailer",
  "upgrade",
  "expect",
  "accept",
  "accept-encoding",
  "content-type",
  "content-encoding",
  "x-request-id",
]);

/** The name of a header that a configuration may add. */
export function headerName() {
  return z
    .string()
    .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "expected the name of a header")
    .refine((name) => !ownNames.has(name.toLowerCase()), "the gateway writes this header itself");
}

/** A value that stands on one line of ASCII, as a header needs. */
export function headerValue() {
  return z
    .string()
    .regex(/^[!-~](?:[\t -~]*[!-~])?$/, "expected one line of ASCII without blanks at its ends");
}
