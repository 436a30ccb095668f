import type { Pointer } from "../pointer.ts";

/** An IR pointer taken apart: `/content/2/audience` is part 2 and its field; `/status` is a field of the result. */
export function splitPlace(place: Pointer): {
  readonly position: number | undefined;
  readonly field: string;
} {
  const [, first = "", second = "", third = ""] = place.split("/");
  return first === "content" && second !== ""
    ? { position: Number(second), field: third }
    : { position: undefined, field: first };
}
