// Queries the price source: splits a query into batches within the source's limits, sends them in parallel, and then requests once more the
// tokens that were missing. The source stops searching when it has found half of a batch, so a token that has a price may be missing. An
// empty response means that the source searched everywhere, so that batch is not sent again. Nor is a token that it named without a price.
import { PriceMatch } from "../../../../gen/quintet/tokenprice/v1/token_price_pb.js";
import type { Deadline } from "../../../upstream/deadline.ts";
import type { Upstream } from "../../../upstream/upstream.ts";
import { sourceSpellings } from "./chains.ts";
import type { ChartQuery } from "./chart-query.ts";
import { parseQuotes, parseSeries, type Quote, type Sample, type Series, type TokenFacts } from "./coins-response.ts";

/** Charts of shorter periods are requested as lists of times: a tenth of an hour is about the time between records. */
const CHART_PERIOD_SECONDS_MIN = 3600;
// Past records may be an hour apart.
const DISTANCE_SECONDS_MIN = 3600;

/** Whether the points of a chart must be requested as a list of times. */
const needsPointQueries = ({ periodSeconds }: ChartQuery): boolean => periodSeconds < CHART_PERIOD_SECONDS_MIN;

/** The times of a chart's points, oldest first, without future ones. */
function timestampsOf({ edge, edgeSeconds, span, periodSeconds, nowSeconds }: ChartQuery): readonly number[] {
  const firstSeconds = edge === "start" ? edgeSeconds : edgeSeconds - (span - 1) * periodSeconds;
  const timestamps = Array.from({ length: span }, (_, index) => firstSeconds + index * periodSeconds);
  return timestamps.filter((timestamp) => timestamp >= 0 && timestamp <= nowSeconds);
}

/** The part of a URL's query that requests the prices of tokens at these times. Colons and commas stay unescaped, to keep it short. */
const timestampsQuery = (ids: readonly string[], timestamps: readonly number[]): string =>
  `coins=${encodeURIComponent(JSON.stringify(Object.fromEntries(ids.map((id) => [id, timestamps]))))
    .replaceAll("%2C", ",")
    .replaceAll("%3A", ":")}`;

/** A chart's points, oldest first. */
interface Chart extends TokenFacts {
  readonly points: readonly Point[];
}

interface Point {
  readonly slotSeconds: number;
  readonly sample: Sample;
}

/** A time for which a price is wanted, in Unix seconds. */
interface Moment {
  readonly atSeconds: number;
  readonly match: PriceMatch;
}

// The source gives the price nearest to a time, so the last one before a time is found as the nearest to an earlier time: half of the five
// minutes between records; if that is later, because a record is lost or they are rarer, twice that; and half of an hour.
const EARLIER_SECONDS = [150, 600, 1800];

/** How much earlier to ask the source: each time a round of requests, only for the tokens that were not found before. */
const shiftsFor = (match: PriceMatch): readonly number[] => (match === PriceMatch.NEAREST ? [0] : EARLIER_SECONDS);

/** What samples are for slots of a chart, oldest first, and whether a slot has only a later one. */
function pointsOf(samples: readonly Sample[], query: ChartQuery): { readonly points: readonly Point[]; readonly isOpen: boolean } {
  const distanceMax = Math.max(query.periodSeconds / 4, DISTANCE_SECONDS_MIN);
  const points: Point[] = [];
  let isOpen = false;
  let next = 0;
  for (const slotSeconds of timestampsOf(query)) {
    while ((samples[next]?.atSeconds ?? Number.POSITIVE_INFINITY) <= slotSeconds) {
      next += 1;
    }
    const near = (sample: Sample | undefined): sample is Sample =>
      sample !== undefined && Math.abs(sample.atSeconds - slotSeconds) <= distanceMax;
    const [before, after] = [samples[next - 1], samples[next]].map((sample) => (near(sample) ? sample : undefined));
    const isAfter =
      after !== undefined && (before === undefined || after.atSeconds - slotSeconds <= slotSeconds - before.atSeconds);
    const sample = query.match === PriceMatch.NEAREST && isAfter ? after : before;
    if (sample !== undefined) {
      points.push({ slotSeconds, sample });
    } else if (after !== undefined) {
      isOpen = true;
    }
  }
  return { points, isOpen };
}

