// What every stand-in for an upstream offers: a real HTTP server on the loopback that a person, or a test, can make misbehave.

/** How a stand-in misbehaves. */
export type Misbehaviour =
  | { readonly kind: "none" }
  /** Answers after `delayMs`. */
  | { readonly kind: "slow"; readonly delayMs: number }
  /** Resets every connection. */
  | { readonly kind: "dead" }
  /** Answers 429 with `Retry-After`. */
  | { readonly kind: "limiting"; readonly retryAfterSeconds: number }
  /** Sends half of the body and cuts the connection. */
  | { readonly kind: "truncated" }
  /** Answers 200 with an HTML page. */
  | { readonly kind: "html" }
  /** Answers 500. */
  | { readonly kind: "failing" };

/** One running stand-in server. */
export interface StandIn {
  /** What the control endpoint and the logs call it, such as `radio-1`. */
  readonly name: string;
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  misbehaviour: Misbehaviour;
  /** How many requests it has received, misbehaving or not. */
  readonly requestCount: number;
  close(): Promise<void>;
}
