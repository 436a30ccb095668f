import { createHash, timingSafeEqual } from "node:crypto";

/** A secret as it is compared: its SHA-256, which has one length whatever the secret's. */
export type Digest = Uint8Array;

export function digestOf(secret: string): Digest {
  return createHash("sha256").update(secret, "utf8").digest();
}

/** Whether two digests are of the same secret, in a time that says nothing about where they differ. */
export function sameDigest(one: Digest, other: Digest): boolean {
  return timingSafeEqual(one, other);
}

/** Whether the secret that was shown is the expected one, in a time that says nothing about either. */
export function sameSecret(shown: string, expected: string): boolean {
  return sameDigest(digestOf(shown), digestOf(expected));
}
