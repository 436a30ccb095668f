import type { Server } from "node:http";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Connections } from "./connections.ts";
import type { Drain } from "./drain.ts";
import type { ServerSettings } from "./settings.ts";

/** How often a stopping server looks for connections that wait for nothing. */
const sweepInterval = 100;
/**
 * For the head of a request on a connection that nothing was asked on for so long: one that was made just before the
 * server stopped listening, or whose answer had begun before it could say `close`, so that its client goes on.
 */
const headTime = 1000;
/** For the last event of a stream that the drain has ended. */
const lastWords = 2000;
/** Turns of the event loop in which queued connections are taken before the server stops listening. */
const maxTurns = 1000;

export interface Stopping {
  readonly connections: Connections;
  readonly drain: Drain;
  readonly settings: Pick<ServerSettings, "drainDelay" | "drainTimeout">;
}

/**
 * Stops a server in two steps: for a while every answer tells its client to close; then nothing new is accepted, and
 * calls in flight have their time to end. A client that is told so loses no call: closing at once would reset
 * connections that are just being used again.
 */
export async function stopServer(server: Server, { connections, drain, settings }: Stopping): Promise<void> {
  drain.begin();
  await sleep(settings.drainDelay);
  await takeQueued(server);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // To Node a connection without a whole head is not idle, and a closed server no longer looks for timeouts.
  const sweep = setInterval(() => connections.endIdle(headTime), sweepInterval);
  if (!(await endsWithin(closed, settings.drainTimeout))) {
    drain.end();
    if (!(await endsWithin(closed, lastWords))) server.closeAllConnections();
  }
  await closed;
  clearInterval(sweep);
}

/**
 * Lets in the connections that the system holds ready: closing the port would reset them, with the requests that are on
 * them already. Node takes one in each turn of its loop, so that under load some always wait.
 */
async function takeQueued(server: Server): Promise<void> {
  let isQuiet = false;
  const onConnection = () => {
    isQuiet = false;
  };
  server.on("connection", onConnection);
  for (let turn = 0; turn < maxTurns && !isQuiet; turn += 1) {
    isQuiet = true;
    await nextTurn();
  }
  server.off("connection", onConnection);
}

/** Whether a promise resolves within so many milliseconds. */
async function endsWithin(promise: Promise<void>, milliseconds: number): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(milliseconds, false, { signal: timer.signal });
  late.catch(() => undefined);
  const isInTime = await Promise.race([promise.then(() => true), late]);
  timer.abort();
  return isInTime;
}
