// What all allowances of a process work with.
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { GuardStore } from "../../store/store.ts";
import type { StoreBreaker } from "../breaker/store-breaker.ts";
import type { WaitQueueLimits } from "../breaker/wait-queue.ts";
import type { SlotWords } from "../memory/slots.ts";
import type { CallsInFlight } from "./calls-in-flight.ts";
import type { Calendar } from "./month.ts";

/** Shared by all allowances of a process. */
export interface AllowanceDependencies {
  readonly store: Pick<GuardStore, "lease" | "giveBack" | "nodeStatus">;
  readonly breaker: StoreBreaker;
  readonly clock: Clock;
  readonly log: Log;
  readonly words: SlotWords;
  readonly inFlight: CallsInFlight;
  readonly calendar: Calendar;
  /** The count of changes of the account that an allowance's key names. */
  readonly epoch: (key: string) => number;
  /** How many callers wait for one subscription's lease, and how long. */
  readonly limits: WaitQueueLimits;
}
