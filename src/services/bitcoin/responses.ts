// Turns readings into responses: each indicator's newest reading with its zone, sources and times. Pure; throws Unavailable if the data
// does not give one.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { MayerSchema, NvtSchema, PuellSchema, S2fSchema } from "../../../gen/quintet/bitcoin/v1/bitcoin_pb.js";
import type { FreshnessSchema } from "../../../gen/quintet/common/v1/freshness_pb.js";
import { type Day, type DaySpan, isoDay } from "./day.ts";
import { type DaySeries, newestDay, valueAt } from "./day-series.ts";
import { type ChartData, chainSourcesWithin } from "./feeds/chart-data.ts";
import { type Closes, disagreeingWithin, sourcesWithin } from "./feeds/closes.ts";
import { mayerOn, nvtOn, nvtRatios, percentileOn, puellOn, type Shortfall, s2fOn, WINDOW_DAYS } from "./indicators/indicators.ts";
import { windowEnding } from "./indicators/window.ts";
import { ZONE_THRESHOLDS, type Zone, zoneOf } from "./indicators/zone.ts";

/** One indicator's newest reading as the RPC returns it, with what the summary needs from it. */
export interface IndicatorResponse<Message> {
  /** The day of the last complete data point. */
  readonly asOf: Day;
  readonly zone: Zone;
  readonly inputs: Inputs;
  readonly message: Message;
  /** When what it is computed from was last read: the earliest time. */
  readonly fetchedAtMs: number;
}

const CAVEAT =
  "Stock-to-Flow is controversial: its price model equates scarcity with value, has been far too optimistic since 2022, and is not a forecast.";

export const mayerInputsOf = ({ series }: Closes): Inputs => ({ "closing price": series });
export const puellInputsOf = ({ series }: ChartData): Inputs => ({ "miner revenue": series });
export const nvtInputsOf = (closes: Closes, supply: ChartData, volume: ChartData): Inputs => ({
  ...s2fInputsOf(closes, supply),
  "transaction value": volume.series,
});
export const s2fInputsOf = (closes: Closes, supply: ChartData): Inputs => ({
  ...mayerInputsOf(closes),
  supply: supply.series,
});

export function mayerResponse(closes: Closes): IndicatorResponse<MessageInitShape<typeof MayerSchema>> {
  const inputs = mayerInputsOf(closes);
  const asOf = newestCommonDay(inputs);
  const { ratio, price, average, daysPresent } = covered(mayerOn(closes.series, asOf));
  const zone = zoneOf(ratio, ZONE_THRESHOLDS.mayer);
  const window = windowEnding(asOf, WINDOW_DAYS.mayer);
  return {
    asOf,
    zone,
    inputs,
    fetchedAtMs: closes.fetchedAtMs,
    message: {
      ratio,
      price,
      average,
      zone,
      windowDays: WINDOW_DAYS.mayer,
      daysPresent,
      asOf: isoDay(asOf),
      sources: distinct(sourcesWithin(closes, window)),
      disagreeingSources: disagreeingWithin(closes, window),
    },
  };
}

export function puellResponse(revenues: ChartData): IndicatorResponse<MessageInitShape<typeof PuellSchema>> {
  const inputs = puellInputsOf(revenues);
  const asOf = newestCommonDay(inputs);
  const { ratio, revenue, average, daysPresent } = covered(puellOn(revenues.series, asOf));
  const zone = zoneOf(ratio, ZONE_THRESHOLDS.puell);
  return {
    asOf,
    zone,
    inputs,
    fetchedAtMs: revenues.fetchedAtMs,
    message: {
      ratio,
      revenue,
      average,
      zone,
      windowDays: WINDOW_DAYS.puell,
      daysPresent,
      asOf: isoDay(asOf),
      sources: distinct(chainSourcesWithin(revenues, windowEnding(asOf, WINDOW_DAYS.puell))),
    },
  };
}

