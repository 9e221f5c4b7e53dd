// Reads where the price source is and how to query it.
import type { Environment } from "../../config/environment.ts";
import { readUpstreamTimeoutMs } from "../../config/outbound.ts";

export interface TokenPriceConfig {
  /** The price source's base URL, without a trailing slash. */
  readonly url: string;
  /** The longest that one call may wait for the price source, in milliseconds. */
  readonly timeoutMs: number;
  /** How long a response is reused without another request, in milliseconds. */
  readonly cacheMs: number;
  /** The most concurrent requests to the price source. */
  readonly concurrencyMax: number;
  /** The most requests that each thread sends to the price source in a second; further ones wait. Undefined for no limit. */
  readonly requestsPerSecondMax: number | undefined;
}

// The source publishes no limit, but refuses clients that send too many requests at once. One has up to 100 tokens. A source on this
// machine is one's own, so nobody has to be spared.
const CONCURRENCY_MAX = 8;
const REQUESTS_PER_SECOND_MAX = 5;
const ON_THIS_MACHINE = /^https?:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:|\/|$)/;

/** Reads the QUINTET_COINS variables. */
export function readTokenPriceConfig(environment: Environment): TokenPriceConfig {
  const url = environment.url(
    "QUINTET_COINS_URL",
    "https://coins.llama.fi",
    "The base URL of the DefiLlama coins API, the source of token prices.",
  );
  return {
    url,
    timeoutMs: readUpstreamTimeoutMs(environment),
    cacheMs: environment.integer(
      "QUINTET_COINS_CACHE_MS",
      20_000,
      { min: 0, max: 30_000 },
      "How long a response with token prices is reused without another request, in milliseconds; 0 to request prices every time.",
    ),
    concurrencyMax: CONCURRENCY_MAX,
    requestsPerSecondMax: ON_THIS_MACHINE.test(url) ? undefined : REQUESTS_PER_SECOND_MAX,
  };
}
