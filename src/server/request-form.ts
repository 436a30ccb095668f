import type { IncomingMessage } from "node:http";
import { ConversionError } from "../errors.ts";

/**
 * Refuses what makes two readers of one request see two requests, which Node lets through: several Host headers, an
 * address with a host of its own, header lines without number. Throws `request-refused`.
 */
export function checkForm({ url = "", rawHeaders }: IncomingMessage, maxHeaders: number): void {
  // `https://proxied.example/` is the form for a proxy, which this server never is.
  if (!url.startsWith("/")) refuse("the request names a whole address where a path is expected");
  // Names and values alternate.
  if (rawHeaders.length / 2 > maxHeaders) refuse(`there are more than ${maxHeaders} header lines`);
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host");
  if (hosts.length !== 1) refuse("there must be exactly one Host header");
}

function refuse(detail: string): never {
  throw new ConversionError("request-refused", detail);
}
