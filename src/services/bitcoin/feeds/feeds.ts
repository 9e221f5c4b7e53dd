// The four sets of daily data from which everything is computed. Each has its own feed. Feeds of one host share an upstream.

import type { OutboundConfig } from "../../../config/outbound.ts";
import type { Clock } from "../../../runtime/clock.ts";
import type { Log } from "../../../runtime/log.ts";
import type { Randomness } from "../../../runtime/randomness.ts";
import { createUpstream } from "../../../upstream/undici-upstream.ts";
import type { Upstream } from "../../../upstream/upstream.ts";
import type { UpstreamObserver } from "../../../upstream/upstream-observer.ts";
import type { BitcoinConfig } from "../config.ts";
import type { Day } from "../day.ts";
import { newestDay } from "../day-series.ts";
import { CHART_RULES, type ChartData, type ChartRule, readChartData } from "./chart-data.ts";
import { type Closes, readCloses } from "./closes.ts";
import { createFeed, type Feed } from "./feed.ts";
import type { Ask } from "./sources/price-source.ts";
import { createPriceSource } from "./sources/price-sources.ts";

/** What the feeds are made of. */
export interface FeedsOptions {
  readonly config: BitcoinConfig;
  readonly outbound: OutboundConfig;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly observer?: UpstreamObserver | undefined;
}

/** The four feeds. */
export interface Feeds {
  readonly closes: Feed<Closes>;
  readonly revenue: Feed<ChartData>;
  readonly volume: Feed<ChartData>;
  readonly supply: Feed<ChartData>;
  /** Stops reading and cuts the connections. */
  close(): Promise<void>;
}

// A year of blocks is about two megabytes, twice that with long decimals.
const BODY_BYTES_MAX = 8 * 1024 * 1024;
// Eleven years take about twelve requests: in parallel, but not all at once.
const CONCURRENCY_MAX = 4;
const QUEUE_MAX = 64;
const CHART_TIMEOUT_MS = 10_000;
// Short, so that several sources can be tried one after another within one call.
const PRICES_TIMEOUT_MS = 5000;

/** Makes the feeds. They send no request before the first call. */
export function createFeeds(options: FeedsOptions): Feeds {
  const { config, clock } = options;
  const upstreams = new Map<string, Upstream>();
  const upstreamAt = (url: string): Upstream => {
    const { host } = new URL(url);
    const upstream = upstreams.get(host) ?? createHostUpstream(host, options);
    upstreams.set(host, upstream);
    return upstream;
  };
  const askWith =
    (signal: AbortSignal, timeoutMs: number): Ask =>
    async (url, parse) =>
      (await upstreamAt(url).get(url, parse, { signal, timeoutMs })).value;

  const sources = config.prices.map(createPriceSource);
  const closes = createFeed<Closes>({
    ...options,
    name: "closes",
    read: (held, yesterday, signal) =>
      readCloses({ sources, held, yesterday, nowMs: clock.nowMs(), ask: askWith(signal, PRICES_TIMEOUT_MS), log: options.log }),
    newestDay: ({ series }) => newestDay(series),
  });
  const chartFeed = (name: string, rule: ChartRule): Feed<ChartData> =>
    createFeed<ChartData>({
      ...options,
      name,
      read: (held, yesterday: Day, signal) =>
        readChartData(rule, config.chartsUrl, held, { yesterday, nowMs: clock.nowMs(), ask: askWith(signal, CHART_TIMEOUT_MS) }),
      newestDay: ({ series }) => newestDay(series),
    });
  const charts = {
    revenue: chartFeed("revenue", CHART_RULES.revenue),
    volume: chartFeed("volume", CHART_RULES.volume),
    supply: chartFeed("supply", CHART_RULES.supply),
  };
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
  const { userAgent, connectTimeoutMs } = outbound;
  const name = `bitcoin ${host}`;
  // The feeds keep what they read, so a cache of answers would hold it twice.
  return createUpstream({
    name,
    userAgent,
    connectTimeoutMs,
    concurrencyMax: CONCURRENCY_MAX,
    queueMax: QUEUE_MAX,
    bodyBytesMax: BODY_BYTES_MAX,
    cacheMs: 0,
    clock,
    randomness,
    log,
    observer,
  });
}
