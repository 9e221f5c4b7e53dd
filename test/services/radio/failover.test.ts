import { Code, type ConnectError } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SearchStationsResponseSchema } from "../../../gen/quintet/radio/v1/radio_pb.js";
import type { Misbehaviour } from "../../../src/sandbox/stand-ins/stand-in.ts";
import { gathering, type RadioScene, refusal, shown, startRadioScene } from "./radio-scene.ts";
import { knownStation, rawStation } from "./raw-row.ts";

const filters = { order: "name", reverse: false };
const response = { count: 1, limit: 20, offset: 0, filters, results: [knownStation] };
const upstreamFailed = {
  reason: "UPSTREAM_FAILED",
  message: "The radio directory gave no usable response; the call was not counted.",
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

/** Resolves when the first call has measured all mirrors, so that only calls reach them afterwards. */
async function measured(): Promise<void> {
  // The next lookup of the mirrors remains.
  while (scene.clock.pending > 1) {
    await new Promise(setImmediate);
  }
}

const search = async (headers: Record<string, string> = {}): Promise<unknown> =>
  shown(SearchStationsResponseSchema, await scene.client.searchStations({}, gathering(headers)));

/** The outcome of a call during which time passes in these steps, once the first mirror has been asked. Without steps it ends by itself. */
async function during(stepsMs: readonly number[], call: Promise<unknown>): Promise<unknown> {
  const outcome = refusal(call);
  await scene.requested(0, 1);
  for (const stepMs of stepsMs) {
    scene.clock.advance(stepMs);
  }
  return outcome;
}

const slow: Misbehaviour = { kind: "slow", delayMs: 30_000 };

describe("a mirror that misbehaves costs one call one attempt, and later calls nothing", () => {
  test.each<[Misbehaviour]>([
    [{ kind: "dead" }],
    [{ kind: "truncated" }],
    [{ kind: "html" }],
    [{ kind: "failing" }],
    [{ kind: "limiting", retryAfterSeconds: 60 }],
  ])("%j", async (misbehaviour) => {
    misbehave(misbehaviour, 0);
    expect(await search()).toEqual({ ...response, freshness: { fetched_at: "2026-11-21T12:00:00Z", stale: false } });
    expect(await search()).toEqual({ ...response, freshness: { fetched_at: "2026-11-21T12:00:00Z", stale: false } });
    expect(scene.counts()[0]).toBe(1);
  });

  test("slow: the next mirror is queried after 600 ms", async () => {
    misbehave(slow, 0);
    const call = search();
    await scene.requested(0, 1);
    scene.clock.advance(600);
    expect(await call).toEqual({ ...response, freshness: { fetched_at: "2026-11-21T12:00:00.600Z", stale: false } });
    expect(await search()).toEqual({ ...response, freshness: { fetched_at: "2026-11-21T12:00:00.600Z", stale: false } });
    expect(scene.counts()[0]).toBe(1);
  });

  test("dead for a while: it is tried again after its penalty, and no caller waits for that", async () => {
    misbehave({ kind: "dead" }, 0);
    await search();
    scene.clock.advance(4999);
    await search();
    expect(scene.counts()[0]).toBe(1);
    misbehave({ kind: "none" }, 0);
    scene.clock.advance(1);
    await search();
    await scene.requested(0, 2);
  });
});

describe("a play is reported once", () => {
  const uuid = rawStation().stationuuid;
  const report = (): Promise<unknown> => refusal(scene.client.reportPlay({ uuid }));

  test.each<[Misbehaviour]>([
    [{ kind: "dead" }],
    [{ kind: "truncated" }],
    [{ kind: "html" }],
    [{ kind: "failing" }],
    [{ kind: "limiting", retryAfterSeconds: 60 }],
  ])("whatever happens to it: %j", async (misbehaviour) => {
    misbehave(misbehaviour, 0);
    expect(await report()).toEqual(upstreamFailed);
    expect(scene.counts()).toEqual([1, 0, 0]);
    // The next report goes to the next mirror.
    expect(await report()).toMatchObject({ uuid, broken: false });
    expect(scene.counts()).toEqual([1, 1, 0]);
  });

  test("and no other mirror is used if the first one is slow", async () => {
    misbehave(slow, 0);
    expect(await during([600, 600, 2800], report())).toEqual(upstreamFailed);
    expect(scene.counts()).toEqual([1, 0, 0]);
  });
});

describe("with two of three mirrors down", () => {
  test.each<[Misbehaviour, Misbehaviour, number[], string]>([
    [{ kind: "dead" }, { kind: "dead" }, [], "2026-11-21T12:00:00Z"],
    [{ kind: "html" }, { kind: "truncated" }, [], "2026-11-21T12:00:00Z"],
    [slow, { kind: "dead" }, [600], "2026-11-21T12:00:00.600Z"],
    [slow, slow, [600, 600], "2026-11-21T12:00:01.200Z"],
  ])("%j and %j, the third responds", async (first, second, stepsMs, fetched_at) => {
    misbehave(first, 0);
    misbehave(second, 1);
    expect(await during(stepsMs, search())).toEqual({ ...response, freshness: { fetched_at, stale: false } });
  });
});

test("a mirror that asks callers to wait a second has failed only once, however many calls are made in that second", async () => {
  await search();
  await measured();
  scene.clock.advance(1000);
  misbehave({ kind: "limiting", retryAfterSeconds: 1 }, 0, 1, 2);
  for (let call = 0; call < 20; call += 1) {
    await refusal(scene.client.listTags({ limit: 1 + call }));
    scene.clock.advance(45);
  }
  expect(scene.counts()).toEqual([2, 2, 2]);
  misbehave({ kind: "none" }, 0, 1, 2);
  // A first failure sets a mirror aside for five seconds. The first call finds a working mirror, the second probes the others.
  scene.clock.advance(5000);
  await search();
  await search();
  await Promise.all([scene.requested(1, 3), scene.requested(2, 3)]);
});

describe("with all mirrors down", () => {
  test.each<[Misbehaviour, number[]]>([
    [{ kind: "dead" }, []],
    [{ kind: "html" }, []],
    [{ kind: "failing" }, []],
    // They are asked 600 ms apart and get 4 seconds each, which is less than the 8 that all of them get together.
    [slow, [600, 600, 4000]],
  ])("%j, the call fails well within its deadline", async (misbehaviour, stepsMs) => {
    misbehave(misbehaviour, 0, 1, 2);
    expect(await during(stepsMs, scene.client.searchStations({}))).toEqual(upstreamFailed);
  });

  test("a response of the last hour to the same request is used instead, marked with its age", async () => {
    const fresh: Record<string, string> = {};
    await search(fresh);
    await measured();
    misbehave({ kind: "dead" }, 0, 1, 2);
    scene.clock.advance(90_500);
    const stale: Record<string, string> = {};
    expect(await search(stale)).toEqual({ ...response, freshness: { fetched_at: "2026-11-21T12:00:00Z", stale: true } });
    expect([fresh, stale]).toEqual([{}, { age: "90", "x-quintet-stale": "true" }]);
  });

  test("a response to another request is not", async () => {
    await search();
    misbehave({ kind: "dead" }, 0, 1, 2);
    expect(await refusal(scene.client.searchStations({ tag: "jazz" }))).toEqual(upstreamFailed);
    expect(await refusal(scene.client.listCountries({}))).toEqual(upstreamFailed);
  });

  test("a response of more than an hour ago is not", async () => {
    await search();
    await measured();
    misbehave({ kind: "dead" }, 0, 1, 2);
    scene.clock.advance(3_600_000);
    expect(await search()).toEqual({ ...response, freshness: { fetched_at: "2026-11-21T12:00:00Z", stale: true } });
    scene.clock.advance(1);
    expect(await refusal(scene.client.searchStations({}))).toEqual(upstreamFailed);
  });

  test("the first mirror that recovers responds", async () => {
    misbehave({ kind: "dead" }, 0, 1, 2);
    await refusal(scene.client.searchStations({}));
    misbehave({ kind: "none" }, 1);
    expect(await search()).toEqual({ ...response, freshness: { fetched_at: "2026-11-21T12:00:00Z", stale: false } });
  });
});

test("a caller that goes away gets CANCELLED, and the mirror it waited for is not blamed", async () => {
  misbehave(slow, 0);
  const controller = new AbortController();
  const call = scene.client.searchStations({}, { signal: controller.signal }).catch((error: ConnectError) => error.code);
  await scene.requested(0, 1);
  scene.clock.advance(500);
  controller.abort();
  expect(await call).toBe(Code.Canceled);
  misbehave({ kind: "none" }, 0);
  expect(await search()).toEqual({ ...response, freshness: { fetched_at: "2026-11-21T12:00:00.500Z", stale: false } });
  expect(scene.counts()[0]).toBe(2);
});

test("a response is reused while it is fresh, and requested again when it no longer is", async () => {
  await scene.close();
  scene = await startRadioScene([rawStation()], { freshMs: 60_000, mirrorCount: 1 });
  const fetchedAt = { ...response, freshness: { fetched_at: "2026-11-21T12:00:00Z", stale: false } };
  expect([await search(), await search()]).toEqual([fetchedAt, fetchedAt]);
  scene.clock.advance(59_999);
  expect([await search(), scene.counts()]).toEqual([fetchedAt, [1]]);
  scene.clock.advance(1);
  expect([await search(), scene.counts()]).toEqual([
    { ...response, freshness: { fetched_at: "2026-11-21T12:01:00Z", stale: false } },
    [2],
  ]);
});
