// One call to a data service, as its account may see it: what it was and how it ended, but never the request or response itself.
import type { Reason } from "../../problem/reason.ts";
import type { CallFacts } from "../../store/usage-records.ts";

/** A call. Plain values, because it is sent between threads. */
export interface CallRecord extends CallFacts {
  /** Identifies the call. A stream has the same id when it begins and when it ends. */
  readonly id: string;
  /** How it ended; undefined for a stream that is still open. */
  readonly outcome: "OK" | Reason | undefined;
  /** Whether it was refused because of its key, its subscription or a limit. */
  readonly isRefused: boolean;
}

/** One account's calls in a tenth of a second, in the order in which they were recorded. */
export interface CallBatch {
  readonly accountId: string;
  readonly calls: readonly CallRecord[];
  /** How many more calls there were, which were not recorded. */
  readonly leftOut: number;
}
