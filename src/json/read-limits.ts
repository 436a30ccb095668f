/** Limits of reading (R16). Each is checked while reading. */
export interface ReadOptions {
  /** Nested containers; a scalar has depth 0, `[]` depth 1. At most 1,024, which is also the default. */
  readonly maxDepth?: number;
  /** Characters of one number token. Default 1,024. */
  readonly maxNumberLength?: number;
  /** Values, containers and their members alike, keys not counted. Default: no limit. */
  readonly maxNodes?: number;
}

/** The limits in force, every one given. */
export type ReadLimits = Required<ReadOptions>;

/** So deep a value can still be walked and written with the stack that every supported runtime has. */
export const greatestDepth = 1024;

const defaultNumberLength = 1024;

/** The options with their defaults. */
export function readLimits(options: ReadOptions = {}): ReadLimits {
  return {
    maxDepth: Math.min(options.maxDepth ?? greatestDepth, greatestDepth),
    maxNumberLength: options.maxNumberLength ?? defaultNumberLength,
    maxNodes: options.maxNodes ?? Number.POSITIVE_INFINITY,
  };
}