/** The newest NVT ratio, with its percentile. */
export function nvtResponse(
  closes: Closes,
  supplies: ChartData,
  volumes: ChartData,
): IndicatorResponse<MessageInitShape<typeof NvtSchema>> {
  const nvtInputs = { closes: closes.series, supply: supplies.series, volume: volumes.series };
  const inputs = nvtInputsOf(closes, supplies, volumes);
  const asOf = newestCommonDay(inputs);
  const { ratio, price, supply, marketCap, average, daysPresent } = covered(nvtOn(nvtInputs, asOf));
  const window = windowEnding(asOf, WINDOW_DAYS.nvtPercentile);
  const rank = covered(percentileOn(nvtRatios(nvtInputs, asOf), asOf, WINDOW_DAYS.nvtPercentile));
  const zone = zoneOf(rank.percentile, ZONE_THRESHOLDS.nvt);
  return {
    asOf,
    zone,
    inputs,
    fetchedAtMs: earliestRead([closes, supplies, volumes]),
    message: {
      ratio,
      price,
      supply,
      marketCap,
      average,
      percentile: rank.percentile,
      zone,
      windowDays: WINDOW_DAYS.nvt,
      daysPresent,
      percentileWindowDays: WINDOW_DAYS.nvtPercentile,
      percentileDaysPresent: rank.daysPresent,
      asOf: isoDay(asOf),
      sources: distinct([...sourcesWithin(closes, window), ...chainSourcesOf([supplies, volumes], window)]),
      disagreeingSources: disagreeingWithin(closes, window),
    },
  };
}

/** The newest Stock-to-Flow ratio, with its model. */
export function s2fResponse(closes: Closes, supplies: ChartData): IndicatorResponse<MessageInitShape<typeof S2fSchema>> {
  const inputs = s2fInputsOf(closes, supplies);
  const asOf = newestCommonDay(inputs);
  const { ratio, supply, issuance, price, modelPrice, modelGapPercent, daysPresent } = covered(
    s2fOn(closes.series, supplies.series, asOf),
  );
  const zone = zoneOf(price / modelPrice, ZONE_THRESHOLDS.s2f);
  return {
    asOf,
    zone,
    inputs,
    fetchedAtMs: earliestRead([closes, supplies]),
    message: {
      ratio,
      supply,
      issuance,
      price,
      modelPrice,
      modelGapPercent,
      model: "exp(-1.84) * SF^3.36",
      caveat: CAVEAT,
      zone,
      windowDays: WINDOW_DAYS.s2f,
      daysPresent,
      asOf: isoDay(asOf),
      sources: distinct([
        ...sourcesWithin(closes, windowEnding(asOf, 1)),
        ...chainSourcesWithin(supplies, windowEnding(asOf, WINDOW_DAYS.s2f)),
      ]),
      disagreeingSources: disagreeingWithin(closes, windowEnding(asOf, 1)),
    },
  };
}

/** The sources of several series of the chain. */
export const chainSourcesOf = (data: readonly ChartData[], span: DaySpan): string[] =>
  data.flatMap((one) => chainSourcesWithin(one, span));

/** Several sources, each once. */
export const distinct = (sources: readonly string[]): string[] => [...new Set(sources)];

/** When several sets of data were read: the earliest of these times. */
export const earliestRead = (data: readonly { readonly fetchedAtMs: number }[]): number =>
  Math.min(...data.map(({ fetchedAtMs }) => fetchedAtMs));

// Each day the data is read again until its sources have published the day before, so older data could not be read.
const STALE_AFTER_MS = 25 * 3_600_000;

/** How fresh data is that was read at `fetchedAtMs`. */
export const freshnessAt = (fetchedAtMs: number, nowMs: number): MessageInitShape<typeof FreshnessSchema> => ({
  fetchedAt: timestampFromMs(fetchedAtMs),
  stale: nowMs - fetchedAtMs > STALE_AFTER_MS,
});

/** Why an indicator cannot be computed: a clause such as `the supply is known until 2026-11-14 only`, without a full stop. */
export class Unavailable extends Error {}

/** The series that an indicator needs, by what they are called in messages. */
export type Inputs = Readonly<Record<string, DaySeries>>;

/** The newest day on which all series have a value. Throws Unavailable if there is none. */
export function newestCommonDay(inputs: Inputs): Day {
  const series = Object.values(inputs);
  const newest = Math.min(...series.map((one) => newestDay(one) ?? Number.NEGATIVE_INFINITY));
  const oldest = Math.max(...series.map(({ firstDay }) => firstDay));
  for (let day = newest; day >= oldest; day -= 1) {
    if (series.every((one) => valueAt(one, day) !== undefined)) {
      return day;
    }
  }
  throw new Unavailable(`there is no day with all of its data: ${extentsOf(inputs)}`);
}

/** Until when each series is known. */
export const extentsOf = (inputs: Inputs): string =>
  Object.entries(inputs)
    .map(([name, series]) => {
      const newest = newestDay(series);
      return newest === undefined ? `the source has no ${name}` : `the newest ${name} is of ${isoDay(newest)}`;
    })
    .join(", ");

function covered<Reading extends { readonly covered: true }>(reading: Reading | Shortfall): Reading {
  if (!reading.covered) {
    throw new Unavailable(reading.reason);
  }
  return reading;
}
