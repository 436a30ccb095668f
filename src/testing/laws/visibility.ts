import * as fc from "fast-check";
import type { Part, ToolResult } from "../../ir.ts";
import { compact } from "../../json/stringify.ts";
import { platform } from "../../platform/index.ts";
import { showResult, toolResults } from "../arbitraries/ir.ts";
import { type Law, law } from "../law.ts";
import { type LawSubject, type Place, targetsOf, textOf } from "../subject.ts";

/** A word that no arbitrary makes; wherever it is found, it came from a part that holds it. */
const canary = "canary-8c1f5e";

/**
 * R40 to R44: what is for users only reaches no dialect that a model reads, by no channel; what is for roles that
 * nobody knows reaches no dialect at all.
 */
export function visibilityLaws(subject: LawSubject): readonly Law[] {
  return targetsOf(subject.adapter).flatMap((place) => [
    ...(subject.readByModel.includes(place.dialect.id)
      ? [hidingLaw(subject, place, `R40 ${place.name} withholds what is for users only`, withUserOnly)]
      : []),
    // A dialect that says all is read by programs, not by models.
    ...(place.dialect.traits.structured === "verbatim"
      ? []
      : [
          hidingLaw(
            subject,
            place,
            `R44 ${place.name} withholds what is for unknown roles`,
            withUnknownRoles,
          ),
        ]),
  ]);
}

function hidingLaw(subject: LawSubject, place: Place, name: string, values: fc.Arbitrary<ToolResult>): Law {
  const { converter } = subject;
  return law(name, values, showResult, (result) => {
    const detached = converter.render(result, { to: place.name, carry: "detached" });
    demandHidden(textOf(detached.output));
    const inline = converter.render(result, { to: place.name, carry: "inline" });
    // The canonical form is the payload without the carry.
    demandHidden(converter.canonical(textOf(inline.output), { from: place.name }));
    const codes = detached.losses.map(({ code }) => code);
    if (!codes.some((code) => code === "user-only-withheld" || code === "audience-unknown")) {
      throw new Error(`nothing says that a part was withheld; losses: ${codes.join(", ")}`);
    }
  });
}

function demandHidden(text: string): void {
  const found = needles.find((needle) => text.includes(needle));
  if (found !== undefined) throw new Error(`hidden content was written: ${text}`);
}

/** The canary as it stands in text, and in base64 at each of the three positions that bytes can have. */
const needles: readonly string[] = [canary, ...[0, 1, 2].map(base64Core)];

/** The base64 digits that depend on the canary alone, where `shift` bytes stand before it. */
function base64Core(shift: number): string {
  const encoded = platform.encodeBase64(platform.encodeUtf8(" ".repeat(shift) + canary));
  return encoded.slice(shift === 0 ? 0 : 4, -4);
}

const secretData = platform.encodeBase64(platform.encodeUtf8(canary));

/** Every way a part can hold something. */
const secrets: readonly Part[] = [
  { type: "text", text: canary },
  { type: "text", text: compact({ secret: canary }) },
  { type: "json", value: { secret: [canary] } },
  { type: "media", kind: "file", mimeType: "application/pdf", fileName: `${canary}.pdf`, data: secretData },
  { type: "media", kind: "audio", data: secretData },
  { type: "media", kind: "file", text: canary },
  { type: "media", kind: "image", stored: { uri: `s3://bucket/${canary}` } },
  { type: "link", kind: "hyperlink", url: `https://example.com/${canary}`, name: canary },
  { type: "resource", uri: `file:///${canary}`, text: canary },
  { type: "citations", sources: [{ content: canary }], context: canary },
  { type: "opaque", adapter: "elsewhere", value: { canary } },
];

const userOnly = fc.constantFrom<readonly string[]>(["user"], ["user", "user"], ["user", "operator"]);
const unknownOnly = fc.constantFrom<readonly string[]>(["operator"], ["system", "tool"]);

function hiddenParts(roles: fc.Arbitrary<readonly string[]>): fc.Arbitrary<readonly Part[]> {
  const part = fc.tuple(fc.constantFrom(...secrets), roles, fc.boolean()).map(
    ([secret, audience, hasMeta]): Part => ({
      ...secret,
      audience,
      ...(hasMeta ? { meta: { canary } } : {}),
    }),
  );
  return fc.array(part, { minLength: 1, maxLength: 3 });
}

function planted(roles: fc.Arbitrary<readonly string[]>): fc.Arbitrary<ToolResult> {
  return fc
    .tuple(toolResults, hiddenParts(roles), fc.array(fc.nat(4), { minLength: 3, maxLength: 3 }))
    .map(([result, hidden, positions]) => {
      const content = [...result.content];
      for (const [index, part] of hidden.entries()) content.splice(positions[index] ?? 0, 0, part);
      return { ...result, content };
    });
}

const withUnknownRoles: fc.Arbitrary<ToolResult> = planted(unknownOnly);

/** The secret also stands where authors repeat it: in structured content, and in the error's message. */
const withUserOnly: fc.Arbitrary<ToolResult> = fc
  .tuple(
    planted(userOnly),
    fc.constantFrom("nowhere", "structured", "mirror", "error"),
    fc.constantFrom(0, 1),
  )
  .map(([result, repeated, blanks]): ToolResult => {
    const { structuredContent: _, error: __, ...rest } = result;
    const structured = { secret: canary, n: 1 };
    const text = (value: string): Part => ({ type: "text", text: value, audience: ["user"] });
    switch (repeated) {
      case "structured":
        return { ...rest, structuredContent: structured };
      case "mirror":
        return {
          ...rest,
          structuredContent: structured,
          content: [...rest.content, text(" ".repeat(blanks) + compact(structured))],
        };
      case "error":
        return {
          ...rest,
          status: "error",
          error: { message: canary },
          content: [text(canary), ...rest.content],
        };
      default:
        return result;
    }
  });
