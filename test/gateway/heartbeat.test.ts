import { expect, test } from "vitest";
import { withHeartbeat, within } from "../../src/gateway/faces/heartbeat.ts";

/** Pieces that come only when they are let. */
function gated() {
  const gates: (() => void)[] = [];
  const wait = () => new Promise<void>((open) => gates.push(open));
  let returned = false;
  async function* body(pieces: readonly string[]) {
    try {
      for (const piece of pieces) {
        await wait();
        yield piece;
      }
    } finally {
      returned = true;
    }
  }
  return { body, letOne: () => gates.shift()?.(), wasReturned: () => returned };
}

test("a comment comes where no event does, and never inside one", async () => {
  const { body, letOne } = gated();
  const pieces = withHeartbeat(body(["data: 1\n\n", "data: ha", "lf\n\n"]), ": ping\n\n", 5);
  expect(await pieces.next()).toEqual({ done: false, value: ": ping\n\n" });
  letOne();
  expect((await pieces.next()).value).toBe("data: 1\n\n");
  expect((await pieces.next()).value).toBe(": ping\n\n");
  letOne();
  expect((await pieces.next()).value).toBe("data: ha");
  // The rest of the event is let only after several heartbeats' time.
  setTimeout(letOne, 40);
  expect((await pieces.next()).value).toBe("lf\n\n");
  expect((await pieces.next()).done).toBe(true);
});

test("whoever leaves ends the source", async () => {
  const { body, letOne, wasReturned } = gated();
  const pieces = withHeartbeat(body(["data: 1\n\n", "data: 2\n\n"]), ": ping\n\n", 60_000);
  const first = pieces.next();
  letOne();
  await first;
  await pieces.return();
  expect(wasReturned()).toBe(true);
});

test("a promise that fails in time fails at once", async () => {
  await expect(within(Promise.reject(new Error("no")), 60_000)).rejects.toThrow("no");
  expect(await within(new Promise(() => {}), 5)).toBeUndefined();
  expect(await within(Promise.resolve(7), 60_000)).toBe(7);
});
