// What each method says while charts are behind, empty or have gaps, and at the first calls after a start while sources are slow or dead.
import { expect, onTestFinished, test } from "vitest";
import { CycleRead } from "../../../gen/quintet/bitcoin/v1/bitcoin_pb.js";
import { chartResponse, researchKitResponse } from "../../../src/sandbox/stand-ins/bitcoin/stand-ins.ts";
import type { Misbehaviour } from "../../../src/sandbox/stand-ins/stand-in.ts";
import { startStandIn } from "../../../src/sandbox/stand-ins/stand-in-server.ts";
import type { BitcoinConfig } from "../../../src/services/bitcoin/config.ts";
import { supplyOf } from "../../../src/services/bitcoin/feeds/sources/research-kit.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import * as oracle from "./oracle.ts";
import { type BitcoinScene, failureOf, seed, startBitcoin } from "./start-bitcoin.ts";
import { closes, revenues, supplies, volumes, yesterday } from "./world-tables.ts";

const INDICATORS = ["mayer", "puell", "nvt", "s2f"] as const;
type Indicator = (typeof INDICATORS)[number];

/** The day of a successful response, or the reason and message of a failure. */
const dayOrFailure = (call: Promise<{ asOf: string } | undefined>): Promise<unknown> =>
  failureOf(call.then((response) => response?.asOf));

interface Outcomes {
  readonly methods: Readonly<Record<Indicator, unknown>>;
  readonly histories: Readonly<Record<Indicator, unknown>>;
  readonly summary: unknown;
}

async function outcomesOf({ client }: BitcoinScene): Promise<Outcomes> {
  const [mayer, puell, nvt, s2f] = await Promise.all([
    dayOrFailure(client.getMayer({}).then(({ mayer }) => mayer)),
    dayOrFailure(client.getPuell({}).then(({ puell }) => puell)),
    dayOrFailure(client.getNvt({}).then(({ nvt }) => nvt)),
    dayOrFailure(client.getS2f({}).then(({ s2f }) => s2f)),
  ]);
  const histories = await Promise.all(INDICATORS.map((indicator) => dayOrFailure(client.getHistory({ indicator, days: 3650 }))));
  const summary = await failureOf(
    client.getSummary({}).then((response) => ({
      asOf: response.asOf,
      there: INDICATORS.filter((indicator) => response[indicator] !== undefined),
      cycle: response.cycle !== undefined,
      missing: Object.fromEntries(response.unavailable.map(({ indicator, reason }) => [indicator, reason])),
    })),
  );
  return {
    methods: { mayer, puell, nvt, s2f },
    histories: Object.fromEntries(INDICATORS.map((indicator, index) => [indicator, histories[index]])) as Outcomes["histories"],
    summary,
  };
}

type Point = { readonly x: number; readonly y: number };

/** A scene whose charts leave out the points that `keep` refuses. */
async function withCharts(
  keep: (chart: string, date: string) => boolean,
  more: { config?: Partial<BitcoinConfig>; hasSecondSource?: boolean } = {},
): Promise<BitcoinScene> {
  const clock = createManualClock({ nowMs: Date.parse("2026-11-21T12:00:07Z") });
  const charts = await startStandIn({
    name: "partial",
    clock,
    handle: (url) => {
      const response = chartResponse(url, seed, clock.nowMs() / 1000);
      const chart = url.pathname.replace("/charts/", "");
      const json = JSON.parse(String(response.body)) as { values: Point[] };
      const values = json.values.filter(({ x }) => keep(chart, new Date(x * 1000).toISOString().slice(0, 10)));
      return { ...response, body: JSON.stringify({ ...json, values }) };
    },
  });
  onTestFinished(() => charts.close());
  return await startBitcoin({ ...more, config: { chartsUrl: `${charts.origin}/charts`, ...more.config } });
}

const cannot = (what: string, reason: string): unknown => [
  "UPSTREAM_FAILED",
  `${what} cannot be computed: ${reason}. The call was not counted.`,
];
const all = (date: string): Record<Indicator, string> => ({ mayer: date, puell: date, nvt: date, s2f: date });

test("charts that are a week behind give history until then, and each indicator says what is old", async () => {
  const last = "2026-11-13";
  const old = {
    puell: `the newest miner revenue is of ${last}; ${last}, the last complete day, is more than 4 days ago`,
    nvt: `the newest closing price is of ${yesterday}, the newest supply is of ${last}, the newest transaction value is of ${last}; ${last}, the last complete day, is more than 4 days ago`,
    s2f: `the newest closing price is of ${yesterday}, the newest supply is of ${last}; ${last}, the last complete day, is more than 4 days ago`,
  };
  const scene = await withCharts((_, date) => date <= last);
  expect(await outcomesOf(scene)).toEqual({
    methods: {
      mayer: yesterday,
      puell: cannot("The Puell Multiple", old.puell),
      nvt: cannot("The NVT ratio", old.nvt),
      s2f: cannot("Stock-to-Flow", old.s2f),
    },
    histories: { ...all(last), mayer: yesterday },
    summary: { asOf: yesterday, there: ["mayer"], cycle: false, missing: old },
  });
  const { points } = await scene.client.getHistory({ indicator: "puell", days: 700 });
  expect(points.length).toBe(700);
});

