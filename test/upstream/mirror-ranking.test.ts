import { describe, expect, test } from "vitest";
import type { Randomness } from "../../src/runtime/randomness.ts";
import { seeded } from "../../src/sandbox/stand-ins/seeded.ts";
import { createMirrorRanking, type MirrorRanking } from "../../src/upstream/mirror-ranking.ts";
import { createManualClock, type ManualClock } from "../fixtures/manual-clock.ts";

/** Randomness that always returns the same number: with 0.5 there is no jitter, and lists keep their order. */
const fixed = (unit: number): Randomness => ({ bytes: (count) => new Uint8Array(count), uuid: () => "", unit: () => unit });

function ranked(origins = ["a", "b", "c"], randomness = fixed(0.5)): { ranking: MirrorRanking; clock: ManualClock } {
  const clock = createManualClock({ nowMs: 0 });
  const ranking = createMirrorRanking({ clock, randomness, hedgeMs: 600 });
  ranking.replace(origins);
  return { ranking, clock };
}

/** Reports to the ranking how long each mirror took, and that its probes have ended. */
function measure(ranking: MirrorRanking, latencies: Readonly<Record<string, number>>): void {
  for (const [origin, elapsedMs] of Object.entries(latencies)) {
    ranking.succeeded(origin, elapsedMs);
    ranking.probeEnded(origin);
  }
}

describe("the order of the mirrors", () => {
  test("is random while nothing is known", () => {
    const firsts = Array.from({ length: 40 }, (_, seed) => {
      const unit = seeded(seed);
      return ranked(["a", "b", "c"], { ...fixed(0), unit }).ranking.plan().order[0];
    });
    expect(new Set(firsts)).toEqual(new Set(["a", "b", "c"]));
  });

  test.each<[string, (ranking: MirrorRanking) => void, string[]]>([
    ["the fastest first", (ranking) => measure(ranking, { a: 300, b: 100, c: 200 }), ["b", "c", "a"]],
    ["those never measured after the others", (ranking) => measure(ranking, { c: 500 }), ["c", "a", "b"]],
    [
      "a failed one last, however fast it was",
      (ranking) => {
        measure(ranking, { a: 10, b: 100, c: 200 });
        ranking.failed("a", 0);
      },
      ["b", "c", "a"],
    ],
    [
      "of several failed ones, the one set aside for the shortest time first",
      (ranking) => {
        ranking.failed("a", 0);
        ranking.failed("a", 0);
        ranking.failed("b", 0);
        ranking.failed("c", 0, 60_000);
      },
      ["b", "a", "c"],
    ],
    [
      "a recovered one only by its new time",
      (ranking) => {
        measure(ranking, { a: 10, b: 100, c: 200 });
        ranking.failed("a", 0);
        ranking.succeeded("a", 150);
      },
      ["b", "a", "c"],
    ],
  ])("puts %s", (_, tell, order) => {
    const { ranking } = ranked();
    tell(ranking);
    expect(ranking.plan().order).toEqual(order);
  });

  test("keeps its leader until another mirror is much faster, so that pages come from one mirror", () => {
    const { ranking } = ranked();
    measure(ranking, { a: 100, b: 200, c: 300 });
    expect(ranking.plan().order[0]).toBe("a");
    // b becomes a little faster than a, then much faster.
    for (let times = 0; times < 50; times += 1) {
      ranking.succeeded("b", 80);
    }
    expect(ranking.plan().order).toEqual(["a", "b", "c"]);
    for (let times = 0; times < 50; times += 1) {
      ranking.succeeded("b", 40);
    }
    expect(ranking.plan().order).toEqual(["b", "a", "c"]);
  });

  test("puts reserves behind the others, however fast they are, and does not measure them again", () => {
    const { ranking, clock } = ranked();
    measure(ranking, { a: 300, b: 100, c: 10 });
    ranking.replace(["a", "b"], ["c"]);
    expect(ranking.plan().order).toEqual(["b", "a", "c"]);
    ranking.failed("a", 0);
    expect(ranking.plan().order).toEqual(["b", "c", "a"]);
    ranking.failed("b", 0);
    expect(ranking.plan().order[0]).toBe("c");
    measure(ranking, { a: 300, b: 100 });
    clock.advance(600_000);
    expect(ranking.plan()).toEqual({ order: ["b", "a", "c"], probes: ["a"] });
  });

  test("remembers mirrors that stay, and forgets those that go", () => {
    const { ranking } = ranked();
    measure(ranking, { a: 300, b: 100, c: 200 });
    ranking.replace(["c", "d", "b"]);
    expect(ranking.plan().order).toEqual(["b", "c", "d"]);
    expect([ranking.succeeded("a", 1), ranking.failed("a", 0), ranking.hedgeDelayMs("a")]).toEqual([false, undefined, 600]);
    ranking.replace([]);
    expect(ranking.plan()).toEqual({ order: [], probes: [] });
  });
});

