// The first calls after a start, when nothing is known of two mirrors and one of them is dead, slow, or behind the other. Every call must get
// the response that it gets if there is only the good mirror.
import { isDeepStrictEqual } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { directoryHandler } from "../../../src/sandbox/stand-ins/radio/directory.ts";
import type { RawStation } from "../../../src/sandbox/stand-ins/radio/stations.ts";
import { seeded } from "../../../src/sandbox/stand-ins/seeded.ts";
import type { Misbehaviour, StandIn } from "../../../src/sandbox/stand-ins/stand-in.ts";
import { startStandIn } from "../../../src/sandbox/stand-ins/stand-in-server.ts";
import { createManualClock, type ManualClock } from "../../fixtures/manual-clock.ts";
import { openRadio, type RadioScene, refusal, withRetries } from "./radio-scene.ts";
import { rawStation } from "./raw-row.ts";

type RadioClient = RadioScene["client"];

const uuid = (last: number): string => `5a000000-0000-4000-8000-${String(last).padStart(12, "0")}`;
const station = (last: number): RawStation => rawStation({ stationuuid: uuid(last), name: `Jazz ${last}` });
const stations = [1, 2, 3].map(station);

const CALLS: Readonly<Record<string, (client: RadioClient) => Promise<unknown>>> = {
  "a search without filters": (client) => client.searchStations({}),
  "a search by a filter": (client) => client.searchStations({ tag: "jazz" }),
  "a search that finds nothing": (client) => client.searchStations({ tag: "polka" }),
  "a query": (client) => client.searchStations({ query: "jazz germany" }),
  "a station": (client) => client.getStation({ uuid: uuid(3) }),
  "an unknown station": (client) => client.getStation({ uuid: uuid(9) }),
  "several stations, one of them unknown": (client) => client.batchGetStations({ uuids: [uuid(3), uuid(9), uuid(1)] }),
  "the most voted stations": (client) => client.listTopVotedStations({}),
  "the countries": (client) => client.listCountries({}),
  "the tags": (client) => client.listTags({}),
  "the languages": (client) => client.listLanguages({}),
  "the states": (client) => client.listStates({}),
  "the states of a country": (client) => client.listStates({ countrycode: "DE" }),
  "the codecs": (client) => client.listCodecs({}),
  "a play": (client) => client.reportPlay({ uuid: uuid(3) }),
  "a play of an unknown station": (client) => client.reportPlay({ uuid: uuid(9) }),
};
const CALL_LIST = Object.entries(CALLS).map(([name, call]) => ({ name, call, isReport: name.startsWith("a play") }));

interface Mirror {
  readonly standIn: StandIn;
  /** Replaces its data. */
  have(data: readonly RawStation[]): void;
}

async function startMirror(): Promise<Mirror> {
  const handlerOf = (data: readonly RawStation[]) => directoryHandler(data);
  let handle = handlerOf(stations);
  const standIn = await startStandIn({ name: "radio", clock, handle: (url) => handle(url) });
  return {
    standIn,
    have(data) {
      handle = handlerOf(data);
    },
  };
}

let clock: ManualClock;
let good: Mirror;
let bad: Mirror;

beforeEach(async () => {
  clock = createManualClock({ nowMs: Date.UTC(2026, 10, 21, 12) });
  [good, bad] = await Promise.all([startMirror(), startMirror()]);
});

afterEach(() => Promise.all([good.standIn.close(), bad.standIn.close()]));

interface Start {
  readonly mirrors: readonly Mirror[];
  /** Decides which mirror is queried first; by default the first one. */
  readonly unit?: () => number;
}

/** The response to the first call of a service that has just started. */
async function first({ mirrors, unit = () => 0.5 }: Start, call: (client: RadioClient) => Promise<unknown>): Promise<unknown> {
  const radio = openRadio({ clock, mirrors: mirrors.map(({ standIn }) => standIn), unit });
  const response = await responseOf(call(radio.client));
  await radio.close();
  return response;
}

// How long a call waits before it queries the next mirror too, and for a second one's opinion.
const HEDGE_MS = 600;
const SECOND_MIRROR_MS = 1200;

// If a mirror is slow, calls do not wait for it any longer.
async function responseOf(call: Promise<unknown>): Promise<unknown> {
  let isDone = false;
  const response = withRetries(clock, refusal(call)).finally(() => {
    isDone = true;
  });
  while (bad.standIn.misbehaviour.kind === "slow" && !isDone) {
    clock.advance([SECOND_MIRROR_MS, HEDGE_MS].find((delayMs) => clock.hasAlarmIn(delayMs)) ?? 0);
    await new Promise(setImmediate);
  }
  return withoutTimes(await response);
}

const withoutTimes = (response: unknown): unknown =>
  JSON.parse(
    JSON.stringify(response, (key, value: unknown) =>
      key === "fetchedAt" ? undefined : typeof value === "bigint" ? Number(value) : value,
    ),
  );

