import { Code, type ConnectError } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SearchResponseSchema } from "../../../gen/quintet/radio/v1/radio_pb.js";
import type { Misbehaviour } from "../../../src/upstream/stand-in/stand-in.ts";
import { gathering, type RadioScene, refusal, shown, startRadioScene } from "./radio-scene.ts";
import { knownStation, rawStation } from "./raw-row.ts";

const filters = { order: "name", reverse: false };
const answer = { count: 1, has_more: false, limit: 20, offset: 0, filters, results: [knownStation] };
const upstreamFailed = {
  reason: "UPSTREAM_FAILED",
  message: "The radio directory did not answer as it should; the call was not counted.",
  code: Code.Unavailable,
};

let scene: RadioScene;

beforeEach(async () => {
  scene = await startRadioScene([rawStation()]);
});

afterEach(() => scene.close());

function misbehave(misbehaviour: Misbehaviour, ...indexes: number[]): void {
  for (const index of indexes) {
    const mirror = scene.mirrors[index];
    if (mirror !== undefined) {
      mirror.misbehaviour = misbehaviour;
    }
  }
}

const search = async (headers: Record<string, string> = {}): Promise<unknown> =>
  shown(SearchResponseSchema, await scene.client.search({}, gathering(headers)));

/** The outcome of a call during which time passes in these steps, once the first mirror has been asked; without them it ends by itself. */
async function during(stepsMs: readonly number[], call: Promise<unknown>): Promise<unknown> {
  const outcome = refusal(call);
  await scene.asked(0, 1);
  for (const stepMs of stepsMs) {
    scene.clock.advance(stepMs);
  }
  return outcome;
}

const slow: Misbehaviour = { kind: "slow", delayMs: 30_000 };

describe("a mirror that misbehaves costs one call one attempt, and the calls behind it nothing", () => {
  test.each<[Misbehaviour]>([
    [{ kind: "dead" }],
    [{ kind: "truncated" }],
    [{ kind: "html" }],
    [{ kind: "failing" }],
    [{ kind: "limiting", retryAfterSeconds: 60 }],
  ])("%j", async (misbehaviour) => {
    misbehave(misbehaviour, 0);
    expect(await search()).toEqual({ ...answer, as_of: "2026-11-21T12:00:00Z" });
    expect(await search()).toEqual({ ...answer, as_of: "2026-11-21T12:00:00Z" });
    expect(scene.counts()[0]).toBe(1);
  });

  test("slow: the next mirror is asked after 600 ms", async () => {
    misbehave(slow, 0);
    const call = search();
    await scene.asked(0, 1);
    scene.clock.advance(600);
    expect(await call).toEqual({ ...answer, as_of: "2026-11-21T12:00:00.600Z" });
    expect(await search()).toEqual({ ...answer, as_of: "2026-11-21T12:00:00.600Z" });
    expect(scene.counts()[0]).toBe(1);
  });

  test("dead for a while: it is asked again when its time is over, and no caller waits for that", async () => {
    misbehave({ kind: "dead" }, 0);
    await search();
    scene.clock.advance(4999);
    await search();
    expect(scene.counts()[0]).toBe(1);
    misbehave({ kind: "none" }, 0);
    scene.clock.advance(1);
    await search();
    await scene.asked(0, 2);
  });
});

describe("with two of three mirrors down", () => {
  test.each<[Misbehaviour, Misbehaviour, number[], string]>([
    [{ kind: "dead" }, { kind: "dead" }, [], "2026-11-21T12:00:00Z"],
    [{ kind: "html" }, { kind: "truncated" }, [], "2026-11-21T12:00:00Z"],
    [slow, { kind: "dead" }, [600], "2026-11-21T12:00:00.600Z"],
    [slow, slow, [600, 600], "2026-11-21T12:00:01.200Z"],
  ])("%j and %j, the third answers", async (first, second, stepsMs, as_of) => {
    misbehave(first, 0);
    misbehave(second, 1);
    expect(await during(stepsMs, search())).toEqual({ ...answer, as_of });
  });
});

