import assert from "node:assert/strict";
import { describe, expect, onTestFinished, test } from "vitest";
import { ZoneName } from "../../../gen/quintet/bitcoin/v1/bitcoin_pb.js";
import { coinbaseResponse, factsOf } from "../../../src/sandbox/stand-ins/bitcoin/stand-ins.ts";
import { dayOf } from "../../../src/sandbox/stand-ins/market/days.ts";
import type { Misbehaviour, StandIn } from "../../../src/sandbox/stand-ins/stand-in.ts";
import { startStandIn } from "../../../src/sandbox/stand-ins/stand-in-server.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import * as oracle from "./oracle.ts";
import { type BitcoinScene, failureOf, seed, startBitcoin } from "./start-bitcoin.ts";
import { closes, supplies, volumes, yesterday } from "./world-tables.ts";

describe("when sources fail", () => {
  const ratioAndSource = async ({ client }: BitcoinScene): Promise<unknown> => {
    const { ratio, sources } = (await client.getMayer({})).mayer ?? assert.fail();
    return [oracle.rounded(ratio), sources];
  };
  const withoutCoinbase = (): unknown => [
    oracle.rounded(oracle.mayer(closes, yesterday).ratio),
    ["kraken", "binance", "blockchain.com"],
  ];
  const requested = (standIn: StandIn, times: number) => expect.poll(() => standIn.requestCount).toBeGreaterThanOrEqual(times);

  test.each<[string, Misbehaviour]>([
    ["fails", { kind: "failing" }],
    ["responds with a web page", { kind: "html" }],
    ["breaks off its response", { kind: "truncated" }],
    ["limits its callers", { kind: "limiting", retryAfterSeconds: 60 }],
  ])("a price source that %s is skipped", async (_, misbehaviour) => {
    const scene = await startBitcoin();
    scene.standIns.coinbase.misbehaviour = misbehaviour;
    expect(await ratioAndSource(scene)).toEqual(withoutCoinbase());
  });

  test("a dead price source is skipped after a second attempt", async () => {
    const scene = await startBitcoin();
    scene.standIns.coinbase.misbehaviour = { kind: "dead" };
    const call = ratioAndSource(scene);
    await requested(scene.standIns.coinbase, 14);
    scene.clock.advance(200);
    expect(await call).toEqual(withoutCoinbase());
  });

  test("a price source that hangs is skipped after five seconds", async () => {
    const scene = await startBitcoin();
    scene.standIns.coinbase.misbehaviour = { kind: "slow", delayMs: 600_000 };
    const call = ratioAndSource(scene);
    await requested(scene.standIns.coinbase, 4);
    // Timers: 14 for Coinbase's requests, 4 for its delayed responses, one for the call, and one for the next check for a new day.
    await expect.poll(() => scene.clock.pending).toBe(20);
    scene.clock.advance(5000);
    expect(await call).toEqual(withoutCoinbase());
  });

  test("when all hang, the call fails after the five seconds that each of them gets", async () => {
    const { client, clock, standIns } = await startBitcoin();
    const names = ["coinbase", "kraken", "binance", "charts"] as const;
    for (const name of names) {
      standIns[name].misbehaviour = { kind: "slow", delayMs: 600_000 };
    }
    const call = failureOf(client.getMayer({}));
    await Promise.all(names.map((name) => requested(standIns[name], 1)));
    clock.advance(5000);
    expect(await call).toEqual([
      "UPSTREAM_FAILED",
      "The source of closing prices gave no usable response; the call was not counted.",
    ]);
  });

  test("a last close that is doubled on only one exchange is left out, and the exchange is named", async () => {
    const clock = createManualClock({ nowMs: Date.parse("2026-11-21T12:00:07Z") });
    const doubling = await startStandIn({
      name: "doubling",
      clock,
      handle: (url, request) => {
        const { body } = coinbaseResponse(url, request, seed, Math.floor(clock.nowMs() / 1000));
        const rows = JSON.parse(String(body)) as number[][];
        const doubled = rows.map(([time = 0, ...prices]) =>
          time === dayOf(yesterday) * 86_400 ? [time, ...prices.map((price) => 2 * price)] : [time, ...prices],
        );
        return { status: 200, body: JSON.stringify(doubled) };
      },
    });
    onTestFinished(() => doubling.close());
    const { client } = await startBitcoin({ replacedUrls: { coinbase: doubling.origin } });
    const { ratio, sources, disagreeingSources } = (await client.getMayer({})).mayer ?? assert.fail();
    expect([oracle.rounded(ratio), sources, disagreeingSources]).toEqual([
      oracle.rounded(oracle.mayer(closes, yesterday).ratio),
      ["kraken", "binance", "blockchain.com", "coinbase"],
      ["coinbase"],
    ]);
  });

  test("the two years behind the percentile may come from fewer sources, which the response names", async () => {
    const { client, standIns } = await startBitcoin();
    standIns.coinbase.misbehaviour = { kind: "failing" };
    const { ratio } = oracle.nvt(closes, supplies, volumes, yesterday);
    const ratios = oracle.datesBack(yesterday, 730).map((date) => oracle.nvt(closes, supplies, volumes, date).ratio);
    const { sources, percentile } = (await client.getNvt({})).nvt ?? assert.fail();
    expect([sources, oracle.rounded(percentile)]).toEqual([
      ["kraken", "binance", "blockchain.com"],
      oracle.rounded(oracle.percentile(ratios, ratio)),
    ]);
  });

  test("the charts' closes are the last resort, and give the same Mayer Multiple", async () => {
    const { client, standIns } = await startBitcoin();
    for (const name of ["coinbase", "kraken", "binance"] as const) {
      standIns[name].misbehaviour = { kind: "failing" };
    }
    const { price, ratio, sources, daysPresent } = (await client.getMayer({})).mayer ?? assert.fail();
    expect([price, oracle.rounded(ratio), sources, daysPresent]).toEqual([
      factsOf(seed, dayOf(yesterday)).close,
      oracle.rounded(oracle.mayer(closes, yesterday).ratio),
      ["blockchain.com"],
      200,
    ]);
  });

  test("a chart's price is the close of the day that ended at its time: 2024-08-08, when Bitcoin rose by an eighth", async () => {
    const clock = createManualClock({ nowMs: Date.parse("2024-08-09T12:00:00Z") });
    const priceAt: Record<string, number> = { "2024-08-08": 55_030, "2024-08-09": 61_710 };
    const charts = await startStandIn({
      name: "rising",
      clock,
      handle: () => {
        const values = oracle.datesBack("2024-08-09", 400).map((date) => ({ x: dayOf(date) * 86_400, y: priceAt[date] ?? 61_600 }));
        // The price at this hour is not a close, even if the chart has it.
        return { status: 200, body: JSON.stringify({ status: "ok", values: [...values, { x: clock.nowMs() / 1000, y: 99_000 }] }) };
      },
    });
    onTestFinished(() => charts.close());
    const prices = [{ name: "blockchain.com", url: charts.origin }] as const;
    const { client } = await startBitcoin({ now: "2024-08-09T12:00:00Z", config: { prices } });
    const { price, ratio, zone, asOf } = (await client.getMayer({})).mayer ?? assert.fail();
    expect([price, Math.round(ratio * 1000) / 1000, zone?.name, asOf]).toEqual([61_710, 1.002, ZoneName.NEUTRAL, "2024-08-08"]);
  });

  test("without any price there is no Mayer Multiple, while the Puell Multiple needs none", async () => {
    const { client, standIns } = await startBitcoin({ config: { prices: [] } });
    const down = ["UPSTREAM_FAILED", "The source of closing prices gave no usable response; the call was not counted."];
    expect(await failureOf(client.getMayer({}))).toEqual(down);
    expect((await client.getPuell({})).puell?.daysPresent).toBe(365);
    standIns.charts.misbehaviour = { kind: "failing" };
    expect((await client.getPuell({})).puell?.daysPresent).toBe(365);
    expect(await failureOf(client.getNvt({}))).toEqual(down);
  });

  test("an outage is not made worse: however many calls arrive, the sources are queried only every 15 seconds", async () => {
    const { client, clock, standIns } = await startBitcoin();
    standIns.charts.misbehaviour = { kind: "failing" };
    for (let call = 0; call < 20; call += 1) {
      expect(await failureOf(client.getPuell({}))).toMatchObject(["UPSTREAM_FAILED", expect.any(String)]);
    }
    expect(standIns.charts.requestCount).toBe(1);
    standIns.charts.misbehaviour = { kind: "none" };
    clock.advance(15_000);
    expect((await client.getPuell({})).puell?.daysPresent).toBe(365);
  });

  test("a chart with too many gaps gives no average", async () => {
    const clock = createManualClock({ nowMs: Date.parse("2026-11-21T12:00:07Z") });
    const gappy = await startStandIn({
      name: "gappy",
      clock,
      // Every twentieth day and one more are missing.
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
      `The Puell Multiple cannot be computed: the miner revenue is known for ${present} of 365 days, but at least 347 are needed. The call was not counted.`,
    ]);
    expect(present).toBe(346);
  });
});

