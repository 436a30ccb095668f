import * as z from "zod";
import { isLoopback } from "../../server/loopback.ts";
import { type Path, type Places, type Report, unknownText } from "./problems.ts";
import { serverTable } from "./settings-table.ts";
import { apiKeys } from "./value-kinds.ts";

/**
 * The little that the checks across settings look at. What has a wrong form is absent here: the schema reports that,
 * and the rest is still checked.
 */
const outlineSchema = z.object({
  server: lenient(
    z
      .object({
        host: z.string().prefault(String(serverTable.host.fallback)),
        hosts: z.union([z.array(z.string()), z.string()]).prefault([]),
      })
      .prefault({}),
  ),
  auth: lenient(z.object({ keys: lenient(apiKeys().prefault([])) }).prefault({})),
  upstreams: lenient(z.record(z.string(), z.unknown()).prefault({})),
  routes: z
    .array(lenient(z.object({ name: lenient(z.string()), upstream: lenient(z.string()) })))
    .prefault([])
    .catch([]),
});

function lenient<Value extends z.ZodType>(schema: Value) {
  return schema.optional().catch(undefined);
}

/** Checks what one setting says about another. */
export function crossCheck(
  value: unknown,
  { places, report, warn }: { places: Places; report: Report; warn: Report },
): void {
  const outline = outlineSchema.safeParse(value);
  if (!outline.success) return;
  const { server, auth, upstreams, routes } = outline.data;
  const fault = (path: Path, message: string) => report(places.of(path), path, message);

  const keys = auth?.keys;
  if (keys?.length === 0 && server !== undefined && !isLoopback(server.host)) {
    fault(["server", "host"], "others can reach this address, so callers need keys: set `auth.keys`");
  }
  if (server !== undefined && isAnyAddress(server.host) && server.hosts.length === 0) {
    const message = "callers by another name than localhost are refused: list the names in `server.hosts`";
    warn(places.of(["server", "host"]), ["server", "host"], message);
  }
  reportTwins(
    (keys ?? []).map(({ name }) => name),
    (index) => fault(["auth", "keys", index, "name"], "another key has this name"),
  );
  reportTwins(
    (keys ?? []).map(({ key }) => key),
    (index) => fault(["auth", "keys", index, "key"], "the same key stands under another name"),
  );
  reportTwins(
    routes.map((route) => route?.name),
    (index) => fault(["routes", index, "name"], "another route has this name"),
  );
  if (upstreams === undefined) return;
  const names = Object.keys(upstreams);
  for (const [index, route] of routes.entries()) {
    if (route?.upstream !== undefined && !names.includes(route.upstream)) {
      fault(["routes", index, "upstream"], unknownText("upstream", route.upstream, names));
    }
  }
  const used = new Set(routes.map((route) => route?.upstream));
  for (const name of names.filter((one) => !used.has(one))) {
    const path = ["upstreams", name];
    warn(places.ofKey(path), path, "no route uses this upstream");
  }
}

/** Every address of this machine, so that none of them is the name by which it is called. */
function isAnyAddress(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

/** Tells the positions of the words that stood before. */
function reportTwins(words: readonly (string | undefined)[], tell: (index: number) => void): void {
  for (const [index, word] of words.entries()) {
    if (word !== undefined && words.indexOf(word) < index) tell(index);
  }
}