test.each([
  ["miners-revenue", "miner revenue", ["puell"]],
  ["estimated-transaction-volume-usd", "transaction value", ["nvt"]],
  ["total-bitcoins", "supply", ["nvt", "s2f"]],
] as const)("an empty chart of %s takes away what needs it, with its name, and nothing else", async (empty, name, without) => {
  const { methods, histories, summary } = await outcomesOf(await withCharts((chart) => chart !== empty));
  for (const indicator of INDICATORS) {
    const isWithout = (without as readonly string[]).includes(indicator);
    const why = ["UPSTREAM_FAILED", expect.stringContaining(`the source has no ${name}`)];
    expect([methods[indicator], histories[indicator]]).toEqual(isWithout ? [why, why] : [yesterday, yesterday]);
  }
  expect(summary).toEqual({
    asOf: yesterday,
    there: INDICATORS.filter((indicator) => !(without as readonly string[]).includes(indicator)),
    cycle: false,
    missing: Object.fromEntries(without.map((indicator) => [indicator, expect.stringContaining(`the source has no ${name}`)])),
  });
});

test("gaps of the last weeks withhold no older point, and the indicator says how many days it lacks", async () => {
  const gaps = ["2026-11-05", "2026-11-06", "2026-11-07", "2026-11-08", "2026-11-09"];
  const scene = await withCharts((chart, date) => chart !== "estimated-transaction-volume-usd" || !gaps.includes(date));
  const reason = "the transaction value is known for 85 of 90 days, but at least 86 are needed";
  const { methods, summary } = await outcomesOf(scene);
  expect(methods).toEqual({ ...all(yesterday), nvt: cannot("The NVT ratio", reason) });
  expect(summary).toEqual({ asOf: yesterday, there: ["mayer", "puell", "s2f"], cycle: false, missing: { nvt: reason } });
  const { points, asOf } = await scene.client.getHistory({ indicator: "nvt", days: 730 });
  // The day before the fifth gap is the last whose window has 86 days.
  const dates = oracle.datesBack("2026-11-08", 730).filter((date) => !gaps.includes(date));
  const without = Object.fromEntries(Object.entries(volumes).filter(([date]) => !gaps.includes(date)));
  expect([asOf, points.length]).toEqual(["2026-11-08", 730]);
  const ratios = new Map(points.map(({ day, ratio }) => [day, ratio]));
  expect(dates.map((date) => oracle.rounded(ratios.get(date)))).toEqual(
    dates.map((date) => oracle.rounded(oracle.nvt(closes, supplies, without, date).ratio)),
  );
});

test("data of two days ago makes the summary's day that of its oldest part", async () => {
  const scene = await withCharts((chart, date) => chart !== "miners-revenue" || date <= "2026-11-18");
  const { asOf, puell, mayer, cycle } = await scene.client.getSummary({});
  expect([asOf, puell?.asOf, mayer?.asOf, cycle?.read]).toEqual(["2026-11-18", "2026-11-18", yesterday, CycleRead.DEEP_VALUE]);
});

// The first calls after a start, cold: as far as possible, and never with a wrong reason.
const failed = (what: string): unknown => [
  "UPSTREAM_FAILED",
  `The source of ${what} gave no usable response; the call was not counted.`,
];
const dead: Misbehaviour = { kind: "dead" };
const hanging: Misbehaviour = { kind: "slow", delayMs: 3_600_000 };
const slow: Misbehaviour = { kind: "slow", delayMs: 500 };
const exchanges = ["coinbase", "kraken", "binance"] as const;
const chainSources = ["charts", "researchKit"] as const;
const everything = [...exchanges, ...chainSources] as const;
const chain = { puell: failed("miner revenue"), nvt: expect.anything(), s2f: failed("the supply") };

