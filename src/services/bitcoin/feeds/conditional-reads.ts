// Repeats earlier reads with conditional requests, which cost neither side much if nothing has changed.
import { UpstreamFault } from "../../../upstream/fault.ts";
import type { Fetched, Parse, Upstream, UpstreamCall } from "../../../upstream/upstream.ts";

// Enough for the newest days of eight series; spans of years are read only once.
const KEPT_MAX = 16;
const KEPT_BODY_BYTES_MAX = 512 * 1024;

/**
 * GETs a URL of an upstream and returns its parsed value, or the previous value if it has not changed. Rejects as the upstream
 * does.
 */
export type ConditionalRead = <Value>(upstream: Upstream, url: string, parse: Parse<Value>, call: UpstreamCall) => Promise<Value>;

export function createConditionalReads(): ConditionalRead {
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
