// The months' leases as a database keeps them: many of them are taken or given back at once, in one transaction.
import type { BatchAnswer } from "../batcher.ts";
import type { LeaseGrant, Month } from "../records.ts";

/** What is to be taken of one subscription's month. */
export interface LeaseAsk {
  readonly subscriptionId: string;
  readonly month: Month;
  readonly callsPerMonth: number;
  readonly want: number;
}

/** What is given back of one subscription's month. */
export interface LeaseReturn {
  readonly subscriptionId: string;
  readonly month: Month;
  readonly calls: number;
}

/**
 * The leases. The sum of what is granted never passes the plan, however many processes ask at once. Each method is one transaction, and
 * answers in the order of what it is handed, with a StoreConflict where there is no such subscription. What another process holds is
 * waited for only where `mayWait` says so; else it is to be asked again.
 */
export interface LeaseTable {
  take(asks: readonly LeaseAsk[], mayWait: boolean): Promise<readonly BatchAnswer<LeaseGrant>[]>;
  giveBack(returns: readonly LeaseReturn[], mayWait: boolean): Promise<readonly BatchAnswer<undefined>[]>;
  /** How many are asked at once: few enough that nobody waits long for the others of a batch. */
  readonly batchMax: number;
  /** How many batches the database takes at once. */
  readonly underWayMax: number;
}
