import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { HealthCheckRequestSchema, HealthCheckResponse_ServingStatus as Status } from "../../../gen/grpc/health/v1/health_pb.js";
import { createHealthHandlers } from "../../../src/operations/health/health-service.ts";
import { WorkerHealth } from "../../../src/operations/health/worker-health.ts";
import { StreamSlots } from "../../../src/operations/stream-slots.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";

// A worker that allows one stream per address.
function scene() {
  const clock = createManualClock({ nowMs: 0 });
  const state = { hasLists: false };
  const health = new WorkerHealth({
    services: new Map([["lists", () => state.hasLists]]),
    canAdmit: () => true,
    hasStarted: () => true,
    clock,
  });
  const handlers = createHealthHandlers(health, new StreamSlots({ inAllMax: 10, perNetworkMax: 1 }));
  const watch = (service: string, signal: AbortSignal) => {
    const context = { signal, values: { get: () => "192.0.2.1" } } as unknown as HandlerContext;
    return handlers.watch(create(HealthCheckRequestSchema, { service }), context)[Symbol.asyncIterator]();
  };
  return { clock, state, watch };
}

test("a watcher gets each change within a second, and only once", async () => {
  const { clock, state, watch } = scene();
  const statuses = watch("lists", new AbortController().signal);
  const seen = [(await statuses.next()).value?.status];
  for (const hasLists of [true, false]) {
    const next = statuses.next();
    // Checks that find nothing new.
    for (let look = 0; look < 3; look += 1) {
      await new Promise(setImmediate);
      clock.advance(1000);
    }
    state.hasLists = hasLists;
    await new Promise(setImmediate);
    clock.advance(1000);
    seen.push((await next).value?.status);
  }
  expect(seen).toEqual([Status.NOT_SERVING, Status.SERVING, Status.NOT_SERVING]);
});

test("a watcher who goes away makes room for another, and its timer is cancelled", async () => {
  const { clock, watch } = scene();
  const gone = new AbortController();
  const statuses = watch("", gone.signal);
  await statuses.next();
  const last = statuses.next();
  await expect(watch("", gone.signal).next()).rejects.toThrow(
    "Your network already has 1 streams without a key open, which is the maximum",
  );
  gone.abort();
  expect(await last).toEqual({ done: true, value: undefined });
  expect(clock.pending).toBe(0);
  expect((await watch("", new AbortController().signal).next()).value?.status).toBe(Status.SERVING);
});
