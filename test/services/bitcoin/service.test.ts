import { type DescMessage, type MessageShape, toJson } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  GetHistoryResponseSchema,
  GetMayerResponseSchema,
  GetNvtResponseSchema,
  GetPuellResponseSchema,
  GetS2fResponseSchema,
  GetSummaryResponseSchema,
} from "../../../gen/quintet/bitcoin/v1/bitcoin_pb.js";
import { dayOf, factsOf, supplyAt } from "../../../src/sandbox/bitcoin/world.ts";
import type { Misbehaviour, StandIn } from "../../../src/sandbox/stand-in.ts";
import { startStandIn } from "../../../src/sandbox/stand-in-server.ts";
import { createManualClock } from "../../manual-clock.ts";
import * as oracle from "./oracle.ts";
import { type BitcoinScene, failureOf, seed, startBitcoin } from "./start-bitcoin.ts";

const yesterday = "2026-11-20";
const asOf = `${yesterday}T00:00:00Z`;
const fetchedAt = "2026-11-21T12:00:07Z";

/** For what happens over real connections: it takes as long as the machine takes. */
const patiently = { timeout: 15_000, interval: 5 };

/** The answer as REST would write it, its numbers cut to ten digits. */
async function jsonOf<Desc extends DescMessage>(schema: Desc, answer: Promise<MessageShape<Desc>>): Promise<unknown> {
  return oracle.rounded(toJson(schema, await answer, { alwaysEmitImplicit: true }));
}

/** What the stand-ins' world holds of each day, the transaction values with their gaps. */
const closes: Record<string, number> = {};
const revenues: Record<string, number> = {};
const volumes: Record<string, number> = {};
const supplies: Record<string, number> = {};

beforeAll(() => {
  for (const date of oracle.datesBack(yesterday, 4100)) {
    const { close, revenueUsd, volumeUsd } = factsOf(seed, dayOf(date));
    closes[date] = close;
    revenues[date] = revenueUsd;
    // The chart's last point of a day comes a little before its end.
    supplies[date] = supplyAt((Math.floor((dayOf(date) + 2.97 / 3) * 86_400) - 17) / 86_400);
    Object.assign(volumes, volumeUsd === undefined ? {} : { [date]: volumeUsd });
  }
});

const zone = (name: string, value: number, undervaluedBelow: number, overvaluedAbove: number) => ({
  name,
  value,
  undervaluedBelow,
  overvaluedAbove,
});

function expectedMayer() {
  const { average, ...rest } = oracle.mayer(closes, yesterday);
  return {
    ...rest,
    average200d: average,
    zone: zone("undervalued", rest.ratio, 1, 2.4),
    windowDays: 200,
    asOf,
    source: "coinbase",
    fetchedAt,
  };
}

function expectedPuell() {
  const { average, ...rest } = oracle.puell(revenues, yesterday);
  return {
    ...rest,
    average365d: average,
    zone: zone("neutral", rest.ratio, 0.5, 4),
    windowDays: 365,
    asOf,
    source: "blockchain.com",
    fetchedAt,
  };
}

function expectedNvt() {
  const { average, ...rest } = oracle.nvt(closes, supplies, volumes, yesterday);
  const ratios = oracle.datesBack(yesterday, 730).map((date) => oracle.nvt(closes, supplies, volumes, date).ratio);
  const percentile = oracle.percentile(ratios, rest.ratio);
  return {
    ...rest,
    average90d: average,
    percentile,
    zone: zone("neutral", percentile, 10, 90),
    windowDays: 90,
    percentileWindowDays: 730,
    percentileDaysPresent: 730,
    asOf,
    source: "coinbase+blockchain.com",
    fetchedAt,
  };
}

function expectedS2f() {
  const { issuance, ...rest } = oracle.s2f(closes, supplies, yesterday);
  return {
    ...rest,
    issuance365d: issuance,
    model: "exp(-1.84) * SF^3.36",
    caveat:
      "Stock-to-Flow is controversial: its price model takes scarcity alone for value, has been far too optimistic since 2022, and is no forecast.",
    zone: zone("undervalued", rest.price / rest.modelPrice, 0.1, 2.4),
    windowDays: 365,
    asOf,
    source: "coinbase+blockchain.com",
    fetchedAt,
  };
}

