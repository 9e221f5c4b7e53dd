// A plan: what a subscription costs and allows. Plans are data, read from one file that an operator can replace.

import type { Entitlements } from "./entitlements.ts";
import type { ServiceName } from "./service-names.ts";

/** One plan of one service. */
export interface Plan {
  readonly service: ServiceName;
  /** Unique within the service, lower case: `free`, `basic`. */
  readonly name: string;
  /** Price of a month in the currency's minor unit: 437 with EUR is 4.37 €. */
  readonly priceMinor: number;
  /** ISO 4217. */
  readonly currency: string;
  /** Calls in a calendar month, UTC. Hard. */
  readonly callsPerMonth: number;
  /** Requests in a second, and the burst. */
  readonly requestsPerSecond: number;
  readonly entitlements: Entitlements;
}
