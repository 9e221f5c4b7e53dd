// Reads where the Bitcoin service gets its data.
import type { Environment } from "../../config/environment.ts";
import { baseUrlFault, withoutSecrets } from "../../config/upstream-url.ts";

/** The supported sources of daily prices. */
const PRICE_SOURCE_NAMES = ["coinbase", "kraken", "binance", "blockchain.com"] as const;

export type PriceSourceName = (typeof PRICE_SOURCE_NAMES)[number];

export interface PriceSourceConfig {
  readonly name: PriceSourceName;
  /** Without a trailing slash; the source's own paths are appended. */
  readonly url: string;
}

/** Where the Bitcoin service gets its data. */
export interface BitcoinConfig {
  /** The base URL of blockchain.com's charts, to which a chart's name is appended. Without a trailing slash. */
  readonly chartsUrl: string;
  /** The base URL of a Bitcoin Research Kit server, which is asked while the charts are behind. Without a trailing slash. */
  readonly chainUrl: string;
  /** In order of preference; at least one, each name once. */
  readonly prices: readonly PriceSourceConfig[];
}

const DEFAULT_CHARTS_URL = "https://api.blockchain.info/charts";

const DEFAULT_PRICES: readonly PriceSourceConfig[] = [
  { name: "coinbase", url: "https://api.exchange.coinbase.com" },
  { name: "kraken", url: "https://api.kraken.com" },
  { name: "binance", url: "https://data-api.binance.vision" },
  { name: "blockchain.com", url: DEFAULT_CHARTS_URL },
];

/** Reads QUINTET_BITCOIN_CHARTS_URL, QUINTET_BITCOIN_CHAIN_URL and QUINTET_BITCOIN_PRICE_URLS. */
export function readBitcoinConfig(environment: Environment): BitcoinConfig {
  return {
    chartsUrl: environment.url(
      "QUINTET_BITCOIN_CHARTS_URL",
      DEFAULT_CHARTS_URL,
      "Where blockchain.com's charts are: miner revenue, transaction value and supply.",
    ),
    chainUrl: environment.url(
      "QUINTET_BITCOIN_CHAIN_URL",
      "https://bitview.space",
      "A server of the Bitcoin Research Kit, perhaps your own. It is asked for miner revenue and supply while the charts are more than a day behind.",
    ),
    prices: readPrices(environment),
  };
}

const PRICES_VARIABLE = "QUINTET_BITCOIN_PRICE_URLS";

function readPrices(environment: Environment): readonly PriceSourceConfig[] {
  const text = environment.text(
    PRICES_VARIABLE,
    DEFAULT_PRICES.map(({ name, url }) => `${name}=${url}`).join(","),
    `Where daily prices come from, in order of preference: name=URL, separated by commas. Names: ${PRICE_SOURCE_NAMES.join(", ")}.`,
  );
  const prices: PriceSourceConfig[] = [];
  for (const part of text.split(",").map((piece) => piece.trim())) {
    const [, given, url = ""] = /^([^=]*)=(.*)$/.exec(part) ?? [];
    const name = PRICE_SOURCE_NAMES.find((known) => known === given);
    const fault = name === undefined ? `"${withoutSecrets(part)}" is not one` : baseUrlFault(url, part);
    if (name === undefined || fault !== undefined) {
      environment.fault(
        PRICES_VARIABLE,
        `must contain name=URL pairs separated by commas, with names from ${PRICE_SOURCE_NAMES.join(", ")}; ${fault}`,
      );
      return DEFAULT_PRICES;
    }
    if (prices.some((price) => price.name === name)) {
      environment.fault(PRICES_VARIABLE, `must name each source only once; "${name}" appears twice`);
      return DEFAULT_PRICES;
    }
    prices.push({ name, url: url.replace(/\/+$/, "") });
  }
  return prices;
}
