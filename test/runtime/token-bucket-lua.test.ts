// The bucket's arithmetic in Lua equals that in TypeScript: each function is called in a real Redis too, with random arguments.
import fc from "fast-check";
import { createClient } from "redis";
import { expect, onTestFinished, test } from "vitest";
import * as arithmetic from "../../src/runtime/token-bucket.ts";
import { TOKEN_BUCKET_LUA } from "../../src/runtime/token-bucket-lua.ts";
import { redis, startRedis } from "../fixtures/servers/redis.ts";
import { describeWith } from "../fixtures/servers/server-process.ts";

const { bucketSize, REFUSED } = arithmetic;
// Redis counts in quarters of a microsecond.
const STEPS_PER_SECOND = 4_000_000;

const sizes = fc
  .oneof(fc.constantFrom(1, 2, 3, 7, 50, 1000, 100_000), fc.double({ min: 0.05, max: 2000, noNaN: true }))
  .map((rate) => bucketSize(rate, STEPS_PER_SECOND));
const tokens = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -2000, max: 2000 }));

// A bucket and how far it is ahead: usually by about a whole number of tokens, sometimes by more than it holds.
const buckets = sizes.chain((size) =>
  fc
    .tuple(fc.integer({ min: 0, max: 1500 }), fc.boolean(), fc.integer({ min: -2, max: 2 }))
    .map(([thousandths, isWhole, steps]) => {
      const part = thousandths / 1000;
      const ahead = isWhole ? Math.round((part * size.capacity) / size.interval) * size.interval : Math.round(part * size.capacity);
      return { size, ahead: Math.max(0, ahead + steps) };
    }),
);
const moments = fc.integer({ min: Date.UTC(2000, 0) * 4000, max: Date.UTC(2040, 0) * 4000 });

/** For each function in Lua: arguments, and the result of the one in TypeScript. */
const cases = {
  ahead_at: fc
    .tuple(moments, fc.integer({ min: -5_000_000, max: 5_000_000 }))
    .map(([now, ahead]) => ({ args: [now + ahead, now], result: arithmetic.aheadAt(now + ahead, now) })),
  ahead_after_empty: buckets.map(({ size, ahead }) => ({
    args: [ahead, size.interval, size.capacity],
    result: arithmetic.aheadAfterEmpty(ahead, size),
  })),
  take_tokens: fc.tuple(buckets, tokens).map(([{ size, ahead }, count]) => ({
    args: [ahead, count, size.interval, size.capacity],
    result: arithmetic.takeTokens(ahead, count, size),
  })),
  spend_tokens: fc.tuple(buckets, tokens).map(([{ size, ahead }, count]) => ({
    args: [ahead, count, size.interval, size.capacity],
    result: arithmetic.spendTokens(ahead, count, size),
  })),
  tokens_left: buckets.map(({ size, ahead }) => ({
    args: [ahead, size.interval, size.capacity],
    result: arithmetic.tokensLeft(ahead, size),
  })),
  until_next_token: buckets.map(({ size, ahead }) => ({
    args: [ahead, size.interval, size.capacity],
    result: arithmetic.untilNextToken(ahead, size),
  })),
};

describeWith(redis, "In Redis", () => {
  test("each function of the bucket's arithmetic returns what the one in TypeScript does", async () => {
    const server = await startRedis();
    onTestFinished(() => server.close());
    const client = createClient({ url: server.url, RESP: 2 });
    await client.connect();
    onTestFinished(() => client.destroy());
    const outcomes = { refused: 0, taken: 0, empty: 0, beyond: 0 };
    for (const [name, drawn] of Object.entries(cases)) {
      const script = `${TOKEN_BUCKET_LUA}
local results = {}
for index, args in ipairs(cjson.decode(ARGV[1])) do
  results[index] = string.format('%.0f', ${name}(unpack(args)))
end
return results`;
      await fc.assert(
        fc.asyncProperty(fc.array(drawn, { minLength: 1, maxLength: 50 }), async (all) => {
          const seen = await client.sendCommand(["EVAL", script, "0", JSON.stringify(all.map(({ args }) => args))]);
          expect({ name, seen }).toEqual({ name, seen: all.map(({ result }) => String(result)) });
          for (const { args, result } of all) {
            outcomes.refused += name === "take_tokens" && result === REFUSED ? 1 : 0;
            outcomes.taken += name === "take_tokens" && result !== REFUSED ? 1 : 0;
            outcomes.empty += name === "spend_tokens" && result === args[3] ? 1 : 0;
            outcomes.beyond += name === "spend_tokens" && result > (args[3] as number) ? 1 : 0;
          }
        }),
        { numRuns: 200 },
      );
    }
    // The random arguments cover every case that the functions distinguish.
    expect(Object.values(outcomes).map((count) => count > 100)).toEqual([true, true, true, true]);
  });
});