test("sources that are recent but have no recent day in common give no reading", async () => {
  const charts = await startStandIn({
    name: "out of step",
    clock: createManualClock({ nowMs: Date.parse("2026-11-21T12:00:07Z") }),
    handle: ({ pathname }) => {
      // The supply ends on the one day that the transaction values lack.
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
    "The NVT ratio cannot be computed: the newest closing price is of 2026-11-20, the newest supply is of 2026-11-17, the newest transaction value is of 2026-11-20; 2026-11-16, the last complete day, is more than 4 days ago. The call was not counted.",
  ]);
  expect((await client.getS2f({})).s2f?.asOf).toBe("2026-11-17");
});

describe("as days pass", () => {
  test("the new day is read in the background, while callers get the day before", async () => {
    const { client, clock } = await startBitcoin({ now: "2026-11-21T23:50:00Z" });
    const dayOfResponse = async (): Promise<number> => dayOf((await client.getMayer({})).mayer?.asOf ?? "");
    expect(await dayOfResponse()).toBe(dayOf("2026-11-20"));
    clock.advance(14 * 60_000);
    expect(await dayOfResponse()).toBe(dayOf("2026-11-20"));
    clock.advance(60_000);
    await expect.poll(dayOfResponse).toBe(dayOf("2026-11-21"));
  });

  test("reading it takes one request to each source", async () => {
    const { client, clock, standIns } = await startBitcoin({ now: "2026-11-21T23:50:00Z" });
    await client.getMayer({});
    expect([standIns.coinbase.requestCount, standIns.kraken.requestCount]).toEqual([14, 1]);
    clock.advance(15 * 60_000);
    await expect.poll(() => standIns.coinbase.requestCount).toBe(15);
    await expect.poll(() => standIns.kraken.requestCount).toBe(2);
  });

  test("the last reading covers an outage of four days, and no longer", async () => {
    const { client, clock, standIns } = await startBitcoin({ now: "2026-11-21T12:00:00Z" });
    const { asOf: first } = (await client.getPuell({})).puell ?? assert.fail();
    standIns.charts.misbehaviour = { kind: "failing" };
    clock.advance(3 * 86_400_000 + 11 * 3_600_000);
    expect((await client.getPuell({})).puell?.asOf).toEqual(first);
    clock.advance(2 * 3_600_000);
    expect(await failureOf(client.getPuell({}))).toEqual(["UPSTREAM_FAILED", expect.any(String)]);
  });
});
