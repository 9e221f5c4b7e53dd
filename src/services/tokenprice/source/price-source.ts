// Queries the price source: splits a query into batches within the source's limits, sends them in parallel, and asks once more for
// tokens that a batch left out. The source stops searching when it has half of a batch at hand, so a token that has a price may be
// missing. An empty answer means that it searched everywhere, so that batch is not sent again.
import type { Deadline } from "../../../upstream/deadline.ts";
import type { Parse, Upstream } from "../../../upstream/upstream.ts";
import { type BatchBounds, batchesOf, pathOf } from "./batches.ts";
import type { ChartQuery } from "./chart-query.ts";
import { parseQuotes, parseSeries, type Quote, type Series } from "./coins-answer.ts";
import { isByMoments, momentsOf, momentsQuery, seriesAround } from "./moments.ts";

// Token identifier → value. Tokens without a value are left out.
type Answers<Value> = ReadonlyMap<string, Value>;

/**
 * The price source. Each method takes identifiers without duplicates and throws an UpstreamFault when a request was not answered.
 */
export interface PriceSource {
  /** Current prices. */
  current(ids: readonly string[], deadline: Deadline): Promise<Answers<Quote>>;
  /** The prices nearest to a moment, in Unix seconds. */
  historical(ids: readonly string[], atSeconds: number, deadline: Deadline): Promise<Answers<Quote>>;
  /** Series of prices. */
  chart(ids: readonly string[], query: ChartQuery, deadline: Deadline): Promise<Answers<Series>>;
}

// From the URL lengths at which the source answered 414, and the limits of other clients.
const BATCH_BOUNDS: BatchBounds = { tokensMax: 30, charactersMax: 1900 };
// Small batches, of which the source leaves out less, and a short timeout, because the first results wait for them.
const SECOND_ATTEMPT = { tokensMax: 5, timeoutMs: 2000 };
/** The source refuses a chart with more points than this, over all of its tokens. */
const CHART_POINTS_MAX = 500;
/** As many as leave room for a long token in one request's URL. */
const MOMENTS_MAX = 125;

/** One kind of request to the source. */
interface SourceRequest<Value> extends Partial<Pick<BatchBounds, "charactersOf">> {
  /** The most tokens in one. */
  readonly tokensMax: number;
  readonly parse: Parse<Answers<Value>>;
  /** The URL, for a list of tokens. */
  readonly targetOf: (ids: readonly string[]) => string;
}

/** The price source at `url`, without a trailing slash. */
export function createPriceSource(upstream: Upstream, url: string): PriceSource {
  const ask = async <Value>(
    ids: readonly string[],
    { tokensMax, parse, targetOf, ...more }: SourceRequest<Value>,
    deadline: Deadline,
  ): Promise<Answers<Value>> => {
    const found = new Map<string, Value>();
    /** Answers the tokens that are missing from an answer that has others. */
    const lookUp = async (batch: readonly string[], timeoutMs: number): Promise<readonly string[]> => {
      const { signal, propagated } = deadline;
      const { value: answers } = await upstream.get(targetOf(batch), parse, { signal, timeoutMs, propagated });
      for (const id of batch) {
        const value = answers.get(id);
        if (value !== undefined) {
          found.set(id, value);
        }
      }
      const missed = batch.filter((id) => !found.has(id));
      return missed.length === batch.length ? [] : missed;
    };
    const batches = batchesOf(ids, { ...BATCH_BOUNDS, ...more, tokensMax });
    const missed = await Promise.all(batches.map((batch) => lookUp(batch, deadline.timeLeftMs())));
    const again = batchesOf(missed.flat(), { ...BATCH_BOUNDS, ...more, tokensMax: Math.min(tokensMax, SECOND_ATTEMPT.tokensMax) });
    // When the second attempt fails, the results of the first one stay.
    await Promise.allSettled(again.map((batch) => lookUp(batch, Math.min(deadline.timeLeftMs(), SECOND_ATTEMPT.timeoutMs))));
    return found;
  };

  const charts = (ids: readonly string[], { edge, edgeSeconds, span, periodSeconds }: ChartQuery, deadline: Deadline) => {
    const tokensMax = Math.max(1, Math.min(BATCH_BOUNDS.tokensMax, Math.floor(CHART_POINTS_MAX / span)));
    // A period without a unit is in seconds.
    const query = `${edge}=${edgeSeconds}&span=${span}&period=${periodSeconds}`;
    return ask(ids, { tokensMax, parse: parseSeries, targetOf: (batch) => `${url}/chart/${pathOf(batch)}?${query}` }, deadline);
  };

  const chartsByMoments = async (ids: readonly string[], query: ChartQuery, deadline: Deadline): Promise<Answers<Series>> => {
    const moments = momentsOf(query);
    const parts = Array.from({ length: Math.ceil(moments.length / MOMENTS_MAX) }, (_, index) =>
      moments.slice(index * MOMENTS_MAX, (index + 1) * MOMENTS_MAX),
    );
    const answers = await Promise.all(
      parts.map((part) => {
        const queryOf = (batch: readonly string[]): string => momentsQuery(batch, part);
        const charactersOf = (id: string): number => queryOf([id]).length;
        const targetOf = (batch: readonly string[]): string => `${url}/batchHistorical?${queryOf(batch)}`;
        return ask(ids, { tokensMax: BATCH_BOUNDS.tokensMax, charactersOf, parse: parseSeries, targetOf }, deadline);
      }),
    );
    const found = new Map<string, Series>();
    for (const id of ids) {
      const series = answers.flatMap((answer) => answer.get(id) ?? []);
      const samples = seriesAround(
        series.flatMap((one) => one.samples),
        moments,
      );
      const [first] = series;
      if (first !== undefined && samples.length > 0) {
        found.set(id, { ...first, samples });
      }
    }
    return found;
  };

  const quotesAt = (ids: readonly string[], path: string, deadline: Deadline): Promise<Answers<Quote>> => {
    const targetOf = (batch: readonly string[]): string => `${url}/prices/${path}/${pathOf(batch)}`;
    return ask(ids, { tokensMax: BATCH_BOUNDS.tokensMax, parse: parseQuotes, targetOf }, deadline);
  };

  return {
    current: (ids, deadline) => quotesAt(ids, "current", deadline),
    historical: (ids, atSeconds, deadline) => quotesAt(ids, `historical/${atSeconds}`, deadline),
    chart: (ids, query, deadline) => (isByMoments(query) ? chartsByMoments(ids, query, deadline) : charts(ids, query, deadline)),
  };
}
