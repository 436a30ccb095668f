import { type NodeBuffer, nodePlatform } from "./node.ts";
import { plainPlatform } from "./plain.ts";
import type { Platform } from "./platform.ts";

export type { Platform } from "./platform.ts";

/** The platform of this runtime: Node's native code where there is any, the language alone elsewhere. Never changes. */
export const platform: Platform = choosePlatform();

function choosePlatform(): Platform {
  // Asking for the module at run time keeps every `node:` import out of what browsers load.
  const { process } = globalThis as { readonly process?: Pick<NodeJS.Process, "getBuiltinModule"> };
  const buffer = process?.getBuiltinModule?.("node:buffer") as Partial<NodeBuffer> | undefined;
  return isComplete(buffer) ? nodePlatform(buffer) : plainPlatform;
}

/** Other runtimes have parts of Node's modules. */
function isComplete(buffer: Partial<NodeBuffer> | undefined): buffer is NodeBuffer {
  return buffer?.Buffer !== undefined && buffer.isAscii !== undefined && buffer.isUtf8 !== undefined;
}
