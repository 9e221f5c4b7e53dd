// The series of daily closes. All sources are read, and each day's close is the median of their closes. A close that is far
// from the others is left out and reported. A source is accepted as a whole or not at all.
import { nextTurn } from "../../../runtime/event-loop-turn.ts";
import type { Log } from "../../../runtime/log.ts";
import { UpstreamFault } from "../../../upstream/fault.ts";
import type { PriceSourceName } from "../config.ts";
import type { Day, DaySpan } from "../day.ts";
import {
  type DaySeries,
  daysPresent,
  mergedSeries,
  newestDay,
  seriesFromPoints,
  seriesOf,
  spanOf,
  valueAt,
} from "../day-series.ts";
import { daysNeeded, windowEnding } from "../indicators/window.ts";
import { medianOf, outlyingDays, withinBounds } from "./plausible.ts";
import { spanToRead, wholeSpan } from "./read-span.ts";
import type { DailyPrices, FetchJson } from "./sources/daily-prices.ts";

/** The sources of a day's close, and those left out because they disagreed; each in the configured order. */
interface CloseSources {
  readonly used: readonly PriceSourceName[];
  readonly disagreeing: readonly PriceSourceName[];
}

/** Daily closes and their sources. */
export interface Closes {
  readonly series: DaySeries;
  /** The sources of each day's close, for days that at least one source has. */
  readonly sources: ReadonlyMap<Day, CloseSources>;
  /** What each source has returned so far. */
  readonly bySource: BySource;
  /** When a source was last read, in Unix milliseconds. */
  readonly fetchedAtMs: number;
}

type BySource = ReadonlyMap<PriceSourceName, DaySeries>;

export interface ClosesReading {
  /** At least one. */
  readonly sources: readonly DailyPrices[];
  readonly held: Closes | undefined;
  readonly yesterday: Day;
  readonly nowMs: number;
  readonly fetchJson: FetchJson;
  readonly log: Log;
}

// Bitcoin's daily price has stayed within a factor of 2.4 of the median of its month since 2012.
const OUTLIER_FACTOR = 3;
const PRICE_BOUNDS = { min: 1, max: 100_000_000 } as const;
/**
 * A close that differs from the median of all sources by more than this share of the median is left out. Exchanges differ by less than a
 * hundredth on most days.
 */
const DISAGREEMENT_MAX = 0.05;
// So many days take well under a millisecond.
const DAYS_PER_TURN = 256;
// A source is accepted only if it covers the shortest window that is computed from closes.
const COVERED_DAYS_MIN = 200;

/** Reads closes from all sources at once. If none can be read, throws the last one's fault. */
export async function readCloses({ sources, held, yesterday, nowMs, fetchJson, log }: ClosesReading): Promise<Closes> {
  const bySource = new Map(held?.bySource);
  const readings = await Promise.allSettled(
    sources.map((source) => readSource(source, held?.bySource.get(source.name), yesterday, fetchJson)),
  );
  let failure: unknown = new UpstreamFault("body", "no price source is configured");
  let readCount = 0;
  for (const [index, { name }] of sources.entries()) {
    const reading = readings[index] as PromiseSettledResult<DaySeries>;
    if (reading.status === "fulfilled") {
      bySource.set(name, reading.value);
      readCount += 1;
    } else {
      failure = reading.reason;
      log.warn({ source: name, error: failure instanceof Error ? failure.message : "unknown" }, "a price source failed");
    }
  }
  if (readCount === 0) {
    throw failure;
  }
  const closes = await assembleCloses(
    sources.map(({ name }) => name),
    bySource,
    nowMs,
  );
  const disagreeing = closes.sources.get(yesterday)?.disagreeing ?? [];
  if (disagreeing.length > 0) {
    log.warn({ day: yesterday, disagreeing }, "price sources disagree on yesterday's close");
  }
  return closes;
}

