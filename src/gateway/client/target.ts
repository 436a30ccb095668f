import { ConversionError } from "../../errors.ts";

/**
 * The path and query of a request below a base address. Throws `upstream-address-refused` for one that could leave the
 * base: a path is taken as it is written, never resolved.
 */
export function targetOf(base: URL, path: string): string {
  if (!/^[!-~]*$/.test(path) || path.includes("#")) {
    throw new ConversionError(
      "upstream-address-refused",
      "the path has a blank, a fragment or what is not ASCII",
    );
  }
  const [own = "", query] = splitQuery(path);
  const segments = own.split("/");
  if ((own !== "" && !own.startsWith("/")) || /%2f|%5c|\\/i.test(own) || segments.some(isUpward)) {
    throw new ConversionError(
      "upstream-address-refused",
      "the path leads out of the address of the upstream",
    );
  }
  const whole = base.pathname.replace(/\/$/, "") + own;
  return `${whole === "" ? "/" : whole}${query === undefined ? base.search : `?${query}`}`;
}

function splitQuery(path: string): readonly [string, string?] {
  const at = path.indexOf("?");
  return at === -1 ? [path] : [path.slice(0, at), path.slice(at + 1)];
}

function isUpward(segment: string): boolean {
  return /^(\.|%2e){1,2}$/i.test(segment);
}
