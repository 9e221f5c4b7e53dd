import { describe, expect, onTestFinished, test } from "vitest";
import { factsOf } from "../../../src/services/bitcoin/stand-in/world.ts";
import { dayOf } from "../../../src/services/stand-in/days.ts";
import type { Misbehaviour, StandIn } from "../../../src/upstream/stand-in/stand-in.ts";
import { startStandIn } from "../../../src/upstream/stand-in/stand-in-server.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import * as oracle from "./oracle.ts";
import { type BitcoinScene, failureOf, seed, startBitcoin } from "./start-bitcoin.ts";
import { closes, supplies, volumes, yesterday } from "./world-tables.ts";

describe("when sources fail", () => {
  const byKraken = async ({ client }: BitcoinScene): Promise<unknown> => {
    const { ratio, source } = await client.getMayer({});
    return [oracle.rounded(ratio), source];
  };
  const krakensAnswer = (): unknown => [oracle.rounded(oracle.mayer(closes, yesterday).ratio), "kraken"];
  const asked = (standIn: StandIn, times: number) => expect.poll(() => standIn.requestCount).toBeGreaterThanOrEqual(times);

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
    const { ratio } = oracle.nvt(closes, supplies, volumes, yesterday);
    const ratios = oracle.datesBack(yesterday, 730).map((date) => oracle.nvt(closes, supplies, volumes, date).ratio);
    const { source, percentile } = await client.getNvt({});
    expect([source, oracle.rounded(percentile)]).toEqual([
      "kraken+binance+blockchain.com",
      oracle.rounded(oracle.percentile(ratios, ratio)),
    ]);
  });

  test("the charts' closes are the last resort, and give the same Mayer Multiple", async () => {
    const { client, standIns } = await startBitcoin();
    for (const name of ["coinbase", "kraken", "binance"] as const) {
      standIns[name].misbehaviour = { kind: "failing" };
    }
    const { price, ratio, source, daysPresent } = await client.getMayer({});
    expect([price, oracle.rounded(ratio), source, daysPresent]).toEqual([
      factsOf(seed, dayOf(yesterday)).close,
      oracle.rounded(oracle.mayer(closes, yesterday).ratio),
      "blockchain.com",
      200,
    ]);
  });

  test("a chart's price is the close of the day that ended at its moment: 2024-08-08, when Bitcoin rose by an eighth", async () => {
    const clock = createManualClock({ nowMs: Date.parse("2024-08-09T12:00:00Z") });
    const priceAt: Record<string, number> = { "2024-08-08": 55_030, "2024-08-09": 61_710 };
    const charts = await startStandIn({
      name: "rising",
      clock,
      handle: () => {
        const values = oracle.datesBack("2024-08-09", 400).map((date) => ({ x: dayOf(date) * 86_400, y: priceAt[date] ?? 61_600 }));
        // What it costs at this hour is no close, should the chart have it.
        return { status: 200, body: JSON.stringify({ status: "ok", values: [...values, { x: clock.nowMs() / 1000, y: 99_000 }] }) };
      },
    });
    onTestFinished(() => charts.close());
    const prices = [{ name: "blockchain.com", url: charts.origin }] as const;
    const { client } = await startBitcoin({ now: "2024-08-09T12:00:00Z", config: { prices } });
    const { price, ratio, zone, asOf } = await client.getMayer({});
    expect([price, Math.round(ratio * 1000) / 1000, zone?.name, Number(asOf?.seconds)]).toEqual([
      61_710,
      1.002,
      "neutral",
      dayOf("2024-08-08") * 86_400,
    ]);
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

test("sources that are each recent, but have no recent day in common, give no reading", async () => {
  const charts = await startStandIn({
    name: "out of step",
    clock: createManualClock({ nowMs: Date.parse("2026-11-21T12:00:07Z") }),
    handle: ({ pathname }) => {
      // The supply ends on the very day that the transaction values lack.
      const lacking = pathname.endsWith("total-bitcoins") ? ["2026-11-20", "2026-11-19", "2026-11-18"] : ["2026-11-17"];
      const days = oracle.datesBack(yesterday, 1000).filter((date) => !lacking.includes(date));
      const values = days.map((date) => ({ x: dayOf(date) * 86_400, y: pathname.endsWith("total-bitcoins") ? dayOf(date) : 5e9 }));
      return { status: 200, body: JSON.stringify({ status: "ok", values }) };
    },
  });
  onTestFinished(() => charts.close());
  const { client } = await startBitcoin({ config: { chartsUrl: charts.origin } });
  expect(await failureOf(client.getNvt({}))).toEqual([
    "UPSTREAM_FAILED",
    "The newest complete day is more than 4 days ago; the call was not counted.",
  ]);
  expect((await client.getS2f({})).asOf?.seconds).toBe(BigInt(dayOf("2026-11-17") * 86_400));
});

describe("as days pass", () => {
  test("the new day is read in the background, while callers have the day before", async () => {
    const { client, clock } = await startBitcoin({ now: "2026-11-21T23:50:00Z" });
    const dayOfAnswer = async (): Promise<number> => Number((await client.getMayer({})).asOf?.seconds) / 86_400;
    expect(await dayOfAnswer()).toBe(dayOf("2026-11-20"));
    clock.advance(9 * 60_000);
    expect(await dayOfAnswer()).toBe(dayOf("2026-11-20"));
    clock.advance(60_000);
    await expect.poll(dayOfAnswer).toBe(dayOf("2026-11-21"));
  });

  test("reading it costs one question to one source", async () => {
    const { client, clock, standIns } = await startBitcoin({ now: "2026-11-21T23:50:00Z" });
    await client.getMayer({});
    expect([standIns.coinbase.requestCount, standIns.kraken.requestCount]).toEqual([14, 0]);
    clock.advance(10 * 60_000);
    await expect.poll(() => standIns.coinbase.requestCount).toBe(15);
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
