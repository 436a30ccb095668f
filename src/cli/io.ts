/**
 * What the command line needs of the world, handed in so that a transcript is a test without a process. The
 * implementation for a real process is `node-io.ts`.
 */
export interface Io {
  readonly stdin: AsyncIterable<Uint8Array> & Terminal;
  readonly stdout: Output;
  /** Its `write` never throws. */
  readonly stderr: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Relative paths and package names are looked up from here. */
  readonly workingDirectory: string;
  /** Opens a file for reading; throws `file-failed`. */
  open(path: string): Promise<InputFile>;
  /** Whether there is anything at this path. */
  exists(path: string): Promise<boolean>;
  /** Begins a file that appears under its name only when it is complete; throws `file-failed`. */
  create(path: string): Promise<NewFile>;
  /** Milliseconds of a clock that only goes forward. */
  now(): number;
  /**
   * Resolves at the first request to stop, or with the error that nothing caught. Until it is called, such a request
   * ends the process at once, with 128 and the signal's number, leaving no unfinished file; so does a second request.
   */
  untilStopped(): Promise<unknown>;
}

export interface Terminal {
  readonly isTerminal: boolean;
}

export interface Output extends Terminal {
  /** Resolves when more may be written. Throws `BrokenPipe` when the reader has gone. */
  write(text: string): Promise<void>;
}

export interface InputFile {
  /** Bytes, where the file has a size before it is read. */
  readonly size: number | undefined;
  readonly chunks: AsyncIterable<Uint8Array>;
}

export interface NewFile {
  write(text: string): Promise<void>;
  /** Puts the file under its name. */
  commit(): Promise<void>;
  /** Leaves nothing behind. */
  discard(): Promise<void>;
}

/** Thrown by an output whose reader has gone (`trg ... | head -1`): not a failure, there is only nobody to tell. */
export class BrokenPipe extends Error {
  override readonly name = "BrokenPipe";
}