describe("a mirror that fails", () => {
  test("is set aside for twice as long after each failure in a row, up to five minutes", () => {
    const { ranking, clock } = ranked();
    const durations = Array.from({ length: 9 }, () => {
      clock.advance(1);
      return ranking.failed("a", clock.monotonicMs());
    });
    expect(durations).toEqual([5000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000]);
    expect(ranking.succeeded("a", 10)).toBe(true);
    expect(ranking.failed("a", clock.monotonicMs())).toBe(5000);
  });

  test.each([
    [0, 4000],
    [1, 6000],
  ])("is set aside with a jitter of a fifth: the random number %d gives %d ms", (unit, durationMs) => {
    expect(ranked(["a"], fixed(unit)).ranking.failed("a", 0)).toBe(durationMs);
  });

  test("is set aside for as long as it asks if that is longer", () => {
    const { ranking } = ranked();
    expect([ranking.failed("a", 0, 90_000), ranking.failed("b", 0, 100)]).toEqual([90_000, 5000]);
  });

  test("fails once when many calls that were in progress fail together", () => {
    const { ranking, clock } = ranked();
    clock.advance(1000);
    expect([ranking.failed("a", 900), ranking.failed("a", 950), ranking.failed("a", 999)]).toEqual([5000, undefined, undefined]);
  });
});

describe("probes", () => {
  test("are sent once to each mirror that was never measured, except the one that the caller uses", () => {
    const { ranking } = ranked();
    expect(ranking.plan()).toEqual({ order: ["a", "b", "c"], probes: ["b", "c"] });
    expect(ranking.plan()).toEqual({ order: ["a", "b", "c"], probes: [] });
    ranking.probeEnded("c");
    expect(ranking.plan().probes).toEqual(["c"]);
  });

  test("find out whether a mirror is back after its penalty, while callers use others", () => {
    const { ranking, clock } = ranked();
    measure(ranking, { a: 10, b: 100, c: 200 });
    ranking.failed("a", 0);
    clock.advance(4999);
    expect(ranking.plan()).toEqual({ order: ["b", "c", "a"], probes: [] });
    clock.advance(1);
    expect(ranking.plan()).toEqual({ order: ["b", "c", "a"], probes: ["a"] });
    ranking.failed("a", 5000);
    ranking.probeEnded("a");
    clock.advance(9999);
    expect(ranking.plan().probes).toEqual([]);
    clock.advance(1);
    expect(ranking.plan().probes).toEqual(["a"]);
    measure(ranking, { a: 10 });
    expect(ranking.plan().order).toEqual(["a", "b", "c"]);
  });

  test("measure a mirror again that has not been used for ten minutes", () => {
    const { ranking, clock } = ranked();
    measure(ranking, { a: 10, b: 100, c: 200 });
    clock.advance(600_000);
    expect(ranking.plan().probes).toEqual(["b", "c"]);
  });

  test("are not needed if all mirrors have failed: the callers try them", () => {
    const { ranking, clock } = ranked();
    for (const origin of ["a", "b", "c"]) {
      ranking.failed(origin, 0);
    }
    clock.advance(10_000);
    expect(ranking.plan()).toEqual({ order: ["a", "b", "c"], probes: [] });
  });
});

test.each<[string, number[], number]>([
  ["the most that is allowed while nothing is known", [], 600],
  ["three times the only response's time", [100], 300],
  ["a little over the time of a steady mirror", Array.from({ length: 60 }, () => 150), 150],
  ["never less than 100 ms", Array.from({ length: 60 }, () => 20), 100],
  ["never more than is allowed", [500], 600],
])("the wait before the next mirror is tried is %s", (_, latencies, delayMs) => {
  const { ranking } = ranked(["a"]);
  for (const elapsedMs of latencies) {
    ranking.succeeded("a", elapsedMs);
  }
  expect(Math.round(ranking.hedgeDelayMs("a"))).toBe(delayMs);
});
