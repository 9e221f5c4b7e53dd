import { describe, expect, test } from "vitest";
import { createLog } from "../../src/runtime/log.ts";
import type { Randomness } from "../../src/runtime/randomness.ts";
import { seeded } from "../../src/sandbox/stand-ins/seeded.ts";
import { UpstreamFault } from "../../src/upstream/fault.ts";
import { AllMirrorsFailed, type MirrorAttempt } from "../../src/upstream/mirror-race.ts";
import { createMirrors, type Mirrors } from "../../src/upstream/mirrors.ts";
import { createManualClock, type ManualClock } from "../fixtures/manual-clock.ts";

/** After how many milliseconds a test's mirror responds, or fails and how; or that it "hangs" until it is cancelled. */
type MirrorBehaviour = number | "hangs" | { readonly afterMs: number; readonly fault: unknown };

const refused = (): UpstreamFault => new UpstreamFault("connect", "refused");
const dead = { afterMs: 1, fault: refused() };
const gone = new UpstreamFault("timeout", "the caller has disconnected");
const log = createLog("silent");

interface Scene {
  readonly clock: ManualClock;
  readonly mirrors: Mirrors;
  readonly behaviours: Record<string, MirrorBehaviour>;
  /** Which mirrors were called, in order; with `!` when a call was cancelled. */
  readonly requested: string[];
  /** Lets time pass in steps, and lets what falls due run. */
  pass(ms: number, stepMs?: number): Promise<void>;
  /** Makes a call, and lets time pass until its response arrives. */
  query(options?: { signal?: AbortSignal; budgetMs?: number }): Promise<{ outcome: unknown; elapsedMs: number }>;
}

function scene(behaviours: Record<string, MirrorBehaviour>, randomness: Partial<Randomness> = {}): Scene {
  const clock = createManualClock({ nowMs: 0 });
  const unit = (): number => 0.5;
  const mirrors = createMirrors({
    name: "test",
    clock,
    randomness: { bytes: (count) => new Uint8Array(count), uuid: () => "", unit, ...randomness },
    log,
    attemptTimeoutMs: 4000,
    hedgeMs: 500,
  });
  mirrors.replace(Object.keys(behaviours));
  const requested: string[] = [];
  const attempt: MirrorAttempt<string> = (origin, { signal, timeoutMs }) => {
    requested.push(origin);
    const manner = behaviours[origin] ?? dead;
    const [afterMs, end] =
      manner === "hangs"
        ? [timeoutMs, () => Promise.reject(new UpstreamFault("timeout", "too slow"))]
        : typeof manner === "number"
          ? [manner, () => Promise.resolve(`from ${origin}`)]
          : [manner.afterMs, () => Promise.reject(manner.fault)];
    return new Promise((resolve, reject) => {
      const cancel = clock.after(afterMs, () => end().then(resolve, reject));
      signal.addEventListener("abort", () => {
        requested.push(`${origin}!`);
        cancel();
        reject(new UpstreamFault("timeout", "called back"));
      });
    });
  };
  const pass = async (ms: number, stepMs = 1): Promise<void> => {
    for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
      clock.advance(stepMs);
      await new Promise(setImmediate);
    }
  };
  return {
    clock,
    mirrors,
    behaviours,
    requested,
    pass,
    async query({ signal = new AbortController().signal, budgetMs = 8000 } = {}) {
      const startedMs = clock.monotonicMs();
      let done = false;
      const outcome = mirrors
        .query(attempt, { signal, timeLeftMs: () => startedMs + budgetMs - clock.monotonicMs() })
        .catch((error: unknown) => error)
        .finally(() => {
          done = true;
        });
      await new Promise(setImmediate);
      while (!done) {
        await pass(1);
      }
      return { outcome: await outcome, elapsedMs: clock.monotonicMs() - startedMs };
    },
  };
}

/** A scene in which every mirror has been measured, so that there are no probes. */
async function measured(behaviours: Record<string, MirrorBehaviour>, latencies: Record<string, number>): Promise<Scene> {
  const all = scene({ ...latencies });
  await all.query();
  await all.pass(100);
  Object.assign(all.behaviours, behaviours);
  all.requested.length = 0;
  return all;
}

