import { randomBytes } from "node:crypto";

/**
 * An id for a call whose caller gave none, in the form of Strands and Bedrock (`[a-zA-Z0-9_.:-]{1,64}`). The gateway
 * knows the call, so it never derives one from the result (R53).
 */
export function newCallId(): string {
  return `tooluse_${randomBytes(17).toString("base64url").slice(0, 22)}`;
}
