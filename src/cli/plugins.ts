import * as z from "zod";
import { ConversionError } from "../errors.ts";
import type { Face } from "../gateway/face.ts";
import type { GatewayParts } from "../gateway/parts.ts";
import type { UpstreamKind } from "../gateway/upstream.ts";
import { importModule } from "./modules.ts";

const open = z.custom((value) => typeof value === "function");
const settings = z.instanceof(z.ZodObject);
const kindSchema = z.looseObject({ kind: z.string(), settings, open });
const faceSchema = z.looseObject({ id: z.string(), settings, always: z.boolean(), open });

/**
 * The kinds of upstreams and the faces that a module exports as the lists `upstreams` and `faces`. The module is a
 * file, or a package looked up from the folder. Throws `invalid-config`.
 */
export async function loadPlugin(specifier: string, folder: string): Promise<GatewayParts> {
  const { upstreams, faces } = await importModule(specifier, folder, "invalid-config");
  if (upstreams === undefined && faces === undefined) {
    throw new ConversionError("invalid-config", `${specifier} exports neither upstreams nor faces`);
  }
  return {
    kinds: listOf<UpstreamKind>(specifier, "upstreams", kindSchema, upstreams ?? []),
    faces: listOf<Face>(specifier, "faces", faceSchema, faces ?? []),
  };
}

function listOf<Part>(
  specifier: string,
  name: string,
  schema: z.ZodObject,
  exported: unknown,
): readonly Part[] {
  // The schema says all that can be seen from outside; the parts themselves are kept, with their prototypes.
  if (z.array(schema).safeParse(exported).success) return exported as readonly Part[];
  const keys = Object.keys(schema.shape).join(", ");
  throw new ConversionError("invalid-config", `${specifier} exports ${name} that are no list of { ${keys} }`);
}
