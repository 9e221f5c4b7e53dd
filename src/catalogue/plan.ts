// A plan: what a subscription costs and allows. Operators write plans in a file, and `quintet plans apply` stores them as versions: a
// version never changes, and a subscription keeps its version until it is moved or the customer changes it.
import type { Entitlements } from "./entitlements.ts";
import type { ServiceName } from "./service-names.ts";

export interface Plan {
  /** Identifies the version: `radio/pro/2` is the second one of the plan `pro`. */
  readonly id: string;
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

/** The id of a plan's version, counted from 1. */
export const planId = ({ service, name }: Pick<Plan, "service" | "name">, version: number): string =>
  `${service}/${name}/${version}`;

/** A customer may begin it without an operator. */
export const isFree = ({ priceMinor }: Pick<Plan, "priceMinor">): boolean => priceMinor === 0;
