import type { Part } from "../ir.ts";

/** Who a part is for, as far as its roles are known (R44). `unknown`: roles are named, but none that is known. */
export type Visibility = "everyone" | "user" | "assistant" | "unknown";

/** No roles, an empty list and both known roles all mean everyone; known roles decide where one is present (R44). */
export function visibilityOf(part: Part): Visibility {
  const roles = part.audience;
  if (roles === undefined || roles.length === 0) return "everyone";
  const user = roles.includes("user");
  const assistant = roles.includes("assistant");
  if (user && assistant) return "everyone";
  if (user) return "user";
  return assistant ? "assistant" : "unknown";
}

/** True where two parts are for the same people: the roles as a set, absent and empty being the same. */
export function sameAudience(first: Part, second: Part): boolean {
  const left = new Set(first.audience ?? []);
  const right = new Set(second.audience ?? []);
  return left.size === right.size && [...left].every((role) => right.has(role));
}