describe("one call to several mirrors", () => {
  test.each<[string, Record<string, MirrorBehaviour>, string, string[], number]>([
    ["the best one if it responds", {}, "from a", ["a"], 20],
    ["the next one at once if the best is dead", { a: dead }, "from b", ["a", "b"], 31],
    ["the next one if the best is slow, which cancels that call", { a: "hangs" }, "from b", ["a", "b", "a!"], 130],
    ["the best one if it is slow and the next one slower", { a: 110, b: 3000 }, "from a", ["a", "b", "b!"], 110],
    ["the last one if the others are dead", { a: dead, b: dead }, "from c", ["a", "b", "c"], 42],
    ["the last one if the others hang", { a: "hangs", b: "hangs" }, "from c", ["a", "b", "c", "a!", "b!"], 240],
    ["the last one if one hangs and one is dead", { a: "hangs", b: dead }, "from c", ["a", "b", "c", "a!"], 141],
  ])("gets the response of %s", async (_, behaviours, response, requested, elapsedMs) => {
    const all = await measured(behaviours, { a: 20, b: 30, c: 40 });
    expect(await all.query()).toEqual({ outcome: response, elapsedMs });
    expect(all.requested).toEqual(requested);
    expect(all.clock.pending).toBe(0);
  });

  test("fails with each mirror's fault if all of them fail", async () => {
    const html = new UpstreamFault("body", "a web page");
    const all = await measured({ a: dead, b: { afterMs: 5, fault: html } }, { a: 20, b: 30 });
    expect(await all.query()).toEqual({
      outcome: new AllMirrorsFailed(
        new Map([
          ["a", refused()],
          ["b", html],
        ]),
      ),
      elapsedMs: 6,
    });
  });

  test("fails when the time is up, and cancels all calls", async () => {
    const all = await measured({ a: "hangs", b: "hangs" }, { a: 20, b: 30 });
    const { outcome, elapsedMs } = await all.query({ budgetMs: 1000 });
    expect([(outcome as Error).name, [...(outcome as AllMirrorsFailed).faults.keys()], elapsedMs]).toEqual([
      "AllMirrorsFailed",
      ["a", "b"],
      1000,
    ]);
    expect(all.requested).toEqual(["a", "b", "a!", "b!"]);
  });

  test("fails at once if there is no mirror", async () => {
    expect(await scene({}).query()).toEqual({ outcome: new AllMirrorsFailed(new Map()), elapsedMs: 0 });
  });
});

describe("what a failure costs", () => {
  test.each<[string, MirrorBehaviour]>([
    ["dead", dead],
    ["hanging", "hangs"],
    ["refusing", { afterMs: 5, fault: new UpstreamFault("status", "responded with status 500", { status: 500 }) }],
  ])("a %s mirror delays one call a little; the next calls do not use it", async (_, manner) => {
    const all = await measured({ a: manner }, { a: 20, b: 30 });
    await all.query();
    all.requested.length = 0;
    expect(await all.query()).toEqual({ outcome: "from b", elapsedMs: 30 });
    expect(all.requested).toEqual(["b"]);
  });

  test("a mirror that recovers is found by a probe in the background, and is used first again", async () => {
    const all = await measured({ a: dead }, { a: 20, b: 100 });
    await all.query();
    all.behaviours.a = 20;
    all.clock.advance(10_000);
    all.requested.length = 0;
    expect(await all.query()).toEqual({ outcome: "from b", elapsedMs: 100 });
    expect(all.requested.sort()).toEqual(["a", "b"]);
    expect(await all.query()).toEqual({ outcome: "from a", elapsedMs: 20 });
  });

  test("a caller that goes away does not change the ranking", async () => {
    const all = await measured({ a: "hangs", b: "hangs" }, { a: 20, b: 30 });
    const controller = new AbortController();
    all.clock.after(700, () => controller.abort(new Error("gone")));
    expect(await all.query({ signal: controller.signal })).toEqual({ outcome: gone, elapsedMs: 700 });
    all.behaviours.a = 20;
    expect(await all.query()).toEqual({ outcome: "from a", elapsedMs: 20 });
  });

  test("a caller with little time does not change the ranking", async () => {
    const all = await measured({ a: 60 }, { a: 20, b: 30 });
    expect((await all.query({ budgetMs: 40 })).outcome).toBeInstanceOf(AllMirrorsFailed);
    expect(await all.query()).toEqual({ outcome: "from a", elapsedMs: 60 });
  });

  test("a caller that is already gone calls no mirror", async () => {
    const all = await measured({}, { a: 20 });
    expect(await all.query({ signal: AbortSignal.abort(new Error("gone")) })).toEqual({ outcome: gone, elapsedMs: 0 });
    expect(all.requested).toEqual([]);
  });

  test.each<[string, UpstreamFault]>([
    ["we have too many calls in progress ourselves", new UpstreamFault("busy", "full")],
    ["it asked us to wait", new UpstreamFault("throttled", "not asked", { status: 429, retryAfterMs: 900 })],
  ])("a mirror skipped because %s passes the call to the next one, and keeps its rank", async (_, fault) => {
    const all = await measured({ a: { afterMs: 0, fault } }, { a: 20, b: 30 });
    expect((await all.query()).outcome).toBe("from b");
    all.behaviours.a = 20;
    expect((await all.query()).outcome).toBe("from a");
  });

  test("closing ends the probes", async () => {
    const all = scene({ a: 5, b: "hangs" });
    await all.query();
    all.mirrors.close();
    expect(all.requested).toEqual(["a", "b", "b!"]);
    expect(all.clock.pending).toBe(0);
  });
});

