// WatchPrices: the current prices, and then every change until the caller disconnects.
import { ConnectError } from "@connectrpc/connect";
import { problemOf } from "../../../problem/failure.ts";
import { isTemporary } from "../../../problem/reason.ts";
import type { Clock } from "../../../runtime/clock.ts";
import { pause } from "../../../runtime/pause.ts";
import { UpstreamFault } from "../../../upstream/fault.ts";
import { roundTo } from "../../precision.ts";
import type { Quote } from "../source/coins-response.ts";
import type { Token } from "../token-id.ts";
import { tokenPriceOf } from "./messages.ts";
import type { Handler, PriceQueries } from "./price-queries.ts";
import { isConfident, isCurrent } from "./quote-filter.ts";
import { beginChecks, checkTokens, finishChecks } from "./request-checks.ts";

// Together with the longest wait for the source, this is less than the interval between heartbeats.
const INTERVAL_SECONDS_DEFAULT = 10;
/** This many failures in a row end the stream; fewer are tolerated. */
const FAILURES_MAX = 3;
/** If the source asks us to wait for at most this long, that does not count as a failure. */
const THROTTLED_MS_MAX = 60_000;

/** Waits on `clock`, and throws the signal's reason as soon as the call is over. */
export const createWatchPrices = ({ nowSeconds, queryPrices }: PriceQueries, clock: Clock): Handler<"watchPrices"> =>
  async function* (request, context) {
    const checks = beginChecks(nowSeconds());
    const tokens = checkTokens(checks, request.tokens);
    finishChecks(checks);
    const { signal } = context;
    const { intervalSeconds = INTERVAL_SECONDS_DEFAULT, minConfidence, precision } = request;
    const isGood = (quote: Quote): boolean => isCurrent(quote, nowSeconds()) && isConfident(quote, minConfidence);
    const sent = new Map<string, number | undefined>();
    let failures = 0;
    const queryQuotes = async () => {
      try {
        const answer = await queryPrices(context, tokens, (source, ids, call) => source.current(ids, call));
        failures = 0;
        return answer;
      } catch (thrown) {
        signal.throwIfAborted();
        failures += isShortWait(thrown) ? 0 : 1;
        if (sent.size === 0 || failures === FAILURES_MAX || !isTemporaryFailure(thrown)) {
          throw thrown;
        }
        return undefined;
      }
    };
    while (true) {
      const answer = await queryQuotes();
      if (answer !== undefined) {
        const changes = changesOf(tokens, sent, (id) => {
          const quote = answer.value.get(id);
          // A change that is rounded away is none.
          return quote !== undefined && isGood(quote) ? { ...quote, price: roundTo(quote.price, precision) } : undefined;
        });
        if (changes.results.length + changes.missing.length > 0) {
          yield { ...changes, freshness: answer.freshness };
        }
      }
      await pause(clock, intervalSeconds * 1000, signal);
    }
  };

// Every Failure is a ConnectError, so anything else is a defect, and ends the stream at once.
const isTemporaryFailure = (thrown: unknown): boolean => thrown instanceof ConnectError && isTemporary(problemOf(thrown).reason);

// Whether no request was sent because the source had asked us to wait.
const isShortWait = (thrown: unknown): boolean => {
  const { cause } = problemOf(thrown);
  return cause instanceof UpstreamFault && cause.kind === "throttled" && (cause.retryAfterMs ?? 0) <= THROTTLED_MS_MAX;
};

// The quotes that differ from what was sent last. Records them as sent.
function changesOf(tokens: readonly Token[], sent: Map<string, number | undefined>, quoteOf: (id: string) => Quote | undefined) {
  const results: ReturnType<typeof tokenPriceOf>[] = [];
  const missing: string[] = [];
  for (const token of tokens) {
    const { requested, id } = token;
    const quote = quoteOf(id);
    if (sent.has(requested) && sent.get(requested) === quote?.price) {
      continue;
    }
    sent.set(requested, quote?.price);
    if (quote === undefined) {
      missing.push(requested);
    } else {
      results.push(tokenPriceOf(token, quote));
    }
  }
  return { results, missing };
}
