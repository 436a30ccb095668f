import type { Law } from "./law.ts";
import { deltaLaws } from "./laws/delta.ts";
import { hostileLaws } from "./laws/hostile.ts";
import { identityLaws } from "./laws/identity.ts";
import { lossLaws } from "./laws/losses.ts";
import { presenceLaws } from "./laws/presence.ts";
import { roundTripLaws } from "./laws/round-trip.ts";
import { visibilityLaws } from "./laws/visibility.ts";
import type { LawSubject } from "./subject.ts";

/**
 * Everything that must hold for an adapter, as laws to run with random values. They need no test runner:
 *
 *     for (const { name, run } of adapterLaws(subject)) test(name, () => run(300, 1));
 */
export function adapterLaws(subject: LawSubject): readonly Law[] {
  return [
    ...identityLaws(subject),
    ...visibilityLaws(subject),
    ...presenceLaws(subject),
    ...deltaLaws(subject),
    ...hostileLaws(subject),
    ...lossLaws(subject),
    ...roundTripLaws(subject),
  ];
}