test("every call is right in 100 starts if one of two mirrors has no data, whichever calls are the first", async () => {
  const expected = await Promise.all(CALL_LIST.map(({ call }) => first({ mirrors: [good] }, call)));
  bad.have([]);
  const wrong: unknown[] = [];
  for (let start = 0; start < 100; start += 1) {
    const radio = openRadio({ clock, mirrors: [good.standIn, bad.standIn], unit: seeded(start) });
    for (let step = 0; step < 2; step += 1) {
      const index = (start + step) % CALL_LIST.length;
      const { name, call } = CALL_LIST[index] as (typeof CALL_LIST)[number];
      const response = await responseOf(call(radio.client));
      if (!isDeepStrictEqual(response, expected[index])) {
        wrong.push([start, step, name, response]);
      }
    }
    await radio.close();
  }
  expect(wrong).toEqual([]);
});

describe.each(CALL_LIST)("the first call after a start, for $name,", ({ name, call, isReport }) => {
  const misbehaviours: readonly [string, Misbehaviour][] = [
    ["sends a web page", { kind: "html" }],
    ["sends half a body", { kind: "truncated" }],
    ["is dead", { kind: "dead" }],
    ["fails", { kind: "failing" }],
    ["is slow", { kind: "slow", delayMs: 60_000 }],
  ];
  // The requests of a query are hedged each for itself, and no clock that stands still can tell when all of them are.
  test.each(misbehaviours.filter(([, { kind }]) => kind !== "slow" || name !== "a query"))(
    "is right if the first mirror %s",
    async (_, misbehaviour) => {
      const expected = await first({ mirrors: [good] }, call);
      bad.standIn.misbehaviour = misbehaviour;
      // A report is sent once.
      const mirrors = isReport ? [good, bad] : [bad, good];
      expect(await first({ mirrors }, call)).toEqual(expected);
    },
  );

  test("fails if both mirrors are dead, or if the only one has no data but cannot be empty", async () => {
    good.standIn.misbehaviour = { kind: "dead" };
    bad.standIn.misbehaviour = { kind: "dead" };
    expect(await first({ mirrors: [bad, good] }, call)).toMatchObject({ reason: "UPSTREAM_FAILED" });
    bad.standIn.misbehaviour = { kind: "none" };
    bad.have([]);
    expect((await first({ mirrors: [bad] }, call)) as object).toMatchObject(emptyResponse(name));
  });
});

/** What a directory without any station responds. */
const emptyResponse = (name: string): object =>
  ({
    "a search by a filter": { count: 0 },
    "a search that finds nothing": { count: 0 },
    "a query": { count: 0 },
    "a station": { reason: "NOT_FOUND" },
    "an unknown station": { reason: "NOT_FOUND" },
    "several stations, one of them unknown": { results: [], missing: [uuid(3), uuid(9), uuid(1)] },
    "the states of a country": { results: [] },
    "a play": { reason: "NOT_FOUND" },
    "a play of an unknown station": { reason: "NOT_FOUND" },
  })[name] ?? { reason: "UPSTREAM_FAILED" };

test.each(["a station", "several stations, one of them unknown", "a play"])(
  "%s that one mirror does not have yet is found in 100 starts",
  async (name) => {
    const call = CALLS[name] as (client: RadioClient) => Promise<unknown>;
    const expected = await first({ mirrors: [good] }, call);
    bad.have(stations.slice(0, 2));
    for (let start = 0; start < 100; start += 1) {
      expect(await first({ mirrors: [good, bad], unit: seeded(start) }, call)).toEqual(expected);
    }
  },
);

describe.each(CALL_LIST.filter(({ isReport }) => !isReport))("a good response for $name", ({ call }) => {
  test.each<[string, (mirrors: readonly Mirror[]) => readonly Mirror[]]>([
    ["the only mirror", () => [bad]],
    ["a mirror, and the other one is dead,", () => [bad, good]],
  ])("is not replaced when %s has lost its data", async (_, mirrorsOf) => {
    const radio = openRadio({ clock, mirrors: mirrorsOf([bad, good]).map(({ standIn }) => standIn) });
    const expected = await responseOf(call(radio.client));
    good.standIn.misbehaviour = { kind: "dead" };
    bad.have([]);
    clock.advance(60_000);
    const later = [await responseOf(call(radio.client)), await responseOf(call(radio.client))];
    const isEmpty = isDeepStrictEqual(expected, await first({ mirrors: [bad] }, call));
    expect(later).toEqual([1, 2].map(() => (isEmpty ? expected : aged(expected))));
    await radio.close();
  });
});

const STALE = { $typeName: "quintet.common.v1.Freshness", stale: true };

const aged = (response: unknown): unknown => {
  const { station, ...rest } = response as { station?: object };
  return station === undefined ? { ...rest, freshness: STALE } : { ...rest, station: { ...station, freshness: STALE } };
};

test("a mirror that has no data is set aside, although it is fast, and is probed less and less often", async () => {
  bad.have([]);
  const radio = openRadio({ clock, mirrors: [bad.standIn, good.standIn] });
  const { requestCount } = bad.standIn;
  for (let call = 0; call < 600; call += 1) {
    expect((await radio.client.searchStations({ name: `jazz ${1 + (call % 3)}` })).count).toBe(1);
    clock.advance(1000);
  }
  // After 5, 10, 20, 40, 80, 160 and 300 seconds.
  expect(bad.standIn.requestCount - requestCount).toBeLessThan(9);
  await radio.close();
});
