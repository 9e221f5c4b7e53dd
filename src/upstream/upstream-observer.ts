// Who wants to hear of the requests that are sent to upstreams: metrics. Undefined where nobody does.
import type { FaultKind } from "./fault.ts";

/** How one attempt ended: with an answer, with "unchanged", or with a fault. */
export type AttemptOutcome = "ok" | "unchanged" | FaultKind;

/** How many mirrors are asked in their turn, and how many are left alone for a while because they failed. */
export interface MirrorCounts {
  readonly healthy: number;
  readonly setAside: number;
}

/** Hears of one upstream. Its functions must be quick, and never throw. */
export interface UpstreamObserver {
  /**
   * An attempt has ended after `elapsedMs`. Where none was sent, because too many are under way or the upstream asked us to wait, it is 0.
   * `host` is the upstream's, without its port.
   */
  attempted(outcome: AttemptOutcome, elapsedMs: number, host: string): void;
  /** A call was answered from memory (`isHit`), or had to ask. */
  lookedUp(isHit: boolean): void;
  /** The mirrors have changed. */
  mirrors(counts: MirrorCounts): void;
}
