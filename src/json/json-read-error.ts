import type { Pointer } from "../pointer.ts";

/** Why a JSON text or an in-memory value was refused. */
export type JsonReadErrorCode =
  | "invalid-json"
  | "invalid-value"
  | "depth-exceeded"
  | "number-too-long"
  | "too-many-nodes";

/** Where and why. */
export interface JsonReadErrorPlace {
  /** UTF-16 units from the start of the text, a byte order mark counted; absent for a value that had no text. */
  readonly offset?: number;
  /** The value or member that was being read. */
  readonly pointer?: Pointer;
  /** What was expected and the kind of what was met, never the payload itself. */
  readonly detail: string;
}

/** Internal: the core turns it into its own error type, with the adapter and the stage. */
export class JsonReadError extends Error {
  override readonly name = "JsonReadError";
  readonly code: JsonReadErrorCode;
  readonly offset: number | undefined;
  readonly pointer: Pointer | undefined;
  readonly detail: string;

  constructor(code: JsonReadErrorCode, place: JsonReadErrorPlace) {
    super(`${code}: ${place.detail}`);
    this.code = code;
    this.offset = place.offset;
    this.pointer = place.pointer;
    this.detail = place.detail;
  }
}
