// The price sources by their names in the configuration.
import type { PriceSourceConfig, PriceSourceName } from "../../config.ts";
import { createBinance } from "./binance.ts";
import { createMarketPrice } from "./charts.ts";
import { createCoinbase } from "./coinbase.ts";
import type { DailyPrices } from "./daily-prices.ts";
import { createKraken } from "./kraken.ts";

const factories: Readonly<Record<PriceSourceName, (url: string) => DailyPrices>> = {
  coinbase: createCoinbase,
  kraken: createKraken,
  binance: createBinance,
  "blockchain.com": createMarketPrice,
};

export const createPriceSource = ({ name, url }: PriceSourceConfig): DailyPrices => factories[name](url);
