import { BlockList, isIP } from "node:net";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8);
loopback.addAddress("::1", "ipv6");

/** Whether only this machine can reach the host: `localhost`, or an address of the loopback network in any spelling. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, "$1");
  switch (isIP(name)) {
    case 4:
      return loopback.check(name);
    case 6:
      return loopback.check(name, "ipv6");
    default:
      return name.toLowerCase() === "localhost";
  }
}
