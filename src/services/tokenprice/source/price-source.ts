// Queries the price source: splits a query into batches within the source's limits, sends them in parallel, and then requests once more the
// tokens that were missing. The source stops searching when it has found half of a batch, so a token that has a price may be missing. An
// empty response means that the source searched everywhere, so that batch is not sent again.
import type { Deadline } from "../../../upstream/deadline.ts";
import type { Upstream } from "../../../upstream/upstream.ts";
import { type BatchBounds, batchesOf, pathOf } from "./batches.ts";
import type { ChartQuery } from "./chart-query.ts";
import { parseQuotes, parseSeries, type Quote, type Series } from "./coins-response.ts";
import { needsPointQueries, seriesAround, timestampsOf, timestampsQuery } from "./timestamps.ts";

// Token identifier → value. Tokens without a value are left out.
type ValuesByToken<Value> = ReadonlyMap<string, Value>;

/**
 * The price source. Each method takes identifiers without duplicates, and throws an UpstreamFault if a request gets no response.
 */
export interface PriceSource {
  current(ids: readonly string[], deadline: Deadline): Promise<ValuesByToken<Quote>>;
  /** The prices nearest to a time, in Unix seconds. */
  historical(ids: readonly string[], atSeconds: number, deadline: Deadline): Promise<ValuesByToken<Quote>>;
  chart(ids: readonly string[], query: ChartQuery, deadline: Deadline): Promise<ValuesByToken<Series>>;
}

// Derived from the URL lengths at which the source returned 414, and the limits of other clients.
const BATCH_BOUNDS: BatchBounds = { tokensMax: 30, charactersMax: 1900 };
// Small batches, because the source leaves out fewer of their tokens, and a short timeout, because the first results wait for them.
const SECOND_ATTEMPT = { tokensMax: 5, timeoutMs: 2000 };
/** The source refuses a chart with more points than this, over all of its tokens. */
const CHART_POINTS_MAX = 500;
/** Leaves room for a long token in one request's URL. */
const TIMESTAMPS_MAX = 125;

/** A chart that begins or ends between two records may have one more sample than requested. */
const SAMPLES_SLACK = 1;

const seriesOf =
  (samplesMax: number) =>
  (json: unknown, ids: readonly string[]): ValuesByToken<Series> =>
    parseSeries(json, ids, samplesMax);

interface SourceRequest<Value> extends Partial<Pick<BatchBounds, "charactersOf">> {
  /** The most tokens in one request. */
  readonly tokensMax: number;
  /** Parses the response for a list of tokens. */
  readonly parse: (json: unknown, ids: readonly string[]) => ValuesByToken<Value>;
  /** Returns the URL of a request for a list of tokens. */
  readonly targetOf: (ids: readonly string[]) => string;
}

/** The price source at `url`, without a trailing slash. */
export function createPriceSource(upstream: Upstream, url: string): PriceSource {
  const requestBatches = async <Value>(
    ids: readonly string[],
    { tokensMax, parse, targetOf, ...more }: SourceRequest<Value>,
    deadline: Deadline,
  ): Promise<ValuesByToken<Value>> => {
    const found = new Map<string, Value>();
    /** Requests a batch, and adds its values to `found`. Returns the tokens that the response left out, or none if it left out all. */
    const lookUp = async (batch: readonly string[], timeoutMs: number): Promise<readonly string[]> => {
      const { signal, propagated, account } = deadline;
      const { value: responses } = await upstream.get(targetOf(batch), (json) => parse(json, batch), {
        signal,
        timeoutMs,
        propagated,
        account,
      });
      for (const id of batch) {
        const value = responses.get(id);
        if (value !== undefined) {
          found.set(id, value);
        }
      }
      const missed = batch.filter((id) => !found.has(id));
      return missed.length === batch.length ? [] : missed;
    };
    const batches = batchesOf(ids, { ...BATCH_BOUNDS, ...more, tokensMax });
    const missed = await Promise.all(batches.map((batch) => lookUp(batch, deadline.timeLeftMs())));
    const retries = batchesOf(missed.flat(), {
      ...BATCH_BOUNDS,
      ...more,
      tokensMax: Math.min(tokensMax, SECOND_ATTEMPT.tokensMax),
    });
    // If the second attempt fails, the results of the first remain.
    await Promise.allSettled(retries.map((batch) => lookUp(batch, Math.min(deadline.timeLeftMs(), SECOND_ATTEMPT.timeoutMs))));
    return found;
  };

  const charts = (ids: readonly string[], { edge, edgeSeconds, span, periodSeconds }: ChartQuery, deadline: Deadline) => {
    const tokensMax = Math.max(1, Math.min(BATCH_BOUNDS.tokensMax, Math.floor(CHART_POINTS_MAX / span)));
    // A period without a unit is in seconds.
    const query = `${edge}=${edgeSeconds}&span=${span}&period=${periodSeconds}`;
    const parse = seriesOf(span + SAMPLES_SLACK);
    return requestBatches(ids, { tokensMax, parse, targetOf: (batch) => `${url}/chart/${pathOf(batch)}?${query}` }, deadline);
  };

  const chartsByPoints = async (ids: readonly string[], query: ChartQuery, deadline: Deadline): Promise<ValuesByToken<Series>> => {
    const timestamps = timestampsOf(query);
    const parts = Array.from({ length: Math.ceil(timestamps.length / TIMESTAMPS_MAX) }, (_, index) =>
      timestamps.slice(index * TIMESTAMPS_MAX, (index + 1) * TIMESTAMPS_MAX),
    );
    const responses = await Promise.all(
      parts.map((part) => {
        const queryOf = (batch: readonly string[]): string => timestampsQuery(batch, part);
        const charactersOf = (id: string): number => queryOf([id]).length;
        const targetOf = (batch: readonly string[]): string => `${url}/batchHistorical?${queryOf(batch)}`;
        return requestBatches(
          ids,
          { tokensMax: BATCH_BOUNDS.tokensMax, charactersOf, parse: seriesOf(part.length), targetOf },
          deadline,
        );
      }),
    );
    const found = new Map<string, Series>();
    for (const id of ids) {
      const series = responses.flatMap((response) => response.get(id) ?? []);
      const samples = seriesAround(
        series.flatMap((one) => one.samples),
        timestamps,
      );
      const [first] = series;
      if (first !== undefined && samples.length > 0) {
        found.set(id, { ...first, samples });
      }
    }
    return found;
  };

  const quotesAt = (ids: readonly string[], path: string, deadline: Deadline): Promise<ValuesByToken<Quote>> => {
    const targetOf = (batch: readonly string[]): string => `${url}/prices/${path}/${pathOf(batch)}`;
    return requestBatches(ids, { tokensMax: BATCH_BOUNDS.tokensMax, parse: parseQuotes, targetOf }, deadline);
  };

  return {
    current: (ids, deadline) => quotesAt(ids, "current", deadline),
    historical: (ids, atSeconds, deadline) => quotesAt(ids, `historical/${atSeconds}`, deadline),
    chart: (ids, query, deadline) =>
      needsPointQueries(query) ? chartsByPoints(ids, query, deadline) : charts(ids, query, deadline),
  };
}
