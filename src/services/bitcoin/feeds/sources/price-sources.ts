// The price sources by their names in the configuration.
import type { PriceSourceConfig, PriceSourceName } from "../../config.ts";
import { createBinance } from "./binance.ts";
import { createMarketPrice } from "./charts.ts";
import { createCoinbase } from "./coinbase.ts";
import { createKraken } from "./kraken.ts";
import type { PriceSource } from "./price-source.ts";

const makers: Readonly<Record<PriceSourceName, (url: string) => PriceSource>> = {
  coinbase: createCoinbase,
  kraken: createKraken,
  binance: createBinance,
  "blockchain.com": createMarketPrice,
};

/** The configured source. */
export const createPriceSource = ({ name, url }: PriceSourceConfig): PriceSource => makers[name](url);
