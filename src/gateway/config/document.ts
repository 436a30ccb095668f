import {
  Composer,
  type CST,
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type ParsedNode,
  Parser,
} from "yaml";
import { type Path, type Place, Places, type Report } from "./problems.ts";

/** Deeper than any configuration, and less than what the recursion of readers can take. */
const maxDepth = 64;
/** With aliases written out, so that a few lines cannot become a billion values. */
const maxValues = 100_000;

/** The values of a file before anything was expanded, and where each stands. */
export interface ConfigDocument {
  readonly value: unknown;
  readonly places: Places;
}

/** Reads YAML 1.2 by its core schema, and so JSON too; without tags, merge keys and duplicate keys. */
export function readDocument(text: string, file: string, report: Report): ConfigDocument {
  const lines = new LineCounter();
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { source: file, line, column: col };
  };
  const places = new Places({ source: file, line: 1, column: 1 });
  const nothing = { value: {}, places };

  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  const tooDeep = tokenBelow(maxDepth, tokens);
  if (tooDeep !== undefined) {
    report(at(tooDeep), [], `nested deeper than ${maxDepth} levels`);
    return nothing;
  }
  const composer = new Composer({ prettyErrors: false, stringKeys: true, resolveKnownTags: false });
  const [document, second] = [...composer.compose(tokens, true, text.length)];
  if (document === undefined) return nothing;
  if (second !== undefined)
    report(at(second.range[0]), [], "a configuration is one document; this is a second");
  if (document.directives.yaml.version !== "1.2") {
    report(at(0), [], "only YAML 1.2 is read, where `no` is a text; remove the %YAML line");
  }
  const faults = [...document.errors, ...document.warnings];
  // The messages of the parser quote the text, so they are told in our own words.
  for (const { code, pos } of faults) report(at(pos[0]), [], faultTexts[code]);
  return faults.length > 0 ? nothing : { value: new Reader(document, at, places, report).read(), places };
}

const faultTexts: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: "an alias cannot have an anchor or a tag",
  BAD_ALIAS: "the name of this alias or anchor is none that YAML allows",
  BAD_COLLECTION_TYPE: "the tag is for another kind of value",
  BAD_DIRECTIVE: "a line that begins with % is none that YAML knows",
  BAD_DQ_ESCAPE: "this is no escape; write \\\\ for a backslash within double quotes",
  BAD_INDENT: "the lines of this value must be indented more, or its bracket is not closed",
  BAD_PROP_ORDER: "an anchor or a tag stands before the dash or question mark, not after it",
  BAD_SCALAR_START: "a text that begins with this character needs quotes",
  BLOCK_AS_IMPLICIT_KEY: "a text with a colon and a blank needs quotes, and a nested section its own line",
  BLOCK_IN_FLOW: "within brackets everything is written with brackets",
  DUPLICATE_KEY: "this key stands twice; keep one",
  IMPOSSIBLE: "this is no YAML",
  KEY_OVER_1024_CHARS: "a key is longer than 1,024 characters, or a colon is missing",
  MISSING_CHAR: "a quote, comma, colon or blank is missing here",
  MULTILINE_IMPLICIT_KEY: "a key stands on one line; is a colon missing above?",
  MULTIPLE_ANCHORS: "a value has one anchor at most",
  MULTIPLE_DOCS: "a configuration is one document; this is a second",
  MULTIPLE_TAGS: "tags are not read",
  NON_STRING_KEY: "a key is a text",
  RESOURCE_EXHAUSTION: "too large or too deep to be read",
  TAB_AS_INDENT: "YAML is indented with blanks, not with tabs",
  TAG_RESOLVE_FAILED: "tags are not read; put a text that begins with ! in quotes",
  UNEXPECTED_TOKEN: "this cannot stand here; is the indentation right, or a quote missing?",
};

/** Where something is nested deeper than `depth`. The parser keeps its own stack, but composing recurses. */
function tokenBelow(depth: number, tokens: readonly CST.Token[]): number | undefined {
  const waiting = tokens.map((token) => ({ token, level: 0 }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { token, level } = next;
    if (level > depth) return token.offset;
    if (token.type === "document" && token.value !== undefined) waiting.push({ token: token.value, level });
    if (!("items" in token)) continue;
    for (const item of token.items) {
      for (const inner of [item.key, item.value]) {
        if (inner !== undefined && inner !== null) waiting.push({ token: inner, level: level + 1 });
      }
    }
  }
  return undefined;
}

/** Takes the values out of a document that has no errors, and notes their places. */
class Reader {
  readonly #document: Document.Parsed;
  readonly #at: (offset: number) => Place;
  readonly #places: Places;
  readonly #report: Report;
  #values = 0;
  #refused = false;

  constructor(document: Document.Parsed, at: (offset: number) => Place, places: Places, report: Report) {
    this.#document = document;
    this.#at = at;
    this.#places = places;
    this.#report = report;
  }

  read(): unknown {
    // A file of comments alone has the default of everything.
    return this.#value(this.#document.contents, []) ?? {};
  }

  #value(node: ParsedNode | Node | null, path: Path, key?: Place): unknown {
    if (node === null) return null;
    const place = this.#placeOf(node);
    this.#places.set(path, place, key);
    this.#values += 1;
    if (this.#values > maxValues || path.length > maxDepth) return this.#refuse(place);
    if (isAlias(node)) {
      const target = node.resolve(this.#document);
      if (target === undefined) this.#report(place, path, "no anchor of this name stands above");
      return this.#value(target ?? null, path, key);
    }
    if (isSeq<Node>(node)) return node.items.map((item, index) => this.#value(item, [...path, index]));
    if (isMap<Node, Node | null>(node)) {
      return Object.fromEntries(
        node.items.flatMap((pair) => {
          const name = this.#key(pair.key, path);
          if (name === undefined) return [];
          const below = [...path, name];
          const keyPlace = this.#placeOf(pair.key);
          this.#places.set(below, keyPlace);
          const value = this.#value(pair.value, below, keyPlace);
          // A section whose every line is commented out is none.
          return value === null && path.length === 0 ? [] : [[name, value] as const];
        }),
      );
    }
    if (isScalar(node)) return this.#scalar(node.value, place, path);
    return null;
  }

  /** Once for a file: behind an alias, the same place would be told a thousand times. */
  #refuse(place: Place): null {
    if (!this.#refused) {
      this.#report(
        place,
        [],
        `more than ${maxValues} values or ${maxDepth} levels, with aliases written out`,
      );
    }
    this.#refused = true;
    return null;
  }

  #key(node: Node, path: Path): string | undefined {
    const name = isScalar(node) ? String(node.value) : "";
    if (name === "<<" && isScalar(node) && node.type === "PLAIN") {
      this.#report(this.#placeOf(node), [...path, name], "merge keys are YAML 1.1; write the keys out");
      return undefined;
    }
    // Assigning it would change the object itself in some library.
    if (name === "__proto__") {
      this.#report(this.#placeOf(node), [...path, name], "this name cannot be used");
      return undefined;
    }
    return name;
  }

  #scalar(value: unknown, place: Place, path: Path): unknown {
    if (typeof value === "number" && !Number.isFinite(value)) {
      this.#report(place, path, "expected a number that JSON has, too");
    }
    return value;
  }

  #placeOf(node: Node): Place {
    return this.#at(node.range?.[0] ?? 0);
  }
}
