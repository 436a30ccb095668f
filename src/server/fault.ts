import type { LogFacts } from "./log.ts";

/**
 * What may be told about an error of the program itself: its kind, and where in this program it came up. Never its
 * message, which can hold anything.
 */
export function faultFacts(error: unknown): LogFacts {
  if (!(error instanceof Error)) return { fault: typeof error };
  const place = placeOf(error);
  return { fault: error.constructor.name, ...(place !== undefined && { place }) };
}

/** The first line of the stack that is in a file of this program: `server/app.js:10:5`. */
function placeOf({ stack = "", message }: Error): string | undefined {
  // The message stands at the beginning of the stack, and could imitate a line of it.
  const lines = stack.slice(stack.indexOf(message) + message.length).split("\n");
  const own = lines.find((line) => /^ {4}at /.test(line) && !/node:|node_modules/.test(line));
  return own === undefined ? undefined : /(?:src|adapters)[/\\]([\w./\\-]+:\d+:\d+)\)?$/.exec(own)?.[1];
}
