import { isIPv6 } from "node:net";
import { describe, expect, test } from "vitest";
import type { Resolve } from "../../src/gateway/client/address.ts";
import { openHttpClient } from "../../src/gateway/client/open-http-client.ts";
import { targetOf } from "../../src/gateway/client/target.ts";
import type { ConnectionSettings } from "../../src/gateway/upstream.ts";
import { clientOf, codeOf, ok, outcomeOf, RawServer, settingsOf, withServer } from "./support.ts";

/** One address of each special range, and the ways in which an IPv4 address hides in an IPv6 one. */
const special = {
  "this host": ["0.0.0.0", "0.1.2.3", "::"],
  loopback: ["127.0.0.1", "127.8.8.8", "::1"],
  private: ["10.0.0.1", "172.16.0.1", "172.31.255.254", "192.168.1.1", "fc00::1", "fd12:3456::1"],
  "link-local, with the metadata of clouds": ["169.254.169.254", "169.254.1.1", "fe80::1", "fec0::1"],
  "metadata at public addresses": ["168.63.129.16", "fd00:ec2::254"],
  "shared by carriers": ["100.64.0.1", "100.127.255.254"],
  "for protocols, tests and documents": [
    "192.0.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "2001:db8::1",
    "3fff::1",
    "100::1",
    "2001:2::1",
  ],
  "multicast, broadcast and reserved": [
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "ff02::1",
  ],
  "IPv4 in IPv6": [
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:168.63.129.16",
    "::127.0.0.1",
    "::7f00:1",
    "64:ff9b::127.0.0.1",
    "64:ff9b:1::10.0.0.1",
    "2002:7f00:1::",
    "2001:0:7f00:1::",
    "::ffff:0:127.0.0.1",
  ],
  "IPv6 that nobody has": ["::2", "1::1", "4000::1", "5f00::1"],
} as const;

const addresses = Object.entries(special).flatMap(([range, list]) =>
  list.map((address) => [range, address] as const),
);

/** A host as a URL writes it. */
const hostOf = (address: string) => (isIPv6(address) ? `[${address}]` : address);

/** Resolves any name to these addresses, one list after the other. */
const resolving = (...lists: readonly (readonly string[])[]): { resolve: Resolve; asked: number } => {
  const names = {
    asked: 0,
    resolve: ((_name, _options, done) => {
      const list = lists[Math.min(names.asked, lists.length - 1)] ?? [];
      names.asked += 1;
      done(
        null,
        list.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 })),
      );
    }) as Resolve,
  };
  return names;
};

/** Opens a client, and says with which code that is refused. */
function opening(url: string, settings: Partial<ConnectionSettings> = {}): string {
  try {
    openHttpClient(new URL(url), settingsOf(settings));
    return "opened";
  } catch (error) {
    return codeOf(error);
  }
}

/** What is loopback and written as such needs no permission. */
const ownLiterals = new Set<string>(["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"]);

describe("an address that is not public is refused", () => {
  test("the table has every range", () => {
    expect(addresses.length).toBeGreaterThanOrEqual(42);
  });

  test.each(addresses)("as it is written: %s, %s", (_, address) => {
    const expected = ownLiterals.has(address) ? "opened" : "upstream-address-refused";
    expect(opening(`https://${hostOf(address)}/`)).toBe(expected);
  });

  test.each([
    "https://0x0a.1/",
    "https://012.0.0.1/",
    "https://167772161/",
    "https://10.1/",
    "https://①⓪.0.0.1/",
    "https://10.0.0.1./",
    "https://[::FFFF:0A00:0001]/",
  ])("however it is spelled: %s", (url) => {
    expect(opening(url)).toBe("upstream-address-refused");
  });

  test.each(addresses)("where a name resolves to it: %s, %s", async (_, address) => {
    await neverConnects([address]);
  });

  test.each(addresses)("where it hides behind a public one: %s, %s", async (_, address) => {
    await neverConnects(["1.1.1.1", address]);
  });

  /** The port is that of a server of this machine, which any loopback address would reach. */
  async function neverConnects(found: readonly string[]): Promise<void> {
    const server = await RawServer.start((socket) => socket.write(ok("reached")));
    const names = resolving(found);
    const client = clientOf(
      { url: server.url.replace("127.0.0.1", "tools.test") },
      { allowHttp: true },
      names,
    );
    expect(await outcomeOf(client)).toBe("upstream-address-refused");
    expect(names.asked).toBe(1);
    expect(server.connections).toBe(0);
    await client.close();
    await server.close();
  }

  test("a name that points elsewhere at the next connection (rebinding)", async () => {
    const server = await RawServer.start((socket) => socket.end(ok("reached", "Connection: close")));
    const names = resolving(["127.0.0.1"], ["10.0.0.1"]);
    const client = clientOf({ url: server.url.replace("127.0.0.1", "localhost") }, {}, names);
    expect(await outcomeOf(client)).toBe("200 reached");
    expect(await outcomeOf(client)).toBe("upstream-address-refused");
    expect(names.asked).toBe(2);
    expect(server.connections).toBe(1);
    await client.close();
    await server.close();
  });

  test("a name that has no address is not reached", async () => {
    const client = clientOf({ url: "https://tools.test" }, {}, resolving([]));
    expect(await outcomeOf(client)).toBe("upstream-unreachable");
    await client.close();
  });
});

