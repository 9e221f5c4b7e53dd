// The script in Redis keeps a bucket exactly like the arithmetic in token-bucket.ts: both take the same random steps.
import fc from "fast-check";
import { createClient } from "redis";
import { expect, onTestFinished, test } from "vitest";
import { STEPS_PER_MS, TAKE_TOKENS } from "../../../src/guard/rate/redis/redis-scripts.ts";
import {
  aheadAfterEmpty,
  aheadAt,
  type BucketSize,
  bucketSize,
  REFUSED,
  spendTokens,
  takeTokens,
  tokensLeft,
  untilNextToken,
} from "../../../src/runtime/token-bucket.ts";
import { TOKEN_BUCKET_LUA } from "../../../src/runtime/token-bucket-lua.ts";
import { redis, startRedis } from "../../fixtures/servers/redis.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";

const STEPS_PER_SECOND = 1000 * STEPS_PER_MS;
// A realistic time, in steps since the epoch.
const BEGIN = Date.UTC(2026, 10, 21) * STEPS_PER_MS;

// All steps in one script: Redis's own clock stands still meanwhile, so buckets expire only by the time that the test passes in.
const ALL_STEPS = `
${TOKEN_BUCKET_LUA}
local function take_at(KEYS, ARGV, now)
${TAKE_TOKENS}
end
redis.call('DEL', KEYS[1])
local seen = {}
for index, step in ipairs(cjson.decode(ARGV[1])) do
  local reply = take_at(KEYS, step.args, tonumber(step.now))
  seen[index] = {reply, redis.call('GET', KEYS[1]) or ''}
end
return seen
`;

/** One request to the bucket, with its time in steps. */
interface Step {
  readonly now: number;
  readonly size: BucketSize;
  readonly tokens: number;
  readonly isSpent: boolean;
  readonly aheadWithout: number;
  readonly aheadMax: number;
  readonly fullAtLeast: number;
}

/** The result of a step: the script's reply, and the stored time when the bucket will be full, or nothing if it is full. */
type Seen = readonly [reply: readonly [taken: number, remaining: number, next: number, full: number], fullAt: string];

/** The same steps in TypeScript. */
function expected(steps: readonly Step[]): Seen[] {
  let fullAt: number | undefined;
  return steps.map(({ now, size, tokens, isSpent, aheadWithout, aheadMax, fullAtLeast }) => {
    const read = fullAt === undefined ? aheadWithout : aheadAt(Math.max(fullAt, fullAtLeast), now);
    const ahead = read > aheadMax ? 0 : read;
    const after = isSpent ? spendTokens(ahead, tokens, size) : takeTokens(ahead, tokens, size);
    const taken = after !== REFUSED;
    const reached = taken ? after : ahead;
    if (taken) {
      fullAt = after > 0 ? now + after : undefined;
    }
    const reply = [taken ? 1 : 0, tokensLeft(reached, size), untilNextToken(reached, size), now + reached] as const;
    return [reply, fullAt === undefined ? "" : String(fullAt)];
  });
}

const rates = fc.oneof(fc.constantFrom(1, 2, 3, 5, 7, 50, 1000, 100_000), fc.double({ min: 0.05, max: 2000, noNaN: true }));
const part = fc.constantFrom(1, 1, 1, 0.5, 1 / 3);
const moves = fc.array(
  fc.record({
    // Mostly within a few intervals of the bucket, sometimes long after, or before: a clock can be set back.
    passed: fc.oneof(
      fc.record({ intervals: fc.double({ min: 0, max: 3, noNaN: true }), steps: fc.integer({ min: -2, max: 2 }) }),
      fc.record({ intervals: fc.constantFrom(0, 0, 0, 20, 2000, -1, -20), steps: fc.constant(0) }),
    ),
    part,
    // A request, a refunded request, and requests admitted without Redis.
    move: fc.constantFrom(
      ...[1, 1, 1, 1, 1, -1].map((tokens) => ({ tokens, isSpent: false })),
      ...[1, 3, 40].map((tokens) => ({ tokens, isSpent: true })),
    ),
    // How far ahead the node knows the bucket to be.
    knownIntervals: fc.constantFrom(0, 0, 0, 0, 1.5, 1000),
    rememberedMs: fc.constantFrom(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0, 0.3, 400, 1000),
  }),
  { minLength: 1, maxLength: 80 },
);

/** The steps as RedisBuckets would send them. */
const steps = fc.tuple(rates, fc.integer({ min: 1, max: 5 }), moves).map(([rate, nodes, all]): Step[] => {
  let now = BEGIN;
  return all.map(({ passed, part: share, move, knownIntervals, rememberedMs }) => {
    const size = bucketSize(rate * share, STEPS_PER_SECOND);
    now += Math.round(passed.intervals * size.interval) + passed.steps;
    const aheadWithout = aheadAfterEmpty(rememberedMs * STEPS_PER_MS, size);
    const aheadMax = 2 * Math.max(size.capacity, Math.ceil((STEPS_PER_SECOND * nodes) / rate));
    const fullAtLeast = knownIntervals === 0 ? 0 : now + Math.round(knownIntervals * size.interval);
    return { now, size, ...move, aheadWithout, aheadMax, fullAtLeast };
  });
});

describeWith(redis, "In Redis", () => {
  test("a bucket is emptied, filled and stored exactly as in TypeScript, whatever the steps", async () => {
    const server = await startRedis();
    onTestFinished(() => server.close());
    const client = createClient({ url: server.url, RESP: 2 });
    await client.connect();
    onTestFinished(() => client.destroy());
    const outcomes = { taken: 0, refused: 0, overspent: 0, forgotten: 0 };
    await fc.assert(
      fc.asyncProperty(steps, async (drawn) => {
        const asked = drawn.map(({ now, size: { interval, capacity }, tokens, isSpent, aheadWithout, aheadMax, fullAtLeast }) => ({
          now: String(now),
          args: [interval, capacity, tokens, isSpent ? 1 : 0, aheadWithout, aheadMax, fullAtLeast].map(String),
        }));
        const seen = await client.sendCommand(["EVAL", ALL_STEPS, "1", "bucket", JSON.stringify(asked)]);
        const should = expected(drawn);
        expect(seen).toEqual(should);
        for (const [index, [[taken, remaining], fullAt]] of should.entries()) {
          const { isSpent, now, size } = drawn[index] as Step;
          outcomes.taken += taken;
          outcomes.refused += 1 - taken;
          outcomes.overspent += isSpent && remaining === 0 && Number(fullAt) - now === size.capacity ? 1 : 0;
          outcomes.forgotten += fullAt === "" ? 1 : 0;
        }
      }),
      { numRuns: 500 },
    );
    // The random steps cover every branch of the script.
    expect(Object.values(outcomes).map((count) => count > 100)).toEqual([true, true, true, true]);
  });
});
