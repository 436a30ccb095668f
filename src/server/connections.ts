import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** A request on a connection, and its answer. */
export interface Pair {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** The open connections of a server, and the requests on each that are not answered yet, in their order. */
export class Connections {
  readonly #open = new Map<Duplex, Set<Pair>>();
  /** By connection, when the last request on it was over, or it was made: milliseconds of the clock of the process. */
  readonly #idleSince = new WeakMap<Duplex, number>();

  add(socket: Socket): void {
    const pairs = new Set<Pair>();
    this.#open.set(socket, pairs);
    this.#idleSince.set(socket, performance.now());
    socket.once("close", () => {
      this.#open.delete(socket);
      // Of several pipelined requests Node tells only the first that nobody waits for its answer any more.
      for (const { outgoing } of pairs) if (outgoing.socket === null) outgoing.emit("close");
    });
  }

  begin(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const pair = { incoming, outgoing };
    const pairs = this.#open.get(incoming.socket);
    pairs?.add(pair);
    const { socket } = incoming;
    outgoing.once("close", () => {
      pairs?.delete(pair);
      this.#idleSince.set(socket, performance.now());
    });
  }

  /** The requests of a connection that are not answered yet. */
  pending(socket: Duplex): readonly Pair[] {
    return [...(this.#open.get(socket) ?? [])];
  }

  /** Ends the connections on which no request was under way for so many milliseconds; half a head is none. */
  endIdle(milliseconds: number): void {
    const before = performance.now() - milliseconds;
    for (const [socket, pairs] of this.#open) {
      if (pairs.size === 0 && (this.#idleSince.get(socket) ?? 0) <= before) socket.destroy();
    }
  }
}