describe("every operation against the stand-ins, compared with the definitions computed once more", () => {
  test("mayer", async () => {
    const { client } = await startBitcoin();
    expect(await jsonOf(GetMayerResponseSchema, client.getMayer({}))).toEqual(oracle.rounded(expectedMayer()));
  });

  test("puell", async () => {
    const { client } = await startBitcoin();
    expect(await jsonOf(GetPuellResponseSchema, client.getPuell({}))).toEqual(oracle.rounded(expectedPuell()));
  });

  test("nvt", async () => {
    const { client } = await startBitcoin();
    expect(await jsonOf(GetNvtResponseSchema, client.getNvt({}))).toEqual(oracle.rounded(expectedNvt()));
  });

  test("s2f", async () => {
    const { client } = await startBitcoin();
    expect(await jsonOf(GetS2fResponseSchema, client.getS2f({}))).toEqual(oracle.rounded(expectedS2f()));
  });

  test("summary: the four as they are by themselves, and the cycle", async () => {
    const { client } = await startBitcoin();
    const [mayer, puell, nvt, s2f] = [expectedMayer(), expectedPuell(), expectedNvt(), expectedS2f()];
    const position = (value: number, low: number, high: number): number => Math.min(Math.max((value - low) / (high - low), 0), 1);
    const heavy = [
      position(Math.log10(mayer.ratio), 0, Math.log10(2.4)),
      position(Math.log10(puell.ratio), Math.log10(0.5), Math.log10(4)),
      position(nvt.percentile, 10, 90),
    ];
    const light = position(Math.log10(s2f.zone.value), -1, Math.log10(2.4));
    const score = Math.round(((2 * heavy.reduce((sum, one) => sum + one)) / 7 + light / 7) * 1000) / 10;
    expect(await jsonOf(GetSummaryResponseSchema, client.getSummary({}))).toEqual(
      oracle.rounded({ cycle: { read: "deep_value", score, agreement: 0.5 }, mayer, puell, nvt, s2f }),
    );
  });

  test.each<[string, (date: string) => object, string]>([
    ["mayer", (date) => ({ ratio: oracle.mayer(closes, date).ratio, price: closes[date] }), "coinbase"],
    ["puell", (date) => ({ ratio: oracle.puell(revenues, date).ratio }), "blockchain.com"],
    [
      "nvt",
      (date) => ({ ratio: oracle.nvt(closes, supplies, volumes, date).ratio, price: closes[date] }),
      "coinbase+blockchain.com",
    ],
    [
      "s2f",
      (date) => {
        const { ratio, modelPrice } = oracle.s2f(closes, supplies, date);
        return { ratio, price: closes[date], modelPrice };
      },
      "coinbase+blockchain.com",
    ],
  ])("history of %s, oldest first", async (indicator, expected, source) => {
    const { client } = await startBitcoin();
    const dates = oracle.datesBack(yesterday, 40).reverse();
    expect(await jsonOf(GetHistoryResponseSchema, client.getHistory({ indicator, days: 40 }))).toEqual(
      oracle.rounded({
        indicator,
        days: 40,
        count: 40,
        asOf,
        source,
        fetchedAt,
        points: dates.map((date) => ({ day: `${date}T00:00:00Z`, ...expected(date) })),
      }),
    );
  });

  test("history of ten years is whole but for the days whose window lost a fortnight", async () => {
    const { client } = await startBitcoin();
    const counts = ["mayer", "puell", "nvt", "s2f"].map(async (indicator) => {
      const { days, count, points } = await client.getHistory({ indicator, days: 3650 });
      return [days, count, points.length];
    });
    // Of the 90 days that end with one of these, more than 4 are among the 15 lost in May 2019.
    const uncovered = oracle
      .datesBack(yesterday, 3650)
      .filter((date) => oracle.nvt(closes, supplies, volumes, date).daysPresent < 86);
    expect(await Promise.all(counts)).toEqual([
      [3650, 3650, 3650],
      [3650, 3650, 3650],
      [3650, 3650 - uncovered.length, 3650 - uncovered.length],
      [3650, 3650, 3650],
    ]);
    expect([uncovered.at(-1), uncovered[0]]).toEqual(["2019-05-24", "2019-08-27"]);
  });

  test("history goes back a year where nothing else is asked for, and one day where that is", async () => {
    const { client } = await startBitcoin();
    expect((await client.getHistory({ indicator: "mayer" })).count).toBe(365);
    expect((await client.getHistory({ indicator: "mayer", days: 1 })).points.map(({ ratio }) => oracle.rounded(ratio))).toEqual([
      oracle.rounded(oracle.mayer(closes, yesterday).ratio),
    ]);
  });
});