test.each<[string, readonly (keyof BitcoinScene["standIns"])[], Misbehaviour, Partial<Record<Indicator, unknown>>]>([
  ["nothing is wrong", [], dead, {}],
  ["every source is slow", everything, slow, {}],
  ["the exchanges are dead", exchanges, dead, {}],
  ["the exchanges hang", exchanges, hanging, {}],
  ["the charts are dead", ["charts"], dead, { nvt: failed("transaction values") }],
  ["the charts respond with errors", ["charts"], { kind: "failing" }, { nvt: failed("transaction values") }],
  ["the charts hang", ["charts"], hanging, { nvt: failed("transaction values") }],
  ["the second source of chain data is dead", ["researchKit"], dead, {}],
  ["both sources of chain data are dead", chainSources, dead, chain],
  ["both sources of chain data hang", chainSources, hanging, chain],
  ["everything is dead", everything, dead, { ...chain, mayer: failed("closing prices"), s2f: expect.anything() }],
])("the first calls after a start if %s", async (_, names, misbehaviour, failures) => {
  const scene = await startBitcoin({ hasSecondSource: true });
  for (const name of names) {
    scene.standIns[name].misbehaviour = misbehaviour;
  }
  let done = false;
  const outcomes = outcomesOf(scene).finally(() => {
    done = true;
  });
  outcomes.catch(() => {});
  while (!done) {
    await new Promise((resolve) => setImmediate(resolve));
    scene.clock.advance(5);
  }
  const { methods, histories, summary } = await outcomes;
  expect(methods).toEqual({ ...all(yesterday), ...failures });
  const there = INDICATORS.filter((indicator) => !(indicator in failures));
  for (const indicator of there) {
    expect(histories[indicator]).toBe(yesterday);
  }
  expect(summary).toEqual(
    there.length === 0
      ? ["UPSTREAM_FAILED", expect.stringMatching(/^The summary cannot be computed: mayer: the source of closing prices gave no/)]
      : {
          asOf: yesterday,
          there,
          cycle: there.length === 4,
          missing: Object.fromEntries(
            Object.keys(failures).map((indicator) => [indicator, expect.stringMatching(/^the source of /)]),
          ),
        },
  );
});

// What the second source of chain data fills in, and when.
const week = "2026-11-13";
test("days that the charts lack come from the second source while they are behind, under its name", async () => {
  const scene = await withCharts((_, date) => date <= week, { hasSecondSource: true });
  const { puell, s2f, nvt, unavailable, asOf } = await scene.client.getSummary({});
  expect([asOf, puell?.asOf, s2f?.asOf, nvt, unavailable.map(({ indicator }) => indicator)]).toEqual([
    yesterday,
    yesterday,
    yesterday,
    undefined,
    ["nvt"],
  ]);
  expect([puell?.sources, s2f?.sources.slice(-2)]).toEqual([
    ["blockchain.com", "bitcoin-research-kit"],
    ["blockchain.com", "bitcoin-research-kit"],
  ]);
  const { ratio, revenue } = oracle.puell(revenues, yesterday);
  // The stand-in's revenue is a hundredth higher, and scaled to the charts'.
  expect([(puell?.revenue ?? 0) / revenue, (puell?.ratio ?? 0) / ratio]).toEqual([expect.closeTo(1, 6), expect.closeTo(1, 6)]);
  const stock = oracle.s2f(closes, supplies, yesterday);
  expect([(s2f?.supply ?? 0) / stock.supply, (s2f?.ratio ?? 0) / stock.ratio]).toEqual([
    expect.closeTo(1, 6),
    expect.closeTo(1, 3),
  ]);
  // Each series in one request.
  expect(scene.standIns.researchKit.requestCount).toBe(2);
});

test("the second source is asked only while the charts are more than a day behind", async () => {
  const scene = await withCharts((_, date) => date <= "2026-11-19", { hasSecondSource: true });
  expect((await scene.client.getSummary({})).asOf).toBe("2026-11-19");
  expect(scene.standIns.researchKit.requestCount).toBe(0);
});

test.each([
  ["revenue", "coinbase_sum_24h_usd", 1.2],
  ["blocks", "block_count_cumulative", 1.002],
])("a second source whose %s disagree with the charts fills nothing", async (_, name, factor) => {
  const clock = createManualClock({ nowMs: Date.parse("2026-11-21T12:00:07Z") });
  const kit = await startStandIn({
    name: "off",
    clock,
    handle: (url) => {
      const response = researchKitResponse(url, seed, clock.nowMs() / 1000);
      const [dates, values] = JSON.parse(String(response.body)) as [object, { data: (number | null)[] }];
      const isOff = url.searchParams.get("series")?.endsWith(name);
      const data = values.data.map((value) => (value === null || !isOff ? value : value * factor));
      return { ...response, body: JSON.stringify([dates, { ...values, data }]) };
    },
  });
  onTestFinished(() => kit.close());
  const scene = await withCharts((_chart, date) => date <= week, { hasSecondSource: true, config: { chainUrl: kit.origin } });
  const off = name.startsWith("coinbase") ? "puell" : "s2f";
  const { unavailable } = await scene.client.getSummary({});
  expect(unavailable.map(({ indicator }) => indicator).toSorted()).toEqual(["nvt", off].toSorted());
});

test.each([
  [0, 0],
  [1, 50],
  [210_000, 10_500_000],
  [210_001, 10_500_025],
  [840_000, 19_687_500],
  // Block 953,000 and those before it.
  [953_001, 20_040_628.125],
])("%i blocks have minted %d coins", (blocks, coins) => {
  expect(supplyOf(blocks)).toBe(coins);
});
