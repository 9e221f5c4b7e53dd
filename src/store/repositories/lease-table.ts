// The leases as a database keeps them. Many are taken or given back at once, in one transaction.
import type { BatchAnswer } from "../batcher.ts";
import type { LeaseGrant, Month } from "../records.ts";

/** A request to lease calls of one subscription's month. */
export interface LeaseAsk {
  readonly subscriptionId: string;
  readonly month: Month;
  readonly callsPerMonth: number;
  readonly want: number;
}

/** A request to give back calls of one subscription's month. */
export interface LeaseReturn {
  readonly subscriptionId: string;
  readonly month: Month;
  readonly calls: number;
}

/**
 * The leases. Together they never exceed the plan, however many processes ask at once. Each method is one transaction and returns results in the
 * order of the requests, with a StoreConflict where there is no such subscription. A row that another process has locked is waited for only
 * with `mayWait`; otherwise the request must be made again.
 */
export interface LeaseTable {
  take(asks: readonly LeaseAsk[], mayWait: boolean): Promise<readonly BatchAnswer<LeaseGrant>[]>;
  giveBack(returns: readonly LeaseReturn[], mayWait: boolean): Promise<readonly BatchAnswer<undefined>[]>;
  /** The most requests of one batch: few enough that none waits long for the others. */
  readonly batchMax: number;
  /** How many batches may be under way at once. */
  readonly underWayMax: number;
}