describe("bad input", () => {
  test.each<[string, { indicator: string; days?: number }]>([
    ["no indicator", { indicator: "" }],
    ["an unknown indicator", { indicator: "rsi" }],
    ["no days", { indicator: "mayer", days: 0 }],
    ["more than ten years", { indicator: "mayer", days: 3651 }],
  ])("%s is refused before any source is asked", async (_, request) => {
    const { client, standIns } = await startBitcoin();
    expect(await failureOf(client.getHistory(request))).toEqual(["INVALID_ARGUMENT", expect.any(String)]);
    expect(Object.values(standIns).map(({ requestCount }) => requestCount)).toEqual([0, 0, 0, 0]);
  });
});

describe("when sources fail", () => {
  const byKraken = async ({ client }: BitcoinScene): Promise<unknown> => {
    const { ratio, source } = await client.getMayer({});
    return [oracle.rounded(ratio), source];
  };
  const krakensAnswer = (): unknown => [oracle.rounded(oracle.mayer(closes, yesterday).ratio), "kraken"];
  const asked = (standIn: StandIn, times: number) => expect.poll(() => standIn.requestCount, patiently).toBeGreaterThanOrEqual(times);

  test.each<[string, Misbehaviour]>([
    ["fails", { kind: "failing" }],
    ["answers with a web page", { kind: "html" }],
    ["breaks off", { kind: "truncated" }],
    ["wants to be left alone", { kind: "limiting", retryAfterSeconds: 60 }],
  ])("a price source that %s gives way to the next", async (_, misbehaviour) => {
    const scene = await startBitcoin();
    scene.standIns.coinbase.misbehaviour = misbehaviour;
    expect(await byKraken(scene)).toEqual(krakensAnswer());
  });

  test("a price source that is dead gives way after a second try", async () => {
    const scene = await startBitcoin();
    scene.standIns.coinbase.misbehaviour = { kind: "dead" };
    const call = byKraken(scene);
    await asked(scene.standIns.coinbase, 14);
    scene.clock.advance(200);
    expect(await call).toEqual(krakensAnswer());
  });

  test("a price source that hangs gives way after five seconds", async () => {
    const scene = await startBitcoin();
    scene.standIns.coinbase.misbehaviour = { kind: "slow", delayMs: 600_000 };
    const call = byKraken(scene);
    await asked(scene.standIns.coinbase, 4);
    scene.clock.advance(5000);
    expect(await call).toEqual(krakensAnswer());
  });

  test("when all hang, the call's time is up before the last has been waited for", async () => {
    const { client, clock, standIns } = await startBitcoin();
    const call = failureOf(client.getMayer({}));
    for (const name of ["coinbase", "kraken", "binance", "charts"] as const) {
      standIns[name].misbehaviour = { kind: "slow", delayMs: 600_000 };
    }
    for (const name of ["coinbase", "kraken", "binance", "charts"] as const) {
      await asked(standIns[name], 1);
      clock.advance(5000);
    }
    expect(await call).toEqual([
      "DEADLINE_EXCEEDED",
      "The call's time was up before the source of Bitcoin's data answered; it was not counted.",
    ]);
  });

  test("the two years behind the percentile may come from two sources, and say so", async () => {
    const { client, standIns } = await startBitcoin();
    standIns.coinbase.misbehaviour = { kind: "failing" };
    const { source, percentile } = await client.getNvt({});
    expect([source, oracle.rounded(percentile)]).toEqual([
      "kraken+binance+blockchain.com",
      oracle.rounded(expectedNvt().percentile),
    ]);
  });

  test("the charts' own average of the day is the last resort", async () => {
    const { client, standIns } = await startBitcoin();
    for (const name of ["coinbase", "kraken", "binance"] as const) {
      standIns[name].misbehaviour = { kind: "failing" };
    }
    const { open, close } = factsOf(seed, dayOf(yesterday));
    const { price, source, daysPresent } = await client.getMayer({});
    expect([price, source, daysPresent]).toEqual([(open + close) / 2, "blockchain.com", 200]);
  });

  test("without any price there is no Mayer Multiple, while the Puell Multiple needs none", async () => {
    const { client, standIns } = await startBitcoin({ config: { prices: [] } });
    const down = ["UPSTREAM_FAILED", "The source of Bitcoin's data did not answer as it should; the call was not counted."];
    expect(await failureOf(client.getMayer({}))).toEqual(down);
    expect(await failureOf(client.getSummary({}))).toEqual(down);
    expect((await client.getPuell({})).daysPresent).toBe(365);
    standIns.charts.misbehaviour = { kind: "failing" };
    expect((await client.getPuell({})).daysPresent).toBe(365);
    expect(await failureOf(client.getNvt({}))).toEqual(down);
  });

  test("an outage is not made worse: however many call, the sources are asked once in a while", async () => {
    const { client, clock, standIns } = await startBitcoin();
    standIns.charts.misbehaviour = { kind: "failing" };
    for (let call = 0; call < 20; call += 1) {
      expect(await failureOf(client.getPuell({}))).toMatchObject(["UPSTREAM_FAILED", expect.any(String)]);
    }
    expect(standIns.charts.requestCount).toBe(1);
    standIns.charts.misbehaviour = { kind: "none" };
    clock.advance(15_000);
    expect((await client.getPuell({})).daysPresent).toBe(365);
  });

  test("a chart with gaps gives no average of fewer days", async () => {
    const clock = createManualClock({ nowMs: Date.parse("2026-11-21T12:00:07Z") });
    const gappy = await startStandIn({
      name: "gappy",
      clock,
      // Every twentieth day is missing, and one more.
      handle: () => {
        const days = oracle.datesBack(yesterday, 4000).filter((date) => dayOf(date) % 20 !== 1 && date !== "2026-11-19");
        const values = days.map((date) => ({ x: dayOf(date) * 86_400, y: 40_000_000 }));
        return { status: 200, body: JSON.stringify({ status: "ok", values }) };
      },
    });
    onTestFinished(() => gappy.close());
    const { client } = await startBitcoin({ config: { chartsUrl: gappy.origin } });
    const present = oracle.datesBack(yesterday, 365).filter((date) => dayOf(date) % 20 !== 1 && date !== "2026-11-19").length;
    expect(await failureOf(client.getPuell({}))).toEqual([
      "UPSTREAM_FAILED",
      `The data for the Puell Multiple have gaps: ${present} of 365 days hold a miner revenue, and at least 347 must. The call was not counted.`,
    ]);
    expect(present).toBe(346);
  });
});

