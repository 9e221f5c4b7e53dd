// A service's view of an upstream: request JSON, get a checked value or an UpstreamFault.
import type { PropagatedHeaders } from "../runtime/trace-context.ts";

/**
 * Checks a parsed JSON value and returns the part of it that is used. Throws an Error that explains what is wrong with it. Returns a
 * promise if there is so much to check that other calls must be served in between.
 */
export type Parse<Value> = (json: unknown) => Value | Promise<Value>;

export interface UpstreamCall {
  /** Ends the call when the caller's own deadline passes or it disconnects. */
  readonly signal: AbortSignal;
  /** How long this call may take, in milliseconds, including connecting and the body. */
  readonly timeoutMs: number;
  /** For a conditional request: the last response's validators. */
  readonly validators?: Validators;
  /** Whether it must not share a request in progress, because the same URL has a different response each time. */
  readonly alone?: boolean;
  /** Headers passed on with the request. If several calls share a request, those of the first. */
  readonly propagated?: PropagatedHeaders | undefined;
  /**
   * The account that the request is sent for. Waiting requests of different accounts take turns. Undefined for the service's own
   * requests. If several calls share a request, the account of the first.
   */
  readonly account?: string | undefined;
  /** Called if a request is sent, once even if it is retried. If several calls share a request, the first's. */
  readonly onSend?: (() => void) | undefined;
}

/** The values that make a later request conditional. */
export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
}

/** A checked response. */
export interface Fetched<Value> {
  readonly value: Value;
  /** When it was received, in milliseconds since the epoch, even if it came from the cache. */
  readonly receivedAtMs: number;
  readonly validators: Validators;
  /** The size of the decoded body in bytes: a bound on the size of the value, for callers that keep it. */
  readonly bodyBytes: number;
}

/** One upstream, with its own connection pool, limits, short cache and single flight. */
export interface Upstream {
  /**
   * GETs a URL and parses its JSON. Concurrent requests for the same URL are sent once, and parsed by the first caller's `parse`, so a URL
   * must always be parsed in the same way. The value is shared and must not be changed. Retries at most once, and only after a transport
   * failure with time left. After a `Retry-After`, refuses calls immediately until that time. Only throws UpstreamFault.
   */
  get<Value>(url: string, parse: Parse<Value>, call: UpstreamCall): Promise<Fetched<Value>>;
  /** Like `get`, but conditional on the call's validators: returns "unchanged" on 304. */
  getIfChanged<Value>(url: string, parse: Parse<Value>, call: UpstreamCall): Promise<Fetched<Value> | "unchanged">;
  /** Closes the pool; calls in progress fail. */
  close(): Promise<void>;
}
