// Reads where the price source is and how to query it.
import type { Environment } from "../../config/environment.ts";

export interface TokenPriceConfig {
  /** The price source's base URL, without a trailing slash. */
  readonly url: string;
  /** The longest that one call may wait for the price source, in milliseconds. */
  readonly timeoutMs: number;
  /** How long a response is reused without another request, in milliseconds. */
  readonly cacheMs: number;
  /** The most concurrent requests to the price source. */
  readonly concurrencyMax: number;
  /** The most requests to the price source in a second. */
  readonly requestsPerSecondMax: number;
}

// The source publishes no limit, but refuses clients that send too many requests at once.
const CONCURRENCY_MAX = 8;

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
      { min: 100, max: 600_000 },
      "The longest that one call may wait for token prices, in milliseconds.",
    ),
    cacheMs: environment.integer(
      "QUINTET_COINS_CACHE_MS",
      20_000,
      { min: 0, max: 30_000 },
      "How long a response with token prices is reused without another request, in milliseconds; 0 to request prices every time.",
    ),
    concurrencyMax: CONCURRENCY_MAX,
    requestsPerSecondMax: environment.integer(
      "QUINTET_COINS_REQUESTS_PER_SECOND",
      5,
      { min: 1, max: 1000 },
      "The most requests for token prices that each thread sends in a second; further ones wait. One request has up to 100 tokens.",
    ),
  };
}