// Token identifier → value. Tokens without a value are left out.
type ValuesByToken<Value> = ReadonlyMap<string, Value>;

/** A call on whose behalf the source is queried. */
export interface SourceCall extends Deadline {
  /** Told when each response was received, in Unix milliseconds; earlier than now if it is reused. */
  readonly onReceive: (atMs: number) => void;
}

/**
 * The price source. Each method takes identifiers without duplicates, and throws an UpstreamFault if a request gets no response.
 */
export interface PriceSource {
  current(ids: readonly string[], call: SourceCall): Promise<ValuesByToken<Quote>>;
  /** The prices at a past time. A token is left out if only later ones were found, but for the nearest. */
  historical(ids: readonly string[], moment: Moment, call: SourceCall): Promise<ValuesByToken<Quote>>;
  chart(ids: readonly string[], query: ChartQuery, call: SourceCall): Promise<ValuesByToken<Chart>>;
}

// About two thirds of the length at which the source has returned 414, and half of the tokens that it accepts.
const BATCH_BOUNDS: BatchBounds = { tokensMax: 100, charactersMax: 6000 };
// Small batches, because the source leaves out fewer of their tokens, and a short timeout, because the first results wait for them.
const SECOND_ATTEMPT = { tokensMax: 10, timeoutMs: 2000 };
/** The source refuses a chart with more points than this, over all of its tokens. */
const CHART_POINTS_MAX = 500;
/** A chart that begins or ends between two records may have one more sample than requested. */
const SAMPLES_SLACK = 1;

interface SourceRequest<Value> extends Partial<Pick<BatchBounds, "charactersOf">> {
  /** The most tokens in one request. */
  readonly tokensMax: number;
  /** Parses the response for a list of tokens. */
  readonly parse: (json: unknown, ids: readonly string[]) => ReadonlyMap<string, Value | undefined>;
  /** Returns the URL of a request for a list of tokens. */
  readonly targetOf: (ids: readonly string[]) => string;
}

