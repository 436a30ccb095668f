import { fingerprint } from "../fingerprint.ts";
import type { ToolResult } from "../ir.ts";

const derivedCharacters = 22;

/**
 * The id for a result that has none where the target demands one (R53): `tooluse_` and 22 characters that follow from
 * the content and the position in the batch, so that the same input gives the same id. It pairs with no call.
 */
export function deriveCallId(result: ToolResult, position: number): string {
  const first = fingerprint([result.content, result.structuredContent ?? null, result.status ?? null]);
  const second = fingerprint([first, position]);
  return `tooluse_${(first + second).slice(0, derivedCharacters)}`;
}
