import type { Conversion, Converter, ConvertOptions } from "../converter.ts";
import type { NewFile } from "./io.ts";
import type { Messages } from "./messages.ts";

/** What one run of `trg convert` works with, for one document and for a batch alike. */
export interface Job {
  readonly converter: Converter;
  readonly options: ConvertOptions;
  readonly sink: NewFile;
  readonly messages: Messages;
  /** The text that a conversion is written as, with its line break. */
  readonly write: (conversion: Conversion) => string;
  /** Documents of the batch so far: ids that are derived differ by it (R53). */
  documents: number;
}