/** The price source at `url`, without a trailing slash. */
export function createPriceSource(upstream: Upstream, url: string): PriceSource {
  const requestBatches = async <Value>(
    ids: readonly string[],
    { tokensMax, parse, targetOf, ...more }: SourceRequest<Value>,
    call: SourceCall,
  ): Promise<ValuesByToken<Value>> => {
    const idOf = new Map(ids.flatMap((id) => sourceSpellings(id).map((spelling) => [spelling, id] as const)));
    const found = new Map<string, Value>();
    const answered = new Set<string | undefined>();
    /** Requests a batch, and notes the answers. Returns the batch if parts of it may be requested again: if the response is not empty. */
    const lookUp = async (batch: readonly string[], timeoutMs: number): Promise<readonly string[]> => {
      const { signal, propagated, account, onSend, onReceive } = call;
      const { value: responses, receivedAtMs } = await upstream.get(targetOf(batch), (json) => parse(json, batch), {
        signal,
        timeoutMs,
        propagated,
        account,
        onSend,
      });
      onReceive(receivedAtMs);
      for (const [spelling, value] of responses) {
        const id = idOf.get(spelling) ?? spelling;
        answered.add(id);
        if (value !== undefined) {
          found.set(id, value);
        }
      }
      return responses.size === 0 ? [] : batch;
    };
    const batches = batchesOf([...idOf.keys()], { ...BATCH_BOUNDS, ...more, tokensMax });
    const requested = (await Promise.all(batches.map((batch) => lookUp(batch, call.timeLeftMs())))).flat();
    const missed = requested.filter((spelling) => !answered.has(idOf.get(spelling)));
    const retries = batchesOf(missed, {
      ...BATCH_BOUNDS,
      ...more,
      tokensMax: Math.min(tokensMax, SECOND_ATTEMPT.tokensMax),
    });
    // If the second attempt fails, the results of the first remain.
    await Promise.allSettled(retries.map((batch) => lookUp(batch, Math.min(call.timeLeftMs(), SECOND_ATTEMPT.timeoutMs))));
    return found;
  };

  const charts = (ids: readonly string[], { edge, edgeSeconds, span, periodSeconds }: ChartQuery, call: SourceCall) => {
    const tokensMax = Math.max(1, Math.min(BATCH_BOUNDS.tokensMax, Math.floor(CHART_POINTS_MAX / span)));
    // A period without a unit is in seconds.
    const query = `${edge}=${edgeSeconds}&span=${span}&period=${periodSeconds}`;
    const parse = (json: unknown, batch: readonly string[]) => parseSeries(json, batch, span + SAMPLES_SLACK);
    return requestBatches(ids, { tokensMax, parse, targetOf: (batch) => `${url}/chart/${pathOf(batch)}?${query}` }, call);
  };

  const chartsByPoints = (ids: readonly string[], query: ChartQuery, call: SourceCall): Promise<ValuesByToken<Series>> => {
    const timestamps = timestampsOf(query);
    const queryOf = (batch: readonly string[]): string => timestampsQuery(batch, timestamps);
    const charactersOf = (id: string): number => queryOf([id]).length;
    const targetOf = (batch: readonly string[]): string => `${url}/batchHistorical?${queryOf(batch)}`;
    const parse = (json: unknown, batch: readonly string[]) => parseSeries(json, batch, timestamps.length);
    return requestBatches(ids, { tokensMax: BATCH_BOUNDS.tokensMax, charactersOf, parse, targetOf }, call);
  };

  const quotesAt = (ids: readonly string[], path: string, call: SourceCall): Promise<ValuesByToken<Quote>> => {
    const targetOf = (batch: readonly string[]): string => `${url}/prices/${path}/${pathOf(batch)}`;
    return requestBatches(ids, { tokensMax: BATCH_BOUNDS.tokensMax, parse: parseQuotes, targetOf }, call);
  };

  return {
    current: (ids, call) => quotesAt(ids, "current", call),
    async historical(ids, { atSeconds, match }, call) {
      const found = new Map<string, Quote>();
      let open = ids;
      for (const shift of shiftsFor(match)) {
        const later: string[] = [];
        for (const [id, quote] of await quotesAt(open, `historical/${atSeconds - shift}`, call)) {
          if (match === PriceMatch.NEAREST || quote.atSeconds <= atSeconds) {
            found.set(id, quote);
          } else {
            later.push(id);
          }
        }
        open = later;
        if (open.length === 0) {
          break;
        }
      }
      return found;
    },
    async chart(ids, query, call) {
      const read = needsPointQueries(query) ? chartsByPoints : charts;
      const found = new Map<string, Chart>();
      const pool = new Map<string, readonly Sample[]>();
      let open = ids;
      for (const shift of shiftsFor(query.match)) {
        const shifted = { ...query, edgeSeconds: query.edgeSeconds - shift };
        const later: string[] = [];
        for (const [id, { samples, ...facts }] of await read(open, shifted, call)) {
          const all = [...(pool.get(id) ?? []), ...samples].sort((one, other) => one.atSeconds - other.atSeconds);
          const { points, isOpen } = pointsOf(all, query);
          pool.set(id, all);
          found.set(id, { ...facts, points });
          if (isOpen) {
            later.push(id);
          }
        }
        open = later;
        if (open.length === 0) {
          break;
        }
      }
      return found;
    },
  };
}

/** The limits of one request. */
interface BatchBounds {
  readonly tokensMax: number;
  /** The most characters that the encoded list may have. */
  readonly charactersMax: number;
  /** How many characters a token takes in the list. By default as many as in `pathOf`, with a comma. */
  readonly charactersOf?: (id: string) => number;
}

/** The part of a URL's path that lists tokens. Colons and commas stay unescaped; everything that could end a path is escaped. */
export function pathOf(ids: readonly string[]): string {
  return ids.map((id) => encodeURIComponent(id).replaceAll("%3A", ":")).join(",");
}

/**
 * Lists of tokens within the limits, sorted, so that the same tokens make the same URL. A token longer than the limit gets a list
 * of its own.
 */
export function batchesOf(
  ids: readonly string[],
  { tokensMax, charactersMax, charactersOf = (id) => pathOf([id]).length + 1 }: BatchBounds,
): readonly (readonly string[])[] {
  const batches: string[][] = [];
  let characters = Number.POSITIVE_INFINITY;
  for (const id of [...ids].sort()) {
    const batch = batches.at(-1);
    const added = charactersOf(id);
    if (batch === undefined || batch.length >= tokensMax || characters + added > charactersMax) {
      batches.push([id]);
      characters = added;
    } else {
      batch.push(id);
      characters += added;
    }
  }
  return batches;
}
