// What every stand-in for an upstream offers: a real HTTP server on the loopback that a person or a test can make misbehave.
import type { Clock } from "../../runtime/clock.ts";

export type Misbehaviour =
  | { readonly kind: "none" }
  /** Responds after `delayMs`. */
  | { readonly kind: "slow"; readonly delayMs: number }
  /** Resets every connection. */
  | { readonly kind: "dead" }
  /** Responds with 429 and `Retry-After`. */
  | { readonly kind: "limiting"; readonly retryAfterSeconds: number }
  /** Sends half of the body and cuts the connection. */
  | { readonly kind: "truncated" }
  /** Responds with 200 and an HTML page. */
  | { readonly kind: "html" }
  /** Responds with 500. */
  | { readonly kind: "failing" };

export interface StandIn {
  /** Its name in the control endpoint and the logs, such as `radio-1`. */
  readonly name: string;
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  misbehaviour: Misbehaviour;
  /** How many requests it has received, misbehaving or not. */
  readonly requestCount: number;
  close(): Promise<void>;
}

export interface StandInContext {
  /** The same seed gives the same data. */
  readonly seed: number;
  readonly clock: Clock;
}

/** The running stand-ins of a service's upstreams. */
export interface StandIns {
  readonly standIns: readonly StandIn[];
  /** Environment variables that point a server at them, and at nothing else. */
  readonly variables: Readonly<Record<string, string>>;
}
