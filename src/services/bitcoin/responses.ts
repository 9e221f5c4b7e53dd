// Turns readings into responses: each indicator's newest reading with its zone, sources and times. Pure; throws a Failure if a
// window has too few days.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type {
  GetMayerResponseSchema,
  GetNvtResponseSchema,
  GetPuellResponseSchema,
  GetS2fResponseSchema,
} from "../../../gen/quintet/bitcoin/v1/bitcoin_pb.js";
import { Failure } from "../../problem/failure.ts";
import { type Day, timestampOfDay } from "./day.ts";
import { type DaySeries, newestDay, valueAt } from "./day-series.ts";
import type { ChartData } from "./feeds/chart-data.ts";
import { type Closes, disagreeingWithin, sourcesWithin } from "./feeds/closes.ts";
import { mayerOn, nvtOn, nvtRatios, percentileOn, puellOn, type Shortfall, s2fOn, WINDOW_DAYS } from "./indicators/indicators.ts";
import { daysNeeded, windowEnding } from "./indicators/window.ts";
import { ZONE_THRESHOLDS, type Zone, zoneOf } from "./indicators/zone.ts";

/** A response that has a day and a zone. */
interface Dated {
  /** The day of the last complete data point. */
  readonly asOf: Day;
  readonly zone: Zone;
}

/** One indicator's newest reading as the RPC returns it, with what the summary needs from it. */
export interface IndicatorResponse<Message> extends Dated {
  readonly message: Message;
}

/** The source of everything except prices. */
const CHARTS_SOURCE = "blockchain.com";

const CAVEAT =
  "Stock-to-Flow is controversial: its price model equates scarcity with value, has been far too optimistic since 2022, and is not a forecast.";

export function mayerResponse(closes: Closes): IndicatorResponse<MessageInitShape<typeof GetMayerResponseSchema>> {
  const asOf = newestCommonDay([closes.series]);
  const { ratio, price, average, daysPresent } = covered("the Mayer Multiple", mayerOn(closes.series, asOf));
  const zone = zoneOf(ratio, ZONE_THRESHOLDS.mayer);
  const window = windowEnding(asOf, WINDOW_DAYS.mayer);
  return {
    asOf,
    zone,
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
  const asOf = newestCommonDay([revenues.series]);
  const { ratio, revenue, average, daysPresent } = covered("the Puell Multiple", puellOn(revenues.series, asOf));
  const zone = zoneOf(ratio, ZONE_THRESHOLDS.puell);
  return {
    asOf,
    zone,
    message: {
      ratio,
      revenue,
      average365d: average,
      zone,
      windowDays: WINDOW_DAYS.puell,
      daysPresent,
      asOf: timestampOfDay(asOf),
      source: CHARTS_SOURCE,
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
  const inputs = { closes: closes.series, supply: supplies.series, volume: volumes.series };
  const asOf = newestCommonDay([inputs.closes, inputs.supply, inputs.volume]);
  const { ratio, price, supply, marketCap, average, daysPresent } = covered("the NVT ratio", nvtOn(inputs, asOf));
  const window = windowEnding(asOf, WINDOW_DAYS.nvtPercentile);
  const rank = covered("the NVT ratio", percentileOn(nvtRatios(inputs, asOf), asOf, WINDOW_DAYS.nvtPercentile));
  const zone = zoneOf(rank.percentile, ZONE_THRESHOLDS.nvt);
  return {
    asOf,
    zone,
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
      source: sourceText([...sourcesWithin(closes, window), CHARTS_SOURCE]),
      disagreeingSources: disagreeingWithin(closes, window),
      fetchedAt: earliestRead([closes, supplies, volumes]),
    },
  };
}

/** The newest Stock-to-Flow ratio, with its model. */
export function s2fResponse(closes: Closes, supplies: ChartData): IndicatorResponse<MessageInitShape<typeof GetS2fResponseSchema>> {
  const asOf = newestCommonDay([closes.series, supplies.series]);
  const { ratio, supply, issuance, price, modelPrice, modelGapPercent, daysPresent } = covered(
    "Stock-to-Flow",
    s2fOn(closes.series, supplies.series, asOf),
  );
  const zone = zoneOf(price / modelPrice, ZONE_THRESHOLDS.s2f);
  return {
    asOf,
    zone,
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
      source: sourceText([...sourcesWithin(closes, windowEnding(asOf, 1)), CHARTS_SOURCE]),
      disagreeingSources: disagreeingWithin(closes, windowEnding(asOf, 1)),
      fetchedAt: earliestRead([closes, supplies]),
    },
  };
}

/** Several sources joined into one string, each once. */
export const sourceText = (sources: readonly string[]): string => [...new Set(sources)].join("+");

/** When several sets of data were read: the earliest of these times. */
export const earliestRead = (data: readonly { readonly fetchedAtMs: number }[]): ReturnType<typeof timestampFromMs> =>
  timestampFromMs(Math.min(...data.map(({ fetchedAtMs }) => fetchedAtMs)));

/** The newest day on which all series have a value. Throws a Failure if there is none. */
export function newestCommonDay(series: readonly DaySeries[]): Day {
  const newest = Math.min(...series.map((one) => newestDay(one) ?? Number.NEGATIVE_INFINITY));
  const oldest = Math.max(...series.map(({ firstDay }) => firstDay));
  for (let day = newest; day >= oldest; day -= 1) {
    if (series.every((one) => valueAt(one, day) !== undefined)) {
      return day;
    }
  }
  throw new Failure({ reason: "UPSTREAM_FAILED", message: "The sources have no day in common; the call was not counted." });
}

function covered<Reading extends { readonly covered: true }>(indicator: string, reading: Reading | Shortfall): Reading {
  if (reading.covered) {
    return reading;
  }
  const { lacking, daysPresent, windowDays: days } = reading;
  throw new Failure({
    reason: "UPSTREAM_FAILED",
    message: `The data for ${indicator} has gaps: the ${lacking} is known for ${daysPresent} of ${days} days, but at least ${daysNeeded(days)} are needed. The call was not counted.`,
  });
}
