// The series of daily closes, from several sources in order of preference. The first source that has the newest day leads. Days
// before its records begin come from the next ones. A source is accepted as a whole or not at all.

import type { Log } from "../../../runtime/log.ts";
import { UpstreamFault } from "../../../upstream/fault.ts";
import type { PriceSourceName } from "../config.ts";
import type { Day, DaySpan } from "../day.ts";
import { type DaySeries, daysPresent, entriesOf, mergedSeries, newestDay, seriesFromPoints, seriesOf } from "../day-series.ts";
import { daysNeeded, windowEnding } from "../indicators/window.ts";
import { outlyingDays, withinBounds } from "./plausible.ts";
import { spanToRead, wholeSpan } from "./read-span.ts";
import type { Ask, PriceSource } from "./sources/price-source.ts";

/** A span of days that one source gave. */
interface SourceSpan extends DaySpan {
  readonly source: PriceSourceName;
}

/** Daily closes, and where each comes from. */
export interface Closes {
  readonly series: DaySeries;
  /** Newest first. */
  readonly spans: readonly SourceSpan[];
  /** What each source has given so far. */
  readonly bySource: BySource;
  /** When the newest of them was read, in Unix milliseconds. */
  readonly fetchedAtMs: number;
}

/** What one source has given. */
interface SourceReading {
  readonly series: DaySeries;
  /** When its newest days were read, in Unix milliseconds. */
  readonly fetchedAtMs: number;
}

type BySource = ReadonlyMap<PriceSourceName, SourceReading>;

/** What a reading needs. */
export interface ClosesReading {
  /** In order of preference. */
  readonly sources: readonly PriceSource[];
  readonly held: Closes | undefined;
  readonly yesterday: Day;
  readonly nowMs: number;
  readonly ask: Ask;
  readonly log: Log;
}

// Bitcoin's daily price has stayed within a factor of 2.4 of the median of its month since 2012.
const OUTLIER_FACTOR = 3;
const PRICE_BOUNDS = { min: 1, max: 100_000_000 } as const;
// A source may lead only if it covers the shortest window that is computed from closes.
const BELIEVED_DAYS = 200;
// Only the longest history needs the first days of the span. A source that lacks no more than these is not supplemented.
const REACH_SLACK_DAYS = 30;

/** Reads closes: asks the sources in order until the newest day and the whole span are there. Throws when no source can be read. */
export async function readCloses({ sources, held, yesterday, nowMs, ask, log }: ClosesReading): Promise<Closes> {
  const order = sources.map(({ name }) => name);
  const bySource = new Map(held?.bySource);
  let assembled: Closes | undefined;
  let failure: unknown = new UpstreamFault("body", "no price source is configured");
  for (const source of sources) {
    try {
      const series = await readSource(source, bySource.get(source.name)?.series, yesterday, ask);
      bySource.set(source.name, { series, fetchedAtMs: nowMs });
    } catch (thrown) {
      failure = thrown;
      log.warn({ source: source.name, error: thrown instanceof Error ? thrown.message : "unknown" }, "a price source failed");
      continue;
    }
    assembled = assembleCloses(order, bySource);
    if (newestDay(assembled.series) === yesterday && assembled.series.firstDay <= wholeSpan(yesterday).first + REACH_SLACK_DAYS) {
      break;
    }
  }
  if (assembled === undefined) {
    throw failure;
  }
  return assembled;
}

/** The sources of a span's closes, the newest first, each once. */
export const sourcesWithin = ({ spans }: Closes, { first, last }: DaySpan): PriceSourceName[] => [
  ...new Set(spans.filter((span) => span.first <= last && span.last >= first).map(({ source }) => source)),
];

/** Merges the series of several sources. The one with the newest day leads; of several such, the preferred one. */
function assembleCloses(order: readonly PriceSourceName[], bySource: BySource): Closes {
  const newestOf = (name: PriceSourceName): Day => newestDay(bySource.get(name)?.series ?? NO_SERIES) ?? Number.NEGATIVE_INFINITY;
  const newest = Math.max(...order.map(newestOf));
  const lead = order.find((name) => newestOf(name) === newest);
  const valueByDay = new Map<Day, number>();
  const spans: SourceSpan[] = [];
  let before = Number.POSITIVE_INFINITY;
  for (const source of order.toSorted((one, other) => Number(other === lead) - Number(one === lead))) {
    const days = [...entriesOf(bySource.get(source)?.series ?? NO_SERIES)].filter(([day]) => day < before);
    const first = days[0]?.[0];
    const last = days.at(-1)?.[0];
    if (first !== undefined && last !== undefined) {
      spans.push({ source, first, last });
      before = first;
    }
    for (const [day, value] of days) {
      valueByDay.set(day, value);
    }
  }
  const fetchedAtMs = (lead === undefined ? undefined : bySource.get(lead)?.fetchedAtMs) ?? 0;
  return { series: seriesOf(valueByDay), spans, bySource, fetchedAtMs };
}

const NO_SERIES = seriesOf(new Map());

async function readSource(source: PriceSource, held: DaySeries | undefined, yesterday: Day, ask: Ask): Promise<DaySeries> {
  const span = spanToRead(held, yesterday);
  const points = withinBounds(await source.read(span, ask), PRICE_BOUNDS);
  const fresh = seriesFromPoints(points, wholeSpan(yesterday));
  const series = held === undefined ? fresh : mergedSeries(held, fresh, wholeSpan(yesterday));
  const newest = newestDay(fresh);
  if (newest === undefined || daysPresent(series, windowEnding(newest, BELIEVED_DAYS)) < daysNeeded(BELIEVED_DAYS)) {
    throw new UpstreamFault("body", "too many of the newest days are missing");
  }
  if (outlyingDays(series, OUTLIER_FACTOR).size > 0) {
    throw new UpstreamFault("body", "a price is too far from those of the days around it");
  }
  return series;
}
