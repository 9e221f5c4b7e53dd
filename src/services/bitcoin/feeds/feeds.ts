// The four sets of daily data from which all indicators are computed. Each has its own feed. Feeds of the same host share an upstream.

import { UpstreamFault } from "../../../upstream/fault.ts";
import { createUpstream } from "../../../upstream/undici-upstream.ts";
import type { Fetched, Parse, Upstream, UpstreamCall } from "../../../upstream/upstream.ts";
import type { ServiceContext } from "../../definition.ts";
import type { BitcoinConfig } from "../config.ts";
import type { Day } from "../day.ts";
import { newestDay } from "../day-series.ts";
import { CHART_RULES, type ChartData, readChainData, readChartData } from "./chart-data.ts";
import { type Closes, completeDay, readCloses } from "./closes.ts";
import { createFeed, type Feed } from "./feed.ts";
import type { FetchJson } from "./sources/daily-prices.ts";
import { createPriceSource } from "./sources/price-sources.ts";

// Repeats earlier reads with conditional requests, which cost neither side much if nothing has changed.

// Enough for the newest days of eight series; spans of years are read only once.
const KEPT_MAX = 16;
const KEPT_BODY_BYTES_MAX = 512 * 1024;

/**
 * GETs a URL of an upstream and returns its parsed value, or the previous value if it has not changed. Rejects as the upstream
 * does.
 */
type ConditionalRead = <Value>(upstream: Upstream, url: string, parse: Parse<Value>, call: UpstreamCall) => Promise<Value>;

function createConditionalReads(): ConditionalRead {
  // Ordered from the least to the most recently read.
  const kept = new Map<string, Fetched<unknown>>();

  const keep = (url: string, fetched: Fetched<unknown>): void => {
    kept.delete(url);
    if (Object.keys(fetched.validators).length > 0 && fetched.bodyBytes <= KEPT_BODY_BYTES_MAX) {
      kept.set(url, fetched);
    }
    const [oldest] = kept.keys();
    if (kept.size > KEPT_MAX && oldest !== undefined) {
      kept.delete(oldest);
    }
  };

  return async <Value>(upstream: Upstream, url: string, parse: Parse<Value>, call: UpstreamCall): Promise<Value> => {
    // A URL is always parsed by the same function, so its value has one type.
    const before = kept.get(url) as Fetched<Value> | undefined;
    const fetched = await upstream.getIfChanged(url, parse, { ...call, validators: before?.validators ?? {} });
    if (fetched !== "unchanged") {
      keep(url, fetched);
      return fetched.value;
    }
    if (before === undefined) {
      throw new UpstreamFault("status", "sent 304 to an unconditional request", { status: 304 });
    }
    return before.value;
  };
}

export interface FeedsOptions extends ServiceContext {
  readonly config: BitcoinConfig;
}

export interface Feeds {
  readonly closes: Feed<Closes>;
  readonly revenue: Feed<ChartData>;
  readonly volume: Feed<ChartData>;
  readonly supply: Feed<ChartData>;
  /** Stops reading and cuts the connections. */
  close(): Promise<void>;
}

// A year of blocks is about two megabytes and 160,000 values, or twice as many bytes with long decimals.
const BODY_BYTES_MAX = 5 * 1024 * 1024;
const BODY_VALUES_MAX = 260_000;
// Eleven years take about twelve requests: in parallel, but not all at once.
const CONCURRENCY_MAX = 4;
const QUEUE_MAX = 64;
const CHART_TIMEOUT_MS = 10_000;
// With the charts', shorter than a call's.
const SECOND_TIMEOUT_MS = 5000;
// Short, because a call waits for the slowest of several sources.
const PRICES_TIMEOUT_MS = 5000;

/** Sends no request before the first call. */
export function createFeeds(options: FeedsOptions): Feeds {
  const { config, clock } = options;
  const upstreams = new Map<string, Upstream>();
  const upstreamAt = (url: string): Upstream => {
    const { host } = new URL(url);
    const upstream = upstreams.get(host) ?? createHostUpstream(host, options);
    upstreams.set(host, upstream);
    return upstream;
  };
  const read = createConditionalReads();
  const fetchWith =
    (signal: AbortSignal, timeoutMs: number): FetchJson =>
    (url, parse) =>
      read(upstreamAt(url), url, parse, { signal, timeoutMs });

  const sources = config.prices.map(createPriceSource);
  const closes = createFeed<Closes>({
    ...options,
    name: "closes",
    read: (held, yesterday, signal) =>
      readCloses({
        sources,
        held,
        yesterday,
        nowMs: clock.nowMs(),
        fetchJson: fetchWith(signal, PRICES_TIMEOUT_MS),
        log: options.log,
      }),
    newestDay: ({ series }) => newestDay(series),
    completeDay,
  });
  const chainFeed = (name: keyof typeof CHART_RULES): Feed<ChartData> =>
    createFeed<ChartData>({
      ...options,
      name,
      read(held, yesterday: Day, signal) {
        const context = {
          yesterday,
          nowMs: clock.nowMs(),
          fetchJson: fetchWith(signal, CHART_TIMEOUT_MS),
          fetchSecond: fetchWith(signal, SECOND_TIMEOUT_MS),
          log: options.log,
        };
        return name === "volume"
          ? readChartData(CHART_RULES.volume, config.chartsUrl, held, context)
          : readChainData(name, config, held, context);
      },
      newestDay: ({ series }) => newestDay(series),
      completeDay: ({ charted }) => newestDay(charted),
    });
  const charts = { revenue: chainFeed("revenue"), volume: chainFeed("volume"), supply: chainFeed("supply") };
  return {
    closes,
    ...charts,
    async close() {
      await Promise.all([closes, ...Object.values(charts)].map((feed) => feed.close()));
      await Promise.all(upstreams.values().map((upstream) => upstream.close()));
    },
  };
}

function createHostUpstream(host: string, { outbound, clock, randomness, log, observer }: FeedsOptions): Upstream {
  const name = `bitcoin ${host}`;
  // The feeds keep what they read, so a cache of responses would store it twice.
  return createUpstream({
    name,
    ...outbound,
    concurrencyMax: CONCURRENCY_MAX,
    queueMax: QUEUE_MAX,
    bodyBytesMax: BODY_BYTES_MAX,
    bodyValuesMax: BODY_VALUES_MAX,
    cacheMs: 0,
    clock,
    randomness,
    log,
    observer,
  });
}
