// Observes requests to upstreams, for metrics.
import type { FaultKind } from "./fault.ts";

/** How one attempt ended: with a response, with "unchanged", or with a fault. */
export type AttemptOutcome = "ok" | "unchanged" | FaultKind;

/** How many mirrors are in use, and how many are set aside because they failed. */
export interface MirrorCounts {
  readonly healthy: number;
  readonly setAside: number;
}

/** Observes one upstream. Its functions must be quick, and never throw. */
export interface UpstreamObserver {
  /**
   * Called when an attempt has ended. `elapsedMs` is how long it took: 0 if nothing was sent, because too many requests were in progress or
   * the upstream had asked us to wait. `host` is the upstream's, without its port.
   */
  attempted(outcome: AttemptOutcome, elapsedMs: number, host: string): void;
  /** Called when a call was served from the cache (`isHit`), or had to send a request. */
  lookedUp(isHit: boolean): void;
  /** Called when the number of mirrors has changed. */
  mirrorsChanged(counts: MirrorCounts): void;
}
