// How a stream of prices treats a source that asks it to wait.
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, onTestFinished, test } from "vitest";
import { startCoinsStandIn } from "../../../../src/sandbox/stand-ins/tokenprice/coins-stand-in.ts";
import { createManualClock } from "../../../fixtures/manual-clock.ts";
import { nowMs, startTokenPrice } from "../start-token-price.ts";

const intervalMs = 5000;

test.each<[number, number]>([
  // With one request a minute, three refusals take three minutes, and the third ends the stream.
  [60, 3],
  // Too long a wait to stay silent: the first refusal, and two checks that find the source still closed.
  [300, 1],
])("a source that asks to wait %i seconds has had %i requests when the stream ends", async (retryAfterSeconds, requested) => {
  const clock = createManualClock({ nowMs });
  const source = await startCoinsStandIn({ seed: 1, clock });
  onTestFinished(() => source.close());
  const client = startTokenPrice(source.origin, { clock });
  const messages = client
    .watchPrices({ tokens: ["coingecko:bitcoin"], intervalSeconds: intervalMs / 1000 })
    [Symbol.asyncIterator]();
  expect((await messages.next()).value).toMatchObject({ results: [{}] });
  source.misbehaviour = { kind: "limiting", retryAfterSeconds };
  let ended: unknown;
  const end = messages.next().catch((thrown: unknown) => {
    ended = thrown;
  });
  while (ended === undefined) {
    if (clock.hasAlarmIn(intervalMs)) {
      clock.advance(intervalMs);
    }
    await new Promise(setImmediate);
  }
  await end;
  expect([ConnectError.from(ended).code, source.requestCount - 1]).toEqual([Code.Unavailable, requested]);
});

test("a source that asks for a short wait does not end a stream", async () => {
  const clock = createManualClock({ nowMs });
  const source = await startCoinsStandIn({ seed: 1, clock });
  onTestFinished(() => source.close());
  const client = startTokenPrice(source.origin, { clock });
  const messages = client
    .watchPrices({ tokens: ["coingecko:bitcoin"], intervalSeconds: intervalMs / 1000 })
    [Symbol.asyncIterator]();
  await messages.next();
  source.misbehaviour = { kind: "limiting", retryAfterSeconds: 30 };
  const next = messages.next();
  let seen = false;
  const note = (): void => {
    seen = true;
  };
  next.then(note, note);
  let intervals = 0;
  while (!seen) {
    if (clock.hasAlarmIn(intervalMs)) {
      intervals += 1;
      if (intervals === 5) {
        source.misbehaviour = { kind: "none" };
      }
      clock.advance(intervalMs);
    }
    await new Promise(setImmediate);
  }
  expect((await next).value).toMatchObject({ results: [{}], missing: [] });
});
