import { ConversionError } from "../errors.ts";
import { type Digest, digestOf, sameDigest } from "./secret.ts";
import type { AuthSettings } from "./settings.ts";

/** Says whose key a request shows: the key's name, or undefined where no keys are configured. Throws `unauthorized`. */
export type KeyCheck = (headers: Headers) => string | undefined;

export function createKeyCheck({ keys }: AuthSettings): KeyCheck {
  if (keys.length === 0) return () => undefined;
  const known = keys.map(({ name, key }) => ({ name, digest: digestOf(key) }));
  return (headers) => {
    const shown = shownKeys(headers).map(digestOf);
    // Every key is compared, so that the time does not say which of them it was.
    const found = known.filter(({ digest }) => isAmong(digest, shown));
    const [first] = found;
    if (first === undefined) throw new ConversionError("unauthorized", "a key is needed");
    return first.name;
  };
}

function isAmong(digest: Digest, shown: readonly Digest[]): boolean {
  return shown.filter((one) => sameDigest(one, digest)).length > 0;
}

/** `Authorization: Bearer KEY`, and `x-api-key: KEY`. */
function shownKeys(headers: Headers): readonly string[] {
  const bearer = /^bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "")?.[1];
  return [bearer, headers.get("x-api-key")].filter((key) => typeof key === "string");
}
