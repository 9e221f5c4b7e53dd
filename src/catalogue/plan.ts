// A plan: what a subscription costs and allows. Plans are data, read from one file that an operator can replace.
import type { Entitlements } from "./entitlements.ts";
import type { ServiceName } from "./service-names.ts";

export interface Plan {
  readonly service: ServiceName;
  /** Unique within the service, lower case: `free`, `basic`. */
  readonly name: string;
  /** The price of a month in the currency's minor unit: 437 with EUR is 4.37 €. */
  readonly priceMinor: number;
  /** ISO 4217. */
  readonly currency: string;
  /** Calls per calendar month, UTC. A hard limit. */
  readonly callsPerMonth: number;
  /** Requests per second, and the burst. */
  readonly requestsPerSecond: number;
  readonly entitlements: Entitlements;
}
