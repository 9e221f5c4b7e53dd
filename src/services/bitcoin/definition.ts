// The Bitcoin service: valuation indicators, from daily closes and blockchain.com's charts.
import type { FetchParsed, ServiceDefinition } from "../definition.ts";
import { type BitcoinConfig, type PriceSourceConfig, readBitcoinConfig } from "./config.ts";
import { type DaySpan, dayOfMs, isoDay } from "./day.ts";
import { type DaySeries, daysPresent, newestDay, seriesFromPoints } from "./day-series.ts";
import { AGE_DAYS_MAX } from "./feeds/feed.ts";

const DAYS_CHECKED = 14;

function checkedDays(series: DaySeries, days: DaySpan): string {
  const newest = newestDay(series);
  if (newest === undefined) {
    throw new Error(`has none of the last ${DAYS_CHECKED} days`);
  }
  const found = `${daysPresent(series, days)} of the last ${DAYS_CHECKED} days, until ${isoDay(newest)}`;
  if (days.last + 1 - newest > AGE_DAYS_MAX) {
    throw new Error(`has ${found} only`);
  }
  return found;
}

export const BITCOIN: ServiceDefinition<BitcoinConfig> = {
  readConfig: readBitcoinConfig,
  upstreams: ({ chartsUrl, chainUrl, prices }) => [
    ...(["revenue", "volume", "supply"] as const).map((name) => ({
      name,
      urls: name === "volume" ? [chartsUrl] : [chartsUrl, chainUrl],
      check: async (url: string, fetchParsed: FetchParsed, nowMs: number) => {
        const { CHART_RULES, readChartData } = await import("./feeds/chart-data.ts");
        const yesterday = dayOfMs(nowMs) - 1;
        const days = { first: yesterday - DAYS_CHECKED + 1, last: yesterday };
        if (name !== "volume" && url !== chartsUrl) {
          const { readResearchKit } = await import("./feeds/sources/research-kit.ts");
          return checkedDays(seriesFromPoints(await readResearchKit(url, name, days, fetchParsed), days), days);
        }
        const { series } = await readChartData(CHART_RULES[name], url, undefined, {
          days,
          yesterday,
          nowMs,
          fetchJson: fetchParsed,
        });
        return checkedDays(series, days);
      },
    })),
    {
      name: "prices",
      urls: prices.map(({ url }) => url),
      async check(url, fetchParsed, nowMs) {
        const { createPriceSource } = await import("./feeds/sources/price-sources.ts");
        const yesterday = dayOfMs(nowMs) - 1;
        const days = { first: yesterday - DAYS_CHECKED + 1, last: yesterday };
        const source = prices.find((price) => price.url === url) as PriceSourceConfig;
        return checkedDays(seriesFromPoints(await createPriceSource(source).read(days, fetchParsed), days), days);
      },
    },
  ],
  loadContract: async () => (await import("../../../gen/quintet/bitcoin/v1/bitcoin_pb.js")).BitcoinService,
  async create(config, serviceContext) {
    const { createBitcoin } = await import("./service.ts");
    return createBitcoin({ ...serviceContext, config });
  },
};