test("a mirror that wants a second's rest has failed once, however many call in that second", async () => {
  // The first call measures all mirrors, so that what asks them later are the calls alone.
  await search();
  await Promise.all([scene.asked(1, 1), scene.asked(2, 1)]);
  scene.clock.advance(1000);
  misbehave({ kind: "limiting", retryAfterSeconds: 1 }, 0, 1, 2);
  for (let call = 0; call < 20; call += 1) {
    await refusal(scene.client.listTags({ limit: 1 + call }));
    scene.clock.advance(45);
  }
  expect(scene.counts()).toEqual([2, 2, 2]);
  misbehave({ kind: "none" }, 0, 1, 2);
  // A first failure sets a mirror aside for five seconds. The first call finds one that is back, the second asks after the others.
  scene.clock.advance(5000);
  await search();
  await search();
  await Promise.all([scene.asked(1, 3), scene.asked(2, 3)]);
});

describe("with all mirrors down", () => {
  test.each<[Misbehaviour, number[]]>([
    [{ kind: "dead" }, []],
    [{ kind: "html" }, []],
    [{ kind: "failing" }, []],
    // Asked 600 ms after one another, and each given 4 seconds: less than the 8 that all of them have.
    [slow, [600, 600, 4000]],
  ])("%j, the call fails well within its deadline", async (misbehaviour, stepsMs) => {
    misbehave(misbehaviour, 0, 1, 2);
    expect(await during(stepsMs, scene.client.search({}))).toEqual(upstreamFailed);
  });

  test("an answer of the last hour to the same question stands in, marked with its age", async () => {
    const fresh: Record<string, string> = {};
    await search(fresh);
    misbehave({ kind: "dead" }, 0, 1, 2);
    scene.clock.advance(90_500);
    const stale: Record<string, string> = {};
    expect(await search(stale)).toEqual({ ...answer, as_of: "2026-11-21T12:00:00Z", age: 90 });
    expect([fresh, stale]).toEqual([{}, { age: "90", "x-quintet-stale": "true" }]);
  });

  test("an answer to another question does not", async () => {
    await search();
    misbehave({ kind: "dead" }, 0, 1, 2);
    expect(await refusal(scene.client.search({ tag: "jazz" }))).toEqual(upstreamFailed);
    expect(await refusal(scene.client.listCountries({}))).toEqual(upstreamFailed);
  });

  test("an answer of more than an hour ago does not", async () => {
    await search();
    misbehave({ kind: "dead" }, 0, 1, 2);
    scene.clock.advance(3_600_000);
    expect(await search()).toEqual({ ...answer, as_of: "2026-11-21T12:00:00Z", age: 3600 });
    scene.clock.advance(1);
    expect(await refusal(scene.client.search({}))).toEqual(upstreamFailed);
  });

  test("the first mirror that comes back answers", async () => {
    misbehave({ kind: "dead" }, 0, 1, 2);
    await refusal(scene.client.search({}));
    misbehave({ kind: "none" }, 1);
    expect(await search()).toEqual({ ...answer, as_of: "2026-11-21T12:00:00Z" });
  });
});

test("a caller that goes away is told so, and costs the mirror it waited for nothing", async () => {
  misbehave(slow, 0);
  const controller = new AbortController();
  const call = scene.client.search({}, { signal: controller.signal }).catch((error: ConnectError) => error.code);
  await scene.asked(0, 1);
  scene.clock.advance(500);
  controller.abort();
  expect(await call).toBe(Code.Canceled);
  misbehave({ kind: "none" }, 0);
  expect(await search()).toEqual({ ...answer, as_of: "2026-11-21T12:00:00.500Z" });
  expect(scene.counts()[0]).toBe(2);
});

test("an answer is given again while it is fresh, and asked for when it no longer is", async () => {
  await scene.close();
  scene = await startRadioScene([rawStation()], { freshMs: 60_000, mirrorCount: 1 });
  const asOf = { ...answer, as_of: "2026-11-21T12:00:00Z" };
  expect([await search(), await search()]).toEqual([asOf, asOf]);
  scene.clock.advance(59_999);
  expect([await search(), scene.counts()]).toEqual([asOf, [1]]);
  scene.clock.advance(1);
  expect([await search(), scene.counts()]).toEqual([{ ...answer, as_of: "2026-11-21T12:01:00Z" }, [2]]);
});
