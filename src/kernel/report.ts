import { ConversionError } from "../errors.ts";
import type { ToolResult } from "../ir.ts";
import { type Aspect, type Loss, type LossCode, lossEntry, severities } from "../losses.ts";
import type { ConversionOptions } from "../options.ts";
import { type Pointer, rootPointer } from "../pointer.ts";
import type { Difference } from "./delta.ts";
import { splitPlace } from "./place.ts";
import type { PlacedLoss, Rendered } from "./render.ts";
import type { Resolved } from "./resolve.ts";

/** Differences whose loss follows from their aspect alone, wherever the renderer has not named one. */
const impliedCodes: Partial<Record<Aspect, LossCode>> = {
  audience: "audience-dropped",
  annotation: "annotation-dropped",
  "part-meta": "meta-dropped",
  "result-meta": "meta-dropped",
  extension: "extension-dropped",
  "file-name": "file-name-changed",
  "mime-type": "mime-corrected",
  error: "error-detail-dropped",
  logs: "log-dropped",
  widget: "widget-not-rendered",
};

const impliedDetails: Partial<Record<LossCode, string>> = {
  "call-id-dropped": "not written",
  "call-id-generated": "derived from the content",
  "call-id-aliased": "an alias is written",
  "unreported-change": "the payload reads differently from the result, and the adapter named no loss",
};

export function impliedLosses(
  differences: readonly Difference[],
  rendered: Rendered,
  result: ToolResult,
  target: string,
): readonly PlacedLoss[] {
  const named = new Set(rendered.losses.flatMap(keysOf));
  return differences
    .filter((difference) => !named.has(keyOf(difference)))
    .map((difference) => {
      const code = impliedCode(difference, rendered.base, result, target);
      return { code, place: difference.place, detail: impliedDetails[code] ?? "not written" };
    });
}

function impliedCode(
  { aspect, place }: Difference,
  base: ToolResult,
  result: ToolResult,
  target: string,
): LossCode {
  if (aspect === "call-id") {
    if (base.toolCallId === undefined) return "call-id-dropped";
    return result.toolCallId === undefined ? "call-id-generated" : "call-id-aliased";
  }
  if (aspect === "extension" && target !== "strands" && hasDocumentContext(place, result))
    return "document-context-dropped";
  return impliedCodes[aspect] ?? "unreported-change";
}

/** Strands' documents alone have a context, which the model has read there. */
function hasDocumentContext(place: Pointer, result: ToolResult): boolean {
  const { position } = splitPlace(place);
  const own = position === undefined ? undefined : result.content[position]?.extensions?.strands;
  return own !== undefined && (own.context !== undefined || own.citations !== undefined);
}

const partAspects = new Set<Aspect>([
  "form",
  "left-out",
  "audience",
  "annotation",
  "part-meta",
  "extension",
  "file-name",
  "mime-type",
]);

/** What a loss has to name to account for a difference (R12): the aspect, and the part where it is about one. */
function keyOf({ aspect, place }: Difference): string {
  const { position } = splitPlace(place);
  return position !== undefined && partAspects.has(aspect) ? `${aspect} ${position}` : aspect;
}

/** The keys that a loss names. */
function keysOf({ code, place }: PlacedLoss): readonly string[] {
  const { position } = splitPlace(place);
  const aspects: readonly Aspect[] = lossEntry(code).covers;
  return position === undefined ? aspects : aspects.flatMap((aspect) => [aspect, `${aspect} ${position}`]);
}

export function reportOf(
  losses: readonly PlacedLoss[],
  differences: readonly Difference[],
  written: boolean,
  resolved: Resolved,
): readonly { loss: Loss; place: Pointer }[] {
  const differing = new Set(differences.map(keyOf));
  return losses.map((placed) => {
    const { code, place, detail } = placed;
    const isDifference = keysOf(placed).some((key) => differing.has(key));
    const carried = lossEntry(code).returns && (isDifference ? written : true);
    return {
      loss: toLoss(code, place === rootPointer ? rootPointer : resolved.pointerOf(place), detail, carried),
      place,
    };
  });
}

export function toLoss(code: LossCode, place: Pointer, detail: string, carried: boolean): Loss {
  return { code, severity: lossEntry(code).severity, pointer: place, detail, carried };
}

/** One loss per code and pointer, as the caller sees it; carried only where all of it is. */
export function merged(losses: readonly Loss[]): readonly Loss[] {
  const byKey = new Map<string, Loss>();
  for (const loss of losses) {
    const key = `${loss.code} ${loss.pointer}`;
    const before = byKey.get(key);
    if (before === undefined) byKey.set(key, loss);
    else if (before.carried && !loss.carried) byKey.set(key, { ...before, carried: false });
  }
  return [...byKey.values()];
}

/** R22. A severity stands for itself and all above it. */
export function refuse(losses: readonly Loss[], options: ConversionOptions): void {
  const strict = options.mode === "strict";
  const named: readonly string[] = options.failOn ?? (strict ? ["warning"] : []);
  const severity = severities.findIndex((name) => named.includes(name));
  const refused = losses.filter(
    (loss) =>
      named.includes(loss.code) ||
      (severity !== -1 && severities.indexOf(loss.severity) >= severity) ||
      (strict && options.uncarried !== "allow" && !loss.carried),
  );
  if (refused.length === 0) return;
  const codes = [...new Set(refused.map((loss) => loss.code))].join(", ");
  throw new ConversionError("losses-refused", `the policy refuses ${refused.length} losses: ${codes}`, {
    pointer: refused[0]?.pointer ?? rootPointer,
    data: { losses: refused },
  });
}