describe("this machine, where the configuration names it", () => {
  test.each(["http://127.0.0.1", "http://localhost", "http://127.1"])("%s", async (url) => {
    await withServer(
      (socket) => socket.write(ok("reached")),
      {},
      async (_, server) => {
        const client = clientOf(
          { url: server.url.replace("http://127.0.0.1", url) },
          {},
          resolving(["127.0.0.1"]),
        );
        expect(await outcomeOf(client)).toBe("200 reached");
        await client.close();
      },
    );
  });

  test.each(["10.0.0.1", "1.1.1.1"])("`localhost` is it and nothing else: %s", async (address) => {
    const client = clientOf({ url: "http://localhost" }, { allowPrivate: true }, resolving([address]));
    expect(await outcomeOf(client)).toBe("upstream-address-refused");
    await client.close();
  });
});

describe("`allowPrivate`", () => {
  test("lets a name point inside", async () => {
    await withServer(
      (socket) => socket.write(ok("reached")),
      {},
      async (_, server) => {
        const url = server.url.replace("127.0.0.1", "tools.internal");
        const settings = { allowHttp: true, allowPrivate: true };
        const client = clientOf({ url }, settings, resolving(["127.0.0.1"]));
        expect(await outcomeOf(client)).toBe("200 reached");
        await client.close();
      },
    );
  });

  test.each(["https://10.0.0.1", "https://[fd00::1]", "https://169.254.1.1"])("lets %s be", (url) => {
    expect(opening(url, { allowPrivate: true })).toBe("opened");
  });

  test.each(["https://168.63.129.16", "https://[::ffff:168.63.129.16]", "https://224.0.0.1"])(
    "never lets %s be",
    (url) => {
      expect(opening(url, { allowPrivate: true })).toBe("upstream-address-refused");
    },
  );
});

describe("the address of a configuration", () => {
  test.each([
    ["http://tools.example", "upstream-address-refused"],
    ["https://tools.example", "opened"],
    ["http://127.0.0.1:9000", "opened"],
    ["ftp://tools.example", "upstream-address-refused"],
    ["https://user@tools.example", "upstream-address-refused"],
    ["https://:secret@tools.example", "upstream-address-refused"],
    ["https://tools.example/#part", "upstream-address-refused"],
  ])("%s: %s", (url, expected) => {
    expect(opening(url)).toBe(expected);
  });

  test("`allowHttp` lets the way be plain", () => {
    expect(opening("http://tools.example", { allowHttp: true })).toBe("opened");
    expect(opening("ftp://tools.example", { allowHttp: true })).toBe("upstream-address-refused");
  });
});

describe("the path of a request", () => {
  const base = new URL("https://tools.example/api/v1/");

  test.each([
    ["", "/api/v1"],
    ["/", "/api/v1/"],
    ["/weather", "/api/v1/weather"],
    ["/weather?city=Oslo&x=../..", "/api/v1/weather?city=Oslo&x=../.."],
    ["/a..b/...", "/api/v1/a..b/..."],
    ["/%20", "/api/v1/%20"],
    ["//elsewhere.example/", "/api/v1//elsewhere.example/"],
  ])("%s is %s below the base", (path, expected) => {
    expect(targetOf(base, path)).toBe(expected);
  });

  test.each([
    "/..",
    "/../admin",
    "/a/../b",
    "/./a",
    "/%2e%2e/admin",
    "/.%2E/admin",
    "/a%2fb",
    "/a%5Cb",
    "/a\\b",
    "weather",
    "/a b",
    "/a\r\nX-Header: b",
    "/a#b",
    "/ä",
  ])("%s is refused", (path) => {
    const refused = () => targetOf(base, path);
    expect(refused).toThrow(expect.objectContaining({ code: "upstream-address-refused" }));
  });
});
