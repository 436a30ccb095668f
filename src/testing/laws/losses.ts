import type { Inspection } from "../../converter.ts";
import type { ToolResult } from "../../ir.ts";
import { type Aspect, type Loss, lossEntry } from "../../losses.ts";
import { type Pointer, parsePointer, rootPointer } from "../../pointer.ts";
import { showResult, toolResults } from "../arbitraries/ir.ts";
import { demandEqual, type Law, law } from "../law.ts";
import { resultsAdapter } from "../results-adapter.ts";
import {
  type LawSubject,
  type Payload,
  type Place,
  pairsOf,
  signing,
  targetsOf,
  textOf,
} from "../subject.ts";

/**
 * R12: each difference that a conversion makes has a loss, each loss has a cause, `carried` is true where the way back
 * restores it, and a conversion without losses comes back equal without any carry.
 */
export function lossLaws(subject: LawSubject): readonly Law[] {
  const fromResults = targetsOf(subject.adapter).map((to) =>
    law(`R12 any result -> ${to.name} names what it changes`, toolResults, showResult, (result) => {
      checkResult(subject, to, result);
    }),
  );
  const fromPayloads = pairsOf(subject).map(([from, to]) =>
    law(`R12 ${from.name} -> ${to.name} names what it changes`, from.payloads, textOf, (payload) => {
      checkLosses(subject, from, to, payload);
    }),
  );
  return [...fromResults, ...fromPayloads];
}

function checkResult({ converter }: LawSubject, to: Place, result: ToolResult): void {
  const pair = { from: resultsAdapter, to: to.name };
  demandExplained(converter.inspect(result, { ...pair, carry: "off" }), false);
  demandExplained(converter.inspect(result, { ...pair, carry: "detached" }), true);
}

function checkLosses(subject: LawSubject, from: Place, to: Place, payload: Payload): void {
  const { converter } = subject;
  const text = textOf(payload);
  const key = signing(subject, from, payload);
  const pair = { from: from.name, to: to.name, ...key } as const;
  const bare = converter.inspect(text, { ...pair, carry: "off" });
  demandExplained(bare, false);
  demandExplained(converter.inspect(text, { ...pair, carry: "detached" }), true);
  if (!from.dialect.output || bare.conversion.losses.some(({ carried }) => !carried)) return;
  const back = converter.convert(textOf(bare.conversion.output), {
    from: to.name,
    to: from.name,
    carry: "off",
  });
  // The way back is a conversion of its own and may name what it leaves out.
  if (back.losses.some(({ carried }) => !carried)) return;
  demandEqual(
    converter.canonical(textOf(back.output), { from: from.name }),
    converter.canonical(text, { from: from.name }),
    `no loss says that anything is left out, and yet the way back differs; between, it was ${textOf(bare.conversion.output)}`,
  );
}

interface Difference {
  readonly aspect: Aspect;
  readonly place: Pointer;
}

function demandExplained({ conversion, result, delta, report }: Inspection, written: boolean): void {
  const fault = conversion.losses.find(({ code }) => code === "unreported-change");
  if (fault !== undefined) {
    throw new Error(
      `a change without a loss, at "${fault.pointer}": ${describe(delta)}; written: ${textOf(conversion.output)}`,
    );
  }
  for (const difference of delta) {
    const covering = report.filter(({ loss, place }) => covers(loss, place, difference));
    if (covering.length === 0)
      throw new Error(`no loss names ${describe([difference])}; losses: ${codes(report)}`);
    if (!covering.some(({ loss }) => loss.carried === written)) {
      throw new Error(`\`carried\` of ${codes(covering)} is not ${written}`);
    }
  }
  for (const { loss, place } of report) {
    const isCause = delta.some((difference) => covers(loss, place, difference));
    if (isCause) continue;
    if (!loss.carried && lossEntry(loss.code).returns) {
      throw new Error(`${loss.code} at "${place}" is about no difference, and yet is not carried`);
    }
    if (!isAbout(loss, place, result)) throw new Error(`${loss.code} at "${place}" is about nothing there`);
  }
}

/** What a difference of this place and aspect can be named by: a loss of the same part or, for the rest, any place. */
function covers(loss: Loss, place: Pointer, difference: Difference): boolean {
  if (!(lossEntry(loss.code).covers as readonly Aspect[]).includes(difference.aspect)) return false;
  const part = partOf(difference.place);
  return part === undefined || difference.aspect === "order" || partOf(place) === part;
}

function partOf(place: Pointer): string | undefined {
  const [first, second] = parsePointer(place) ?? [];
  return first === "content" ? second : undefined;
}

/** Whether the place is of a kind that such a loss can be about; a loss of reading has the document for its place. */
function isAbout(loss: Loss, place: Pointer, result: ToolResult): boolean {
  const about: readonly string[] = lossEntry(loss.code).about;
  if (place === rootPointer && loss.pointer !== rootPointer) return true;
  const part = partOf(place);
  if (part !== undefined) {
    const type = result.content[Number(part)]?.type;
    return type !== undefined && (about.includes("part") || about.includes(type));
  }
  const [field = "document"] = parsePointer(place) ?? [];
  return (
    about.includes(field) && (field === "document" || field === "content" || Object.hasOwn(result, field))
  );
}

function describe(differences: readonly Difference[]): string {
  return differences.map(({ aspect, place }) => `${aspect} at "${place}"`).join(", ");
}

function codes(report: Inspection["report"]): string {
  return report.map(({ loss, place }) => `${loss.code} at "${place}"`).join(", ");
}
