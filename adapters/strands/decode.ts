import type { DecodeContext } from "../../src/adapter.ts";
import { unclosedBrackets } from "../../src/json/brackets.ts";
import type { JsonValue } from "../../src/json/json-value.ts";
import { pointer, rootPointer } from "../../src/pointer.ts";

/**
 * Text to document: one JSON document, or the list of the events of a stream, either lines of JSON or server-sent
 * events. Each event must be JSON; one over `maxLineBytes` is refused.
 */
export function decode(text: string, context: DecodeContext): JsonValue {
  const events = isEventStream(text) ? eventData(text) : isLines(text) ? lines(text) : undefined;
  if (events === undefined) return context.json(text, rootPointer);
  return events
    .filter((event) => event.trim() !== "")
    .map((event, index) => {
      const place = pointer(rootPointer, index);
      // The limit holds for what can do harm, the length in memory.
      if (event.length > context.limits.maxLineBytes)
        context.fail("line-too-long", place, "the event is over the limit");
      return context.json(event, place);
    });
}

const lineEnd = /\r\n|\r|\n/;

function lines(text: string): readonly string[] {
  return text.split(lineEnd);
}

/** No JSON text begins with a field name or a comment of an event stream. */
function isEventStream(text: string): boolean {
  return /^\s*(?:(?:data|event|id|retry):|:)/.test(text.slice(0, 4096));
}

/**
 * Whether the first line that is not blank is a JSON value by itself and more follows. Lines of a document that is laid
 * out over several are not: its first bracket is still open at their end.
 */
function isLines(text: string): boolean {
  const start = text.search(/\S/);
  if (start === -1 || !'{["'.includes(text.charAt(start))) return false;
  const rest = text.slice(start);
  const end = rest.search(lineEnd);
  return end !== -1 && /\S/.test(rest.slice(end)) && unclosedBrackets(rest.slice(0, end)) === 0;
}

/** The data of each event; lines of one event are joined, every other field is of no use here. */
function eventData(text: string): readonly string[] {
  const events: string[] = [];
  let data: string[] = [];
  for (const line of [...lines(text), ""]) {
    if (line !== "") {
      if (line.startsWith("data:")) data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
    } else if (data.length > 0) {
      events.push(data.join("\n"));
      data = [];
    }
  }
  return events;
}
