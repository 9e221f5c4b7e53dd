// What a stream of prices makes of a source that wants to be left alone.
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, onTestFinished, test } from "vitest";
import { startCoinsStandIn } from "../../../../src/services/tokenprice/stand-in/coins-stand-in.ts";
import { createManualClock } from "../../../fixtures/manual-clock.ts";
import { nowMs, startTokenPrice } from "../start-token-price.ts";

const intervalMs = 5000;

test.each<[number, number]>([
  // Asked once a minute: three refusals are three minutes, and the third ends the stream.
  [60, 3],
  // A wait that is too long to say nothing: the first refusal, and two looks that find the source still closed.
  [300, 1],
])("a source that wants %i seconds of rest has been asked %i times when the stream ends", async (retryAfterSeconds, asked) => {
  const clock = createManualClock({ nowMs });
  const source = await startCoinsStandIn({ seed: 1, clock });
  onTestFinished(() => source.close());
  const client = startTokenPrice(source.origin, { clock });
  const messages = client
    .watchPrices({ tokens: ["coingecko:bitcoin"], intervalSeconds: intervalMs / 1000 })
    [Symbol.asyncIterator]();
  expect((await messages.next()).value).toMatchObject({ count: 1 });
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
  expect([ConnectError.from(ended).code, source.requestCount - 1]).toEqual([Code.Unavailable, asked]);
});

test("a source that wants a moment's rest ends no stream", async () => {
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
  next.finally(() => {
    seen = true;
  });
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
  expect((await next).value).toMatchObject({ count: 1, missing: [] });
});
