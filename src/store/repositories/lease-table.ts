// The leases in a database. Many calls are leased or returned at once, in one transaction.
import type { Month } from "../../runtime/calendar.ts";
import type { BatchResult } from "../batcher.ts";
import type { LeaseGrant, LeaseSubject } from "../records.ts";

/** A request to lease calls of one month. */
export interface LeaseRequest {
  readonly subject: LeaseSubject;
  readonly month: Month;
  readonly callsPerMonth: number;
  readonly want: number;
}

/** A request to return calls of one month. */
export interface ReturnRequest {
  readonly subject: LeaseSubject;
  readonly month: Month;
  readonly calls: number;
}

/**
 * The leases. In total they never exceed the plan or the cap, however many processes lease at once. Each method is one transaction and
 * returns results in the order of the requests, with a StoreConflict for a subscription that does not exist. Only with `mayWait` does it
 * wait for a row that another process has locked; otherwise the request must be made again.
 */
export interface LeaseTable {
  lease(requests: readonly LeaseRequest[], mayWait: boolean): Promise<readonly BatchResult<LeaseGrant>[]>;
  returnCalls(requests: readonly ReturnRequest[], mayWait: boolean): Promise<readonly BatchResult<undefined>[]>;
  /** The maximum number of requests in one batch: few enough that no request waits long for the others. */
  readonly batchMax: number;
  /** How many batches may run at once. */
  readonly concurrencyMax: number;
}