describe("as days pass", () => {
  test("the new day is read in the background, while callers have the day before", async () => {
    const { client, clock } = await startBitcoin({ now: "2026-11-21T23:50:00Z" });
    const dayOfAnswer = async (): Promise<number> => Number((await client.getMayer({})).asOf?.seconds) / 86_400;
    expect(await dayOfAnswer()).toBe(dayOf("2026-11-20"));
    clock.advance(9 * 60_000);
    expect(await dayOfAnswer()).toBe(dayOf("2026-11-20"));
    clock.advance(60_000);
    await expect.poll(dayOfAnswer, patiently).toBe(dayOf("2026-11-21"));
  });

  test("reading it costs one question to one source", async () => {
    const { client, clock, standIns } = await startBitcoin({ now: "2026-11-21T23:50:00Z" });
    await client.getMayer({});
    expect([standIns.coinbase.requestCount, standIns.kraken.requestCount]).toEqual([14, 0]);
    clock.advance(10 * 60_000);
    await expect.poll(() => standIns.coinbase.requestCount, patiently).toBe(15);
    expect(standIns.kraken.requestCount).toBe(0);
  });

  test("what was read last serves four days of outage, and no longer", async () => {
    const { client, clock, standIns } = await startBitcoin({ now: "2026-11-21T12:00:00Z" });
    const { asOf: first } = await client.getPuell({});
    standIns.charts.misbehaviour = { kind: "failing" };
    clock.advance(3 * 86_400_000 + 11 * 3_600_000);
    expect((await client.getPuell({})).asOf).toEqual(first);
    clock.advance(2 * 3_600_000);
    expect(await failureOf(client.getPuell({}))).toEqual(["UPSTREAM_FAILED", expect.any(String)]);
  });
});
