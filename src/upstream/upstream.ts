// A service's view of an upstream: request JSON, get a checked value or an UpstreamFault.

import type { PropagatedHeaders } from "../runtime/trace-context.ts";

/** Checks a parsed JSON value and returns its meaning. Throws an Error that says what is wrong with it. */
export type Parse<Value> = (json: unknown) => Value;

/** One request. */
export interface UpstreamCall {
  /** Ends the call when the caller's own deadline passes or it goes away. */
  readonly signal: AbortSignal;
  /** The longest that this attempt may take, in milliseconds, connect and body included. */
  readonly timeoutMs: number;
  /** For a conditional request: what the last answer said. */
  readonly validators?: Validators;
  /** Headers that go along with the request. Where several calls share one, they are those of the first. */
  readonly propagated?: PropagatedHeaders | undefined;
}

/** What makes a later request conditional. */
export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
}

/** A checked answer. */
export interface Fetched<Value> {
  readonly value: Value;
  /** When it was received, in milliseconds since the epoch; for an answer from the short cache, when that one was. */
  readonly receivedAtMs: number;
  readonly validators: Validators;
}

/** One upstream, with its own connection pool, limits, short cache and single flight. */
export interface Upstream {
  /**
   * GETs a URL and parses its JSON. Identical requests under way are sent once: the same URL with the same `parse` function, so
   * pass the same function every time. The value is shared, and nobody changes it. Retries at most once, and only where the failure
   * was on the way and time is left; honours `Retry-After` by refusing at once until then. Throws UpstreamFault, and nothing else.
   */
  get<Value>(url: string, parse: Parse<Value>, call: UpstreamCall): Promise<Fetched<Value>>;
  /** The same with validators: answers "unchanged" on 304. */
  getIfChanged<Value>(url: string, parse: Parse<Value>, call: UpstreamCall): Promise<Fetched<Value> | "unchanged">;
  /** Closes the pool; calls under way fail. */
  close(): Promise<void>;
}
