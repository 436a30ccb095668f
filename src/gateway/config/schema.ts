import * as z from "zod";
import type { Adapter } from "../../adapter.ts";
import { ConversionError } from "../../errors.ts";
import type { Face } from "../face.ts";
import type { GatewayParts } from "../parts.ts";
import type { UpstreamKind } from "../upstream.ts";
import { checkAddress, checkPath } from "./address.ts";
import type { GatewayConfig, RouteConfig, UpstreamConfig } from "./config.ts";
import { policySchema } from "./policy.ts";
import { unknownText } from "./problems.ts";
import { authShape, limitsShape, serverShape } from "./settings-table.ts";
import { name, text, texts, word } from "./value-kinds.ts";

/** What a configuration can speak of. */
export interface ConfigParts extends GatewayParts {
  readonly adapters: readonly Adapter[];
}

/** The schema of a configuration whose placeholders are expanded; its output has every default filled in. */
export function configSchema({ kinds, faces, adapters }: ConfigParts): z.ZodType<GatewayConfig> {
  return z
    .strictObject({
      $schema: z.string().describe("Where an editor finds the schema of this file.").exactOptional(),
      server: z
        .strictObject(serverShape)
        .prefault({})
        .describe("How the server behaves towards its clients."),
      auth: z.strictObject(authShape).prefault({}).describe("Who may call."),
      limits: z.strictObject(limitsShape).prefault({}).describe("Limits of what is read."),
      carryKey: text()
        .describe(
          "Signs carries, so that stored files and user-only content come back through another platform.",
        )
        .exactOptional(),
      adapters: texts()
        .prefault([])
        .describe("Modules with adapters of further formats: paths from this file, or packages."),
      plugins: texts()
        .prefault([])
        .describe("Modules with further kinds of upstreams and faces: paths from this file, or packages."),
      faces: facesSchema(faces).prefault({}).describe("What callers can speak beside plain HTTP."),
      upstreams: z
        .record(name(), upstreamSchema(kinds))
        .prefault({})
        .describe("Servers that run tools, by names for the routes."),
      routes: z
        .array(routeSchema(adapters))
        .prefault([])
        .describe("Tools: who calls them how, and where they run."),
    })
    .transform(({ $schema: _, ...config }) => config);
}

/** The JSON Schema (2020-12) of the file as it is written, with placeholders. */
export function configJsonSchema(parts: ConfigParts): z.core.JSONSchema.BaseSchema {
  const schema = z.toJSONSchema(configSchema(parts), {
    io: "input",
    unrepresentable: "any",
    override: ({ jsonSchema, path }) => {
      if (!path.includes("propertyNames")) allowPlaceholder(jsonSchema);
    },
  });
  return {
    $id: "urn:tool-result-gateway:config:1",
    title: "Configuration of the tool result gateway",
    ...schema,
  };
}

const placeholderPattern = "\\$\\{";

/** Every text can come from a placeholder, also one that must have a certain form. */
function allowPlaceholder(schema: z.core.JSONSchema.BaseSchema): void {
  const { type, pattern, enum: words, format } = schema;
  if (type !== "string") return;
  if (words !== undefined || format !== undefined) {
    for (const key of ["type", "pattern", "enum", "format"] as const) delete schema[key];
    const form = {
      type,
      ...(words !== undefined && { enum: words }),
      ...(format !== undefined && { format }),
    };
    schema.anyOf = [form, { type, pattern: placeholderPattern }];
  } else if (pattern?.endsWith(placeholderPattern) === false) {
    schema.pattern = `${pattern}|${placeholderPattern}`;
  }
}

function facesSchema(faces: readonly Face[]) {
  return z.strictObject(
    Object.fromEntries(
      faces.map(({ id, settings, always }) => {
        const checked = objectOf(`face ${id}`, settings)
          .superRefine(checkAddress)
          .meta(settings.meta() ?? {});
        return [id, always ? checked.prefault({}) : checked.exactOptional()] as const;
      }),
    ),
  ) as z.ZodType<GatewayConfig["faces"]>; // A key that is absent is no key with the value undefined.
}

function upstreamSchema(kinds: readonly UpstreamKind[]) {
  const [first, ...rest] = kinds.map(({ kind, settings }) =>
    objectOf(`upstream kind ${kind}`, settings)
      .superRefine(checkAddress)
      .safeExtend({ kind: z.literal(kind).describe("What kind of server it is.") })
      .meta(settings.meta() ?? {}),
  );
  if (first === undefined) return z.never();
  return z
    .discriminatedUnion("kind", [first, ...rest])
    .transform(({ kind, ...settings }): UpstreamConfig => ({ kind, settings }));
}

/** The settings of a plugin come as any schema; `kind` can only be added to an object, and unknown keys never pass. */
function objectOf(owner: string, settings: z.ZodType<object>): z.ZodObject<Record<never, z.ZodType>> {
  if (settings instanceof z.ZodObject) return settings.strict();
  throw new ConversionError("invalid-config", `the settings of the ${owner} are not a zod object`);
}

function routeSchema(adapters: readonly Adapter[]): z.ZodType<RouteConfig> {
  const readable = adapters.flatMap(({ id, dialects }) => [id, ...dialects.map((one) => `${id}:${one.id}`)]);
  const writable = adapters.flatMap(({ id, dialects: [first, ...rest] }) => [
    ...(first.output ? [id] : []),
    ...[first, ...rest].filter(({ output }) => output).map((one) => `${id}:${one.id}`),
  ]);
  const speaking = new Set(adapters.filter(({ call }) => call !== undefined).map(({ id }) => id));
  const callable = readable.filter((word) => speaking.has(word.split(":", 1)[0] ?? ""));
  return z.strictObject({
    name: name().describe("Name of the tool for callers: `POST /tools/NAME`."),
    upstream: text().describe("Name of the upstream that runs the tool."),
    from: oneOf("format", readable).describe("Format of the upstream's answer."),
    to: oneOf("format, or one that is only read", writable).describe(
      "Format of the caller's answer, unless a request names one.",
    ),
    call: oneOf("format of calls", ["arguments", ...callable])
      .describe(
        "Format of the caller's request. Default: that of `to`; `arguments` is a bare object of arguments.",
      )
      .exactOptional(),
    path: z
      .string()
      .superRefine(checkPath)
      .prefault("")
      .describe("Address of the tool below the upstream's, from `/`."),
    tool: toolSchema
      .prefault({})
      .describe("What callers are told of the tool, and the upstream's name for it."),
    policy: policySchema.prefault({}).describe("Options of the conversion."),
    upstreamErrors: word(["result", "problem"])
      .prefault("result")
      .describe(
        "How a failure of the upstream is told: as a result of status `error`, or as a problem with 502 or 504.",
      ),
  });
}

const toolSchema = z.strictObject({
  name: text().describe("The upstream's own name for the tool. Default: the route's.").exactOptional(),
  description: text().describe("What the tool does, for `GET /tools`.").exactOptional(),
  inputSchema: jsonObject().describe("JSON Schema of the arguments, for `GET /tools`.").exactOptional(),
  outputSchema: jsonObject()
    .describe("JSON Schema of the structured result, for `GET /tools`.")
    .exactOptional(),
});

function jsonObject() {
  return z.record(z.string(), z.unknown());
}

/** A word of a list that plugins can add to: an editor offers the words, and only reading refuses another. */
function oneOf(kind: string, known: readonly string[]) {
  return z
    .string()
    .refine((given) => known.includes(given), {
      error: ({ input }) => unknownText(kind, input, known),
    })
    .meta({ title: "format", examples: [...known] });
}
