import { ConversionError, unknownWord } from "./errors.ts";
import { lossCodes, severities } from "./losses.ts";
import type { ConversionOptions, Limits } from "./options.ts";
import { optionValues } from "./options-check.ts";

/**
 * The options of a conversion as words: what the command line, the HTTP query and the reference page say about
 * each, from one table. A new option in `ConversionOptions` breaks the build until it has a row here.
 */

/** Options that are no words: a document, a secret, a count, other options. Each face has its own way to take them. */
type Handed = "carried" | "carryKey" | "batchPosition" | "limits";
export type SettingName = Exclude<keyof ConversionOptions, Handed>;

export interface Setting<Value> {
  /** One sentence: what it does. */
  readonly what: string;
  /** What holds where it is not given. */
  readonly absent: string;
  /** Why the default is what it is. */
  readonly reason: string;
  /** What a value looks like, for help texts: `ID`, or the words to choose from. */
  readonly value: string;
  /** True for on-off settings, which the command line takes without a value. */
  readonly isSwitch: boolean;
  /** Throws `invalid-option` for a text that is no value of this setting; `name` is the caller's spelling of it. */
  readonly read: (text: string, name: string) => Value;
}

type Texts = Pick<Setting<unknown>, "what" | "absent" | "reason">;

const word = <Word extends string>(words: readonly Word[], texts: Texts): Setting<Word> => ({
  ...texts,
  value: words.join("|"),
  isSwitch: false,
  read: (text, name) => readWord(text, name, words),
});

const text = (value: string, texts: Texts): Setting<string> => ({
  ...texts,
  value,
  isSwitch: false,
  read: (given, name) => {
    if (given === "") throw new ConversionError("invalid-option", `${name} needs a value`);
    return given;
  },
});

const onOff = (texts: Texts): Setting<boolean> => ({
  ...texts,
  value: "true|false",
  isSwitch: true,
  read: (given, name) => readWord(given, name, ["true", "false", "1", "0"]) === "true" || given === "1",
});

const failOnWords = [...severities, ...lossCodes];

export const settingTable: { readonly [Name in SettingName]: Setting<NonNullable<ConversionOptions[Name]>> } =
  {
    mode: word(optionValues.mode, {
      what: "`strict` fails on contradictions, on losses of `warning` and above, and on losses that are not carried.",
      absent: "lenient",
      reason: "A tool has run already; a report helps more than a refusal. No mode drops in silence.",
    }),
    failOn: {
      what: "Fails on losses of these severities or codes, in either mode.",
      absent: "by the mode",
      reason: "Some losses matter to one route and not to another.",
      value: "SEVERITY|CODE,...",
      isSwitch: false,
      read: (given, name) => given.split(",").map((item) => readWord(item.trim(), name, failOnWords)),
    },
    uncarried: word(optionValues.uncarried, {
      what: "Under `strict`: whether a loss that the way back cannot restore may pass.",
      absent: "refuse",
      reason: "Strict means that the way back is exact.",
    }),
    toolCallId: text("ID", {
      what: "The id of the call; of several results in a document, the one to take.",
      absent: "the source's own id",
      reason: "Only the caller knows which call the result answers.",
    }),
    audience: word(optionValues.audience, {
      what: "What happens to content for the user only.",
      absent: "native for watsonx, withhold elsewhere",
      reason: "Where the target has no audience, the model reads everything in it.",
    }),
    structured: word(optionValues.structured, {
      what: "`show` lets `structuredContent` through while user-only parts stay withheld.",
      absent: "guard",
      reason: "Structured data often repeats what only the user may see.",
    }),
    assistantOnly: word(optionValues.assistantOnly, {
      what: "`withhold` keeps content for the model only from targets that show it to users.",
      absent: "write",
      reason: "The model needs it; the loss says where users may see it.",
    }),
    mirror: word(optionValues.mirror, {
      what: "Which channels of watsonx get the only JSON object of a result.",
      absent: "both",
      reason: "Readers of watsonx look in either channel.",
    }),
    userVariable: text("NAME", {
      what: "Name of a Dify array variable that also gets the user-only texts.",
      absent: "off",
      reason: "A workflow must ask for it to show it.",
    }),
    nonEmpty: onOff({
      what: "Strands: writes an empty text in place of no content.",
      absent: "false",
      reason: "Empty stays empty; some models refuse an empty list.",
    }),
    documentSuffix: onOff({
      what: "Strands: a suffix that makes document names unique over a whole request.",
      absent: "true",
      reason: "Bedrock refuses a request with two documents of one name.",
    }),
    imageMarkdown: onOff({
      what: "watsonx: `![name](url)` for a link to an image, instead of a plain link.",
      absent: "true",
      reason: "It is the documented way to show an image there.",
    }),
    imageUrl: onOff({
      what: "Strands `typescript`: `source.url` for images given as a link.",
      absent: "false",
      reason: "Few models take URLs.",
    }),
    carry: word(optionValues.carry, {
      what: "Where the carry goes, which makes the way back exact: into the payload, to the caller, or nowhere.",
      absent: "inline",
      reason: "The way back works without anything to keep.",
    }),
  };

export const settingNames = Object.keys(settingTable) as readonly SettingName[];

/** One limit of reading, in words (R16). */
export interface LimitSetting {
  readonly what: string;
  readonly reason: string;
}

export const limitTable: { readonly [Name in keyof Limits]: LimitSetting } = {
  maxDepth: {
    what: "Levels of arrays and objects inside one result.",
    reason: "Deeper payloads break readers that recurse.",
  },
  maxNodes: {
    what: "Values in a document.",
    reason: "The caller of a library knows its memory; a server sets 1,000,000.",
  },
  maxNumberLength: {
    what: "Characters of one number.",
    reason: "Comparing numbers exactly costs time by the digit.",
  },
  maxParts: { what: "Parts of one result; a blob counts once.", reason: "No model reads more." },
  maxLineBytes: {
    what: "Bytes of one line or event of a stream, unless it is a blob's.",
    reason: "A line is held whole; MCP servers send results of several megabytes in one.",
  },
  carryLimit: {
    what: "Bytes of one inline carry.",
    reason: "With it, a Dify line stays under the 1 MiB that its readers take.",
  },
};

export const limitNames = Object.keys(limitTable) as readonly (keyof Limits)[];

/** Reads settings given as texts, keyed by setting; `nameOf` is how the caller spells a name in an error. */
export function readSettings(
  given: ReadonlyMap<SettingName, string>,
  nameOf: (name: SettingName) => string,
): ConversionOptions {
  const read = (name: SettingName, value: string) =>
    [name, settingTable[name].read(value, nameOf(name))] as const;
  // The table's type pairs each name with its value's type; `fromEntries` cannot say so.
  return Object.fromEntries([...given].map(([name, value]) => read(name, value))) as ConversionOptions;
}

/** A limit given as text: a whole number from 1, or `Infinity`. */
export function readLimit(given: string, name: string): number {
  if (given === "Infinity") return Number.POSITIVE_INFINITY;
  if (!/^[1-9][0-9]{0,14}$/.test(given)) {
    throw new ConversionError("invalid-option", `${name} takes a whole number from 1, or Infinity`);
  }
  return Number(given);
}

/** `word` if it is one of `words`, else the error that names the nearest. */
export function readWord<Word extends string>(given: string, name: string, words: readonly Word[]): Word {
  const found = words.find((candidate) => candidate === given);
  if (found === undefined) throw unknownWord("invalid-option", `value for ${name}:`, given, words);
  return found;
}
