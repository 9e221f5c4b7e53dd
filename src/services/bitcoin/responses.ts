// Turns readings into responses: each indicator's newest reading with its zone, sources and times. Pure; throws Unavailable if the data
// does not give one.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type {
  GetMayerResponseSchema,
  GetNvtResponseSchema,
  GetPuellResponseSchema,
  GetS2fResponseSchema,
} from "../../../gen/quintet/bitcoin/v1/bitcoin_pb.js";
import { type Day, type DaySpan, isoDay, timestampOfDay } from "./day.ts";
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

export function mayerResponse(closes: Closes): IndicatorResponse<MessageInitShape<typeof GetMayerResponseSchema>> {
  const inputs = mayerInputsOf(closes);
  const asOf = newestCommonDay(inputs);
  const { ratio, price, average, daysPresent } = covered(mayerOn(closes.series, asOf));
  const zone = zoneOf(ratio, ZONE_THRESHOLDS.mayer);
  const window = windowEnding(asOf, WINDOW_DAYS.mayer);
  return {
    asOf,
    zone,
    inputs,
    message: {
      ratio,
      price,
      average200d: average,
      zone,
      windowDays: WINDOW_DAYS.mayer,
      daysPresent,
      asOf: timestampOfDay(asOf),
      source: sourceText(sourcesWithin(closes, window)),
      disagreeingSources: disagreeingWithin(closes, window),
      fetchedAt: timestampFromMs(closes.fetchedAtMs),
    },
  };
}

export function puellResponse(revenues: ChartData): IndicatorResponse<MessageInitShape<typeof GetPuellResponseSchema>> {
  const inputs = puellInputsOf(revenues);
  const asOf = newestCommonDay(inputs);
  const { ratio, revenue, average, daysPresent } = covered(puellOn(revenues.series, asOf));
  const zone = zoneOf(ratio, ZONE_THRESHOLDS.puell);
  return {
    asOf,
    zone,
    inputs,
    message: {
      ratio,
      revenue,
      average365d: average,
      zone,
      windowDays: WINDOW_DAYS.puell,
      daysPresent,
      asOf: timestampOfDay(asOf),
      source: sourceText(chainSourcesWithin(revenues, windowEnding(asOf, WINDOW_DAYS.puell))),
      fetchedAt: timestampFromMs(revenues.fetchedAtMs),
    },
  };
}

/** The newest NVT ratio, with its percentile. */
export function nvtResponse(
  closes: Closes,
  supplies: ChartData,
  volumes: ChartData,
): IndicatorResponse<MessageInitShape<typeof GetNvtResponseSchema>> {
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
    message: {
      ratio,
      price,
      supply,
      marketCap,
      average90d: average,
      percentile: rank.percentile,
      zone,
      windowDays: WINDOW_DAYS.nvt,
      daysPresent,
      percentileWindowDays: WINDOW_DAYS.nvtPercentile,
      percentileDaysPresent: rank.daysPresent,
      asOf: timestampOfDay(asOf),
      source: sourceText([...sourcesWithin(closes, window), ...chainSourcesOf([supplies, volumes], window)]),
      disagreeingSources: disagreeingWithin(closes, window),
      fetchedAt: earliestRead([closes, supplies, volumes]),
    },
  };
}

/** The newest Stock-to-Flow ratio, with its model. */
export function s2fResponse(closes: Closes, supplies: ChartData): IndicatorResponse<MessageInitShape<typeof GetS2fResponseSchema>> {
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
    message: {
      ratio,
      supply,
      issuance365d: issuance,
      price,
      modelPrice,
      modelGapPercent,
      model: "exp(-1.84) * SF^3.36",
      caveat: CAVEAT,
      zone,
      windowDays: WINDOW_DAYS.s2f,
      daysPresent,
      asOf: timestampOfDay(asOf),
      source: sourceText([
        ...sourcesWithin(closes, windowEnding(asOf, 1)),
        ...chainSourcesWithin(supplies, windowEnding(asOf, WINDOW_DAYS.s2f)),
      ]),
      disagreeingSources: disagreeingWithin(closes, windowEnding(asOf, 1)),
      fetchedAt: earliestRead([closes, supplies]),
    },
  };
}

/** The sources of several series of the chain. */
export const chainSourcesOf = (data: readonly ChartData[], span: DaySpan): string[] =>
  data.flatMap((one) => chainSourcesWithin(one, span));

/** Several sources joined into one string, each once. */
export const sourceText = (sources: readonly string[]): string => [...new Set(sources)].join("+");

/** When several sets of data were read: the earliest of these times. */
export const earliestRead = (data: readonly { readonly fetchedAtMs: number }[]): ReturnType<typeof timestampFromMs> =>
  timestampFromMs(Math.min(...data.map(({ fetchedAtMs }) => fetchedAtMs)));

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
