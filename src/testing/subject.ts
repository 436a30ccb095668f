import type * as fc from "fast-check";
import type { Adapter, Dialect } from "../adapter.ts";
import type { Converter } from "../converter.ts";
import type { JsonValue } from "../json/json-value.ts";
import { stringify } from "../json/stringify.ts";

/** A payload on its way: a JSON document, or the text of a dialect that is lines or events. */
export type Payload = JsonValue | string;

/** What the laws are checked for: one adapter, its arbitrary payloads, and the formats it converts to and from. */
export interface LawSubject {
  /** Knows the adapter and its partners. */
  readonly converter: Converter;
  readonly adapter: Adapter;
  /**
   * Arbitrary valid payloads by dialect, within the limits, each holding one result; every dialect that is written
   * has some. Documents that are a JSON string are not among them, since a string is the text of a payload.
   */
  readonly payloads: Readonly<Record<string, fc.Arbitrary<Payload>>>;
  /** The formats to go to and come back from. */
  readonly partners: readonly Adapter[];
  /** The dialects of which a model reads the whole content, and which therefore must withhold what is for users. */
  readonly readByModel: readonly string[];
  /**
   * Whether a payload comes back by a signed carry only: one with files that its platform stores (R63), or with content
   * for the user only in a dialect of which a model reads everything. Default: none.
   */
  readonly needsSignature?: (payload: Payload, dialect: string) => boolean;
}

/** One dialect of one adapter. */
export interface Place {
  readonly dialect: Dialect;
  /** `format:dialect` */
  readonly name: string;
}

/** A dialect with payloads to begin with. */
export interface Source extends Place {
  readonly payloads: fc.Arbitrary<Payload>;
}

/** Every dialect of the subject that payloads are known of, those that are only read too. */
export function sourcesOf({ adapter, payloads }: LawSubject): readonly Source[] {
  return adapter.dialects.flatMap((dialect) => {
    const known = Object.hasOwn(payloads, dialect.id) ? payloads[dialect.id] : undefined;
    if (known !== undefined) return [{ dialect, name: `${adapter.id}:${dialect.id}`, payloads: known }];
    if (dialect.output) throw new TypeError(`no payloads for ${adapter.id}:${dialect.id}`);
    return [];
  });
}

/** The dialects that an adapter writes. */
export function targetsOf(adapter: Adapter): readonly Place[] {
  return adapter.dialects
    .filter((dialect) => dialect.output)
    .map((dialect) => ({ dialect, name: `${adapter.id}:${dialect.id}` }));
}

/** Ordered pairs that begin at the subject; a dialect is not paired with itself. */
export function pairsOf(subject: LawSubject): readonly (readonly [Source, Place])[] {
  const targets = [subject.adapter, ...subject.partners].flatMap(targetsOf);
  return sourcesOf(subject).flatMap((from) =>
    targets.flatMap((to) => (to.name === from.name ? [] : [[from, to] as const])),
  );
}

/** The text that would go over the wire; what a conversion wrote is read again from it. */
export function textOf(payload: Payload): string {
  return typeof payload === "string" ? payload : stringify(payload);
}

/** Secret of the runs whose payloads need a signed carry. */
export const lawKey = "a key of the laws";

/** The options of a payload that comes back by a signed carry only. */
export function signing(subject: LawSubject, from: Place, payload: Payload): { readonly carryKey?: string } {
  return subject.needsSignature?.(payload, from.dialect.id) === true ? { carryKey: lawKey } : {};
}
