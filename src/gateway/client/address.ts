import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { ConversionError } from "../../errors.ts";
import { isLoopback } from "../../server/loopback.ts";

/** What the configuration lets a connection reach. */
export interface AddressPolicy {
  readonly allowHttp: boolean;
  readonly allowPrivate: boolean;
}

/** All addresses of a name, as `dns.lookup` finds them. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

/** Azure answers its machines' secrets there; the address counts as public. */
const metadataAddresses: ReadonlySet<string> = new Set(["168.63.129.16"]);

/**
 * Throws `upstream-address-refused` for an address that must not be connected to, as far as its text says: literals are
 * never looked up, so this is the only check they get.
 */
export function checkUrl(url: URL, policy: AddressPolicy): void {
  const { protocol, username, password, hash } = url;
  const host = hostOf(url);
  const isPlain = protocol === "http:" && (policy.allowHttp || isLoopback(host));
  if (protocol !== "https:" && !isPlain) throw refused("it is not https (`allowHttp`)");
  if (username !== "" || password !== "" || hash !== "")
    throw refused("it has a user, a password or a fragment");
  if (isIP(host) !== 0 && !isAllowed(host, isLoopback(host) || policy.allowPrivate)) {
    throw refused("it is private (`allowPrivate`)");
  }
}

/** The host of a URL without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

/**
 * A lookup for the connections to one host: what a name resolves to is checked, and the very address that was checked
 * is connected to, so that a name cannot change its mind in between. `localhost` may be this machine and nothing else.
 */
export function checkedLookup(
  host: string,
  { allowPrivate }: AddressPolicy,
  resolve: Resolve = systemLookup,
): LookupFunction {
  const isOwn = isLoopback(host);
  const isFit = (address: string) => (isOwn ? isLoopback(address) : isAllowed(address, allowPrivate));
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, "", 4);
      const [first] = found;
      if (first === undefined) return callback(notFound(), "", 4);
      // One address that is not allowed among others is an attack or a fault, and never meant.
      if (!found.every(({ address }) => isFit(address))) {
        return callback(refused("its name resolves to a private one (`allowPrivate`)"), "", 4);
      }
      if (options.all === true) return callback(null, found);
      return callback(null, first.address, first.family);
    });
  };
}

/** All that is public in IPv6. Of the rest ipaddr.js knows not all: `::7f00:1`, an old spelling of 127.0.0.1, is unicast. */
const publicIpv6 = ipaddr.IPv6.parseCIDR("2000::/3");

/** Private, loopback, link-local and other special ranges, also where they hide in an IPv6 address. */
function isAllowed(address: string, allowPrivate: boolean): boolean {
  if (!ipaddr.isValid(address)) return false;
  const plain = ipaddr.process(address);
  if (metadataAddresses.has(plain.toString())) return false;
  const range = plain.range();
  if (allowPrivate) return range !== "multicast" && range !== "broadcast";
  return range === "unicast" && (plain instanceof ipaddr.IPv4 || plain.match(publicIpv6));
}

function refused(reason: string): ConversionError {
  return new ConversionError("upstream-address-refused", `the address is refused: ${reason}`);
}

function notFound(): NodeJS.ErrnoException {
  return Object.assign(new Error("no address"), { code: "ENOTFOUND" });
}
