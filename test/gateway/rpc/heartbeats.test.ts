// A stream sends heartbeats when it is silent, and passes on everything else unchanged.
import { create, type Message } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { Health, HealthCheckResponseSchema } from "../../../gen/grpc/health/v1/health_pb.js";
import { TokenPriceService, WatchPricesResponseSchema } from "../../../gen/quintet/tokenprice/v1/token_price_pb.js";
import { heartbeatsOf, withHeartbeats } from "../../../src/gateway/rpc/heartbeats.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";

const SILENCE_MS = 15_000;
const heartbeats = heartbeatsOf(TokenPriceService.method.watchPrices);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

// A stream whose messages the test sends.
function stage() {
  const clock = createManualClock({ nowMs: 0 });
  const waiting: PromiseWithResolvers<Message | undefined>[] = [];
  async function* handler(): AsyncGenerator<Message> {
    while (true) {
      const next = Promise.withResolvers<Message | undefined>();
      waiting.push(next);
      const message = await next.promise;
      if (message === undefined) {
        return;
      }
      yield message;
    }
  }
  const received: string[] = [];
  const reading = (async () => {
    for await (const message of withHeartbeats(handler(), heartbeats, clock)) {
      received.push(message === heartbeats?.message ? "heartbeat" : "message");
    }
    received.push("end");
  })().catch((thrown: Error) => received.push(thrown.message));
  return {
    received,
    reading,
    clock,
    async send(message: Message | undefined) {
      waiting.shift()?.resolve(message);
      await turn();
    },
    async fail(error: Error) {
      waiting.shift()?.reject(error);
      await turn();
    },
    async pass(ms: number) {
      await turn();
      clock.advance(ms);
      await turn();
    },
  };
}

const message = create(WatchPricesResponseSchema, {});

test("WatchPrices sends a heartbeat after 15 seconds of silence, and other streams send none", () => {
  expect(heartbeats).toEqual({ message: create(WatchPricesResponseSchema, { heartbeat: true }), silenceMs: SILENCE_MS });
  expect(heartbeatsOf(Health.method.watch)).toBeUndefined();
});

test("a method whose messages have no field for heartbeats cannot have any", () => {
  const method = { ...TokenPriceService.method.watchPrices, output: HealthCheckResponseSchema };
  expect(() => heartbeatsOf(method)).toThrow(
    "grpc.health.v1.HealthCheckResponse has no field heartbeat, which the heartbeats of WatchPrices need",
  );
});

test("a heartbeat is sent after each silence, but none before the first message", async () => {
  const { received, send, pass, reading } = stage();
  await pass(3 * SILENCE_MS);
  expect(received).toEqual([]);
  await send(message);
  await pass(SILENCE_MS - 1);
  expect(received).toEqual(["message"]);
  await pass(1);
  await pass(SILENCE_MS);
  expect(received).toEqual(["message", "heartbeat", "heartbeat"]);
  await pass(SILENCE_MS - 1);
  await send(message);
  await pass(SILENCE_MS - 1);
  expect(received).toEqual(["message", "heartbeat", "heartbeat", "message"]);
  await send(undefined);
  await reading;
  expect(received.at(-1)).toBe("end");
});

test("a failure during a silence is passed on, and leaves no timer", async () => {
  const { received, send, pass, fail, reading, clock } = stage();
  await send(message);
  await pass(SILENCE_MS);
  await fail(new Error("broken"));
  await reading;
  expect({ received, timers: clock.pending }).toEqual({ received: ["message", "heartbeat", "broken"], timers: 0 });
});

test("a reader that leaves does not wait for the handler, which stops when it can", async () => {
  const clock = createManualClock({ nowMs: 0 });
  const held = Promise.withResolvers<void>();
  let stopped = false;
  async function* handler(): AsyncGenerator<Message> {
    try {
      yield message;
      await held.promise;
      yield message;
    } finally {
      stopped = true;
    }
  }
  const stream = withHeartbeats(handler(), heartbeats, clock);
  await stream.next();
  const beat = stream.next();
  await turn();
  clock.advance(SILENCE_MS);
  expect((await beat).value).toBe(heartbeats?.message);
  await stream.return(undefined);
  expect({ stopped, timers: clock.pending }).toEqual({ stopped: false, timers: 0 });
  held.resolve();
  await turn();
  expect(stopped).toBe(true);
});

test("a stream without heartbeats is passed on unchanged", async () => {
  const clock = createManualClock({ nowMs: 0 });
  const all = [create(HealthCheckResponseSchema), create(HealthCheckResponseSchema)];
  const handler = async function* () {
    yield* all;
  };
  expect(await Array.fromAsync(withHeartbeats(handler(), undefined, clock))).toEqual(all);
});