/** The last day for which all sources read so far have a close; undefined if one of them has no closes. */
export function completeDay({ bySource }: Closes): Day | undefined {
  const newest = [...bySource.values()].map(newestDay);
  return newest.reduce((one, other) => (one === undefined || other === undefined ? undefined : Math.min(one, other)));
}

/** The sources of a span's closes, each once, starting with those of the newest day. */
export const sourcesWithin = (closes: Closes, span: DaySpan): PriceSourceName[] => namesWithin(closes, span, ({ used }) => used);

/** The sources left out on some day of a span because they disagreed, each once. */
export const disagreeingWithin = (closes: Closes, span: DaySpan): PriceSourceName[] =>
  namesWithin(closes, span, ({ disagreeing }) => disagreeing);

function namesWithin({ sources }: Closes, { first, last }: DaySpan, namesOf: (day: CloseSources) => readonly PriceSourceName[]) {
  const names = new Set<PriceSourceName>();
  for (let day = last; day >= first; day -= 1) {
    for (const name of namesOf(sources.get(day) ?? NO_SOURCES)) {
      names.add(name);
    }
  }
  return [...names];
}

const NO_SOURCES: CloseSources = { used: [], disagreeing: [] };

// Goes through the days in several turns: eleven years at once would delay other calls by more than 10 ms.
async function assembleCloses(order: readonly PriceSourceName[], bySource: BySource, fetchedAtMs: number): Promise<Closes> {
  const valueByDay = new Map<Day, number>();
  const sources = new Map<Day, CloseSources>();
  const { first, last } = spanOf([...bySource.values()]);
  for (let day = first; day <= last; day += 1) {
    if ((day - first) % DAYS_PER_TURN === 0) {
      await nextTurn();
    }
    const closes = closesOn(day, order, bySource);
    if (closes.length === 0) {
      continue;
    }
    const median = medianOf(closes.map(([, value]) => value));
    const agreeing = closes.filter(([, value]) => Math.abs(value - median) <= median * DISAGREEMENT_MAX);
    const used = agreeing.map(([name]) => name);
    sources.set(day, { used, disagreeing: closes.map(([name]) => name).filter((name) => !used.includes(name)) });
    // If no source is near the median, as when two contradict each other, none is used.
    if (agreeing.length > 0) {
      valueByDay.set(day, medianOf(agreeing.map(([, value]) => value)));
    }
  }
  return { series: seriesOf(valueByDay), sources, bySource, fetchedAtMs };
}

// The closes of a day, in the configured order.
function closesOn(day: Day, order: readonly PriceSourceName[], bySource: BySource): [PriceSourceName, number][] {
  const closes: [PriceSourceName, number][] = [];
  for (const name of order) {
    const series = bySource.get(name);
    const value = series === undefined ? undefined : valueAt(series, day);
    if (value !== undefined) {
      closes.push([name, value]);
    }
  }
  return closes;
}

async function readSource(
  source: DailyPrices,
  held: DaySeries | undefined,
  yesterday: Day,
  fetchJson: FetchJson,
): Promise<DaySeries> {
  const span = spanToRead(held, yesterday);
  const read = await source.read(span, fetchJson);
  // Another source's response may have been parsed in this turn.
  await nextTurn();
  const points = withinBounds(read, PRICE_BOUNDS);
  const fresh = seriesFromPoints(points, wholeSpan(yesterday));
  const series = held === undefined ? fresh : mergedSeries(held, fresh, wholeSpan(yesterday));
  const newest = newestDay(fresh);
  if (newest === undefined || daysPresent(series, windowEnding(newest, COVERED_DAYS_MIN)) < daysNeeded(COVERED_DAYS_MIN)) {
    throw new UpstreamFault("body", "too many of the newest days are missing");
  }
  if (outlyingDays(series, OUTLIER_FACTOR).size > 0) {
    throw new UpstreamFault("body", "a price is too far from those of the days around it");
  }
  return series;
}
