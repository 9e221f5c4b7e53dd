// Reads where the price source is and how it is asked.
import type { Environment } from "../../config/environment.ts";

/** The token price service's configuration. */
export interface TokenPriceConfig {
  /** The price source's base URL, without a trailing slash. */
  readonly url: string;
  /** The longest that one call may wait for the price source, in milliseconds. */
  readonly timeoutMs: number;
  /** How long an answer is given again without asking, in milliseconds. */
  readonly cacheMs: number;
  /** The most requests to the price source at once. */
  readonly concurrencyMax: number;
}

/** Reads the QUINTET_COINS variables. */
export function readTokenPriceConfig(environment: Environment): TokenPriceConfig {
  return {
    url: environment.url(
      "QUINTET_COINS_URL",
      "https://coins.llama.fi",
      "The base URL of the DefiLlama coins API, the source of token prices.",
    ),
    timeoutMs: environment.integer(
      "QUINTET_COINS_TIMEOUT_MS",
      8000,
      { min: 100, max: 60_000 },
      "The longest that one call may wait for token prices, in milliseconds.",
    ),
    cacheMs: environment.integer(
      "QUINTET_COINS_CACHE_MS",
      20_000,
      { min: 0, max: 30_000 },
      "How long an answer with token prices is given again without asking, in milliseconds; 0 to ask every time.",
    ),
    concurrencyMax: environment.integer(
      "QUINTET_COINS_CONCURRENCY",
      8,
      { min: 1, max: 64 },
      "The most requests for token prices at once. The source publishes no limit and refuses those who ask too much.",
    ),
  };
}
