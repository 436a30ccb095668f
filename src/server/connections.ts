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

  add(socket: Socket): void {
    const pairs = new Set<Pair>();
    this.#open.set(socket, pairs);
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
    outgoing.once("close", () => pairs?.delete(pair));
  }

  /** The requests of a connection that are not answered yet. */
  pending(socket: Duplex): readonly Pair[] {
    return [...(this.#open.get(socket) ?? [])];
  }

  /** Ends the connections on which no request is under way, be it that its head has not come whole. */
  endIdle(): void {
    for (const [socket, pairs] of this.#open) if (pairs.size === 0) socket.destroy();
  }
}
