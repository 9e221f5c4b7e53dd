// A slow upstream, an account with many requests, and others with few.
import type { ServerResponse } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { createLog } from "../../src/runtime/log.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { createUpstream } from "../../src/upstream/undici-upstream.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";
import { startLoopbackServer } from "./loopback-server.ts";

/** An upstream with eight places that responds when the test says so. */
async function startSlow() {
  const waiting: ServerResponse[] = [];
  const server = await startLoopbackServer((_request, response) => waiting.push(response));
  const upstream = createUpstream({
    name: "slow",
    userAgent: "Quintet/test",
    concurrencyMax: 8,
    queueMax: 50,
    bodyBytesMax: 1000,
    bodyValuesMax: 100,
    connectTimeoutMs: 2000,
    cacheMs: 0,
    clock: createManualClock({ nowMs: 0 }),
    randomness: systemRandomness,
    log: createLog("silent"),
  });
  onTestFinished(() => upstream.close());
  const outcomes: string[] = [];
  const enqueue = (account: string | undefined, name: string): void => {
    const call = { signal: new AbortController().signal, timeoutMs: 10_000, account };
    upstream
      .get(`${server.origin}/${name}`, () => name, call)
      .then(
        () => outcomes.push(name),
        (fault: Error) => outcomes.push(`${name}: ${fault.message}`),
      );
  };
  return {
    enqueue,
    server,
    outcomes,
    /** Responds to the oldest request. */
    respond: () => waiting.shift()?.end("1"),
    /** The names of the requests that were sent, in order. */
    heard: () => server.requests.map(({ url }) => url?.slice(1)),
  };
}

const names = (account: string, count: number): string[] => Array.from({ length: count }, (_, index) => `${account}${index}`);

test("an account with many requests leaves places to others, and then takes turns with them", async () => {
  const { enqueue, server, respond, heard } = await startSlow();
  for (const name of names("greedy", 40)) {
    enqueue("greedy", name);
  }
  await server.received(6);
  enqueue("modest", "modest0");
  await server.received(7);
  enqueue("third", "third0");
  await server.received(8);
  for (const name of ["fourth0", "fourth1", "fifth0"]) {
    enqueue(name.slice(0, -1), name);
  }
  await new Promise(setImmediate);
  for (let count = 9; count <= 12; count += 1) {
    respond();
    await server.received(count);
  }
  expect(heard()).toEqual([...names("greedy", 6), "modest0", "third0", "greedy6", "fourth0", "fifth0", "greedy7"]);
});

test("if the queue is full, a request of the account with the most waiting is refused, not the new one", async () => {
  const { enqueue, server, outcomes } = await startSlow();
  for (const name of names("greedy", 56)) {
    enqueue("greedy", name);
  }
  await server.received(6);
  for (const name of names("modest", 4)) {
    enqueue("modest", name);
  }
  await server.received(8);
  await expect.poll(() => outcomes.length).toBe(2);
  expect(outcomes).toEqual([55, 54].map((at) => `greedy${at}: 8 requests are in progress and 50 are waiting`));
});

test("the service's own requests may take all places", async () => {
  const { enqueue, server } = await startSlow();
  for (const name of names("own", 8)) {
    enqueue(undefined, name);
  }
  await server.received(8);
});