describe("the only mirror that works", () => {
  const broken = { afterMs: 5, fault: new UpstreamFault("body", "half a body") };

  test.each<[string, Record<string, MirrorBehaviour>]>([
    ["there is", {}],
    ["does", { b: dead }],
  ])("fails none of 100 calls if every tenth response is broken and no other %s", async (_, others) => {
    let count = 0;
    const all = scene({
      get a() {
        count += 1;
        return count % 10 === 0 ? broken : 5;
      },
      ...others,
    } as Record<string, MirrorBehaviour>);
    for (let call = 0; call < 100; call += 1) {
      expect((await all.query()).outcome).toBe("from a");
    }
    expect(count).toBe(111);
  });

  test.each<[string, UpstreamFault, number]>([
    ["twice if its response was broken", broken.fault, 2],
    ["twice if it could not be reached", refused(), 2],
    ["twice if it failed", new UpstreamFault("status", "responded with status 500", { status: 500 }), 2],
    ["once if it refused", new UpstreamFault("status", "responded with status 404", { status: 404 }), 1],
    ["once if it is too busy", new UpstreamFault("status", "responded with status 503", { status: 503, retryAfterMs: 1000 }), 1],
    ["once if it is slow", new UpstreamFault("timeout", "too slow"), 1],
  ])("is queried %s", async (_, fault, times) => {
    const all = scene({ a: { afterMs: 5, fault } });
    expect((await all.query()).outcome).toBeInstanceOf(AllMirrorsFailed);
    expect(all.requested).toHaveLength(times);
  });

  test("is not queried again after the group has closed", async () => {
    const all = scene({ a: dead });
    all.clock.after(50, () => all.mirrors.close());
    expect((await all.query()).outcome).toBeInstanceOf(AllMirrorsFailed);
    expect([all.requested, all.clock.pending]).toEqual([["a"], 0]);
  });
});

test("in an hour of mirrors that die, hang and recover, no call waits long, and almost none is delayed", async () => {
  const unit = seeded(7);
  const all = scene({ a: 40, b: 60, c: 90 }, { unit });
  const waits: number[] = [];
  for (let minute = 0; minute < 60; minute += 1) {
    // At least one mirror works at any time.
    const well = Math.floor(unit() * 3);
    Object.keys(all.behaviours).forEach((origin, index) => {
      const roll = unit();
      all.behaviours[origin] = index === well || roll < 0.4 ? 40 + index * 20 : roll < 0.7 ? dead : "hangs";
    });
    for (let call = 0; call < 10; call += 1) {
      const { outcome, elapsedMs } = await all.query();
      expect(outcome).toMatch(/^from/);
      waits.push(elapsedMs);
      await all.pass(6000 - (all.clock.monotonicMs() % 6000), 20);
    }
  }
  expect(Math.max(...waits)).toBeLessThan(1200);
  // The mirrors change their behaviour 60 times in 600 calls.
  expect(waits.filter((waitMs) => waitMs > 100).length).toBeLessThan(60);
});
