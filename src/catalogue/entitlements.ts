// What a plan allows besides a number of calls. A service reads it from the call's context and knows nothing about plans or keys. A new
// entitlement is one line in ENTITLEMENTS, and a field of the same name in the message Plan of status.proto.
import { type ContextKey, createContextKey } from "@connectrpc/connect";
import type { ServiceName } from "./service-names.ts";

/** One thing that the plans of one service allow or limit. The plan file sets its value in each plan. */
interface Entitlement<Value extends number | boolean> {
  readonly service: ServiceName;
  /** The value for callers whose plan does not set it. */
  readonly lowest: Value;
  /** The highest value that a plan may set. */
  readonly highest: Value;
  /** Whether the value is valid in the plan file. */
  isValid(value: unknown): boolean;
  /** The end of an error about the plan file: `must be …`. */
  readonly mustBe: string;
  /** What a plan with this value includes, in words for the table of plans; empty if it includes nothing. */
  words(value: Value): string;
}

// A limit: a whole number from 1.
const limitEntitlement = (
  service: ServiceName,
  [lowest, highest]: readonly [number, number],
  what: string,
): Entitlement<number> => ({
  service,
  lowest,
  highest,
  isValid: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= highest,
  mustBe: `must be a whole number from 1 to ${highest}`,
  words: (value) => `up to ${value} ${what}`,
});

// Something that a plan includes or does not.
const featureEntitlement = (service: ServiceName, what: string): Entitlement<boolean> => ({
  service,
  lowest: false,
  highest: true,
  isValid: (value) => typeof value === "boolean",
  mustBe: "must be true or false",
  words: (value) => (value ? what : ""),
});

const ENTITLEMENTS = {
  tokensPerCallMax: limitEntitlement("token-price", [3, 100], "tokens per call"),
  farkleBreakdown: featureEntitlement("farkle", "score breakdown"),
};

type Name = keyof typeof ENTITLEMENTS;

/**
 * What a plan includes, for all services. Each service reads only its own. In a plan of one service, other services' entitlements have
 * their lowest values.
 */
export type Entitlements = { readonly [Each in Name]: (typeof ENTITLEMENTS)[Each]["lowest"] };

/** The entitlements of a service's plans, by name. */
export const entitlementsOf = (service: ServiceName): Readonly<Record<string, Entitlement<number | boolean>>> =>
  Object.fromEntries(Object.entries(ENTITLEMENTS).filter(([, entitlement]) => entitlement.service === service));

const valuesOf = (which: "lowest" | "highest"): Entitlements =>
  Object.fromEntries(Object.entries(ENTITLEMENTS).map(([name, entitlement]) => [name, entitlement[which]])) as Entitlements;

/** The entitlements of a call without a plan. */
export const LOWEST_ENTITLEMENTS: Entitlements = valuesOf("lowest");

/** The highest values that plans can set. */
export const HIGHEST_ENTITLEMENTS: Entitlements = valuesOf("highest");

/** The values that belong to the service's plans. */
export const ownEntitlements = (service: ServiceName, values: Entitlements): Partial<Entitlements> =>
  Object.fromEntries(Object.keys(entitlementsOf(service)).map((name) => [name, values[name as Name]]));

/**
 * The entitlements of a service's plan. Those that are missing, or that this version of Quintet does not understand, have their lowest
 * values.
 */
export const entitlementsFrom = (service: ServiceName, fields: Readonly<Record<string, unknown>>): Entitlements => ({
  ...LOWEST_ENTITLEMENTS,
  ...Object.fromEntries(
    Object.entries(entitlementsOf(service))
      .filter(([name, { isValid }]) => isValid(fields[name]))
      .map(([name]) => [name, fields[name]]),
  ),
});

/** Describes what a plan of the service includes besides calls; empty if it includes nothing else. */
export const entitlementWords = (service: ServiceName, values: Entitlements): string =>
  Object.entries(entitlementsOf(service))
    .map(([name, { words }]) => words(values[name as Name]))
    .filter((words) => words !== "")
    .join(", ");

/** The context key of the caller's entitlements: `context.values.get(entitlementsKey)`. */
export const entitlementsKey: ContextKey<Entitlements> = createContextKey(LOWEST_ENTITLEMENTS, {
  description: "the entitlements of the caller's plan",
});
