// The plan file: `plans/default.json`, or an operator's own, which replaces it completely. Prices are in minor units of their
// currency. A plan whose price is 0 is free: a customer may choose it without an operator. A file with any fault is refused, and
// all faults are reported at once.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isJsonObject } from "../runtime/json-object.ts";
import { type Entitlements, entitlementsOf, LOWEST_ENTITLEMENTS, ownEntitlements } from "./entitlements.ts";
import type { Plan } from "./plan.ts";
import { SERVICE_NAMES, type ServiceName } from "./service-names.ts";

// Checks a parsed plan file and turns it into plans. All faults are found in one pass and named by service, plan and field, so
// that an operator fixes the file once.
interface FieldRule {
  readonly isValid: (value: unknown) => boolean;
  /** The end of an error: `must be …`. */
  readonly mustBe: string;
}

const wholeNumber = (min: number, max: number): FieldRule => ({
  isValid: (value) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
  mustBe: `must be a whole number from ${min} to ${max}`,
});
const matching = (pattern: RegExp, mustBe: string): FieldRule => ({
  isValid: (value) => typeof value === "string" && pattern.test(value),
  mustBe,
});

const FIELDS_OF_EVERY_PLAN: Readonly<Record<string, FieldRule>> = {
  name: matching(/^[a-z][a-z0-9-]{0,31}$/, "must be 1 to 32 lower-case letters, digits and hyphens, and begin with a letter"),
  priceMinor: wholeNumber(0, 1_000_000_000),
  currency: matching(/^[A-Z]{3}$/, "must be an ISO 4217 code such as EUR"),
  // The calls left in a month are stored in 32 bits.
  callsPerMonth: wholeNumber(1, 2_000_000_000),
  requestsPerSecond: wholeNumber(1, 100_000),
};

const PLANS_PER_SERVICE_MAX = 100;

/** The plans, and everything wrong with the file. The plans are usable only if there are no faults. */
function checkPlans(json: unknown): { plans: readonly Plan[]; faults: readonly string[] } {
  const faults: string[] = [];
  if (!isJsonObject(json)) {
    return { plans: [], faults: ["must be an object with one list of plans for each service"] };
  }
  for (const name of Object.keys(json)) {
    if (!SERVICE_NAMES.some((service) => service === name)) {
      faults.push(`${name}: is not a service; the services are ${SERVICE_NAMES.join(", ")}`);
    }
  }
  return { plans: SERVICE_NAMES.flatMap((service) => checkService(service, json[service], faults)), faults };
}

function checkService(service: ServiceName, list: unknown, faults: string[]): Plan[] {
  if (!Array.isArray(list) || list.length < 1 || list.length > PLANS_PER_SERVICE_MAX) {
    faults.push(`${service}: must be a list of 1 to ${PLANS_PER_SERVICE_MAX} plans`);
    return [];
  }
  const taken = new Set<unknown>();
  return list.map((entry: unknown, index) => {
    const fields = isJsonObject(entry) ? entry : {};
    const label = `${service}, plan ${typeof fields.name === "string" ? `"${fields.name.slice(0, 40)}"` : `number ${index + 1}`}`;
    if (!isJsonObject(entry)) {
      faults.push(`${label}: must be an object`);
      return planOf(service, fields);
    }
    // An entitlement belongs to the plans of the service that reads it, and is required there.
    checkFields(label, fields, { ...FIELDS_OF_EVERY_PLAN, ...entitlementsOf(service) }, faults);
    if (taken.has(fields.name)) {
      faults.push(`${label}: name is taken by another plan of this service`);
    }
    taken.add(fields.name);
    return planOf(service, fields);
  });
}

function checkFields(
  label: string,
  fields: Record<string, unknown>,
  rules: Readonly<Record<string, FieldRule>>,
  faults: string[],
): void {
  for (const [field, rule] of Object.entries(rules)) {
    if (!rule.isValid(fields[field])) {
      faults.push(`${label}: ${field} ${rule.mustBe}`);
    }
  }
  for (const field of Object.keys(fields)) {
    if (!Object.hasOwn(rules, field)) {
      faults.push(`${label}: ${field} is not a field of this service's plans; the fields are ${Object.keys(rules).join(", ")}`);
    }
  }
}

// The fields have been checked; with faults, the result is discarded.
function planOf(service: ServiceName, fields: Record<string, unknown>): Plan {
  const checked = fields as unknown as Omit<Plan, "service">;
  const { name, priceMinor, currency, callsPerMonth, requestsPerSecond } = checked;
  const entitlements = { ...LOWEST_ENTITLEMENTS, ...ownEntitlements(service, checked as unknown as Entitlements) };
  return { service, name, priceMinor, currency, callsPerMonth, requestsPerSecond, entitlements };
}

const BUILT_IN_PATH = fileURLToPath(new URL("../../plans/default.json", import.meta.url));

/** Everything wrong with a plan file. The message names the file and lists the faults, one per line. */
export class PlanFileError extends Error {
  override readonly name = "PlanFileError";
  readonly faults: readonly string[];

  constructor(path: string, faults: readonly string[]) {
    const count = faults.length === 1 ? "a fault" : `${faults.length} faults`;
    super(`The plan file ${path} has ${count}:\n${faults.map((fault) => `  ${fault}`).join("\n")}`);
    this.faults = faults;
  }
}

export interface Plans {
  /** Every plan: services in their usual order, the plans of each in the file's order. */
  readonly all: readonly Plan[];
  /** A service's plans, in the file's order; at least one. */
  of(service: ServiceName): readonly Plan[];
  /** A plan of a service by name; undefined if it is not on offer. The same plan is always the same object. */
  find(service: ServiceName, name: string): Plan | undefined;
}

/** Reads the plan file at `path`, or the built-in one. Throws a PlanFileError. */
export function loadPlans(path: string | undefined): Plans {
  const file = path ?? BUILT_IN_PATH;
  const { plans, faults } = checkFile(file);
  if (faults.length > 0) {
    throw new PlanFileError(file, faults);
  }
  return plansFrom(plans);
}

/** Everything wrong with the plan file at `path`. */
export const planFileFaults = (path: string): readonly string[] => checkFile(path).faults;

/** Makes `Plans` of plans that were already read. `all` keeps their order. */
export function plansFrom(all: readonly Plan[]): Plans {
  const byService = Map.groupBy(all, ({ service }) => service);
  return {
    all,
    of: (service) => byService.get(service) ?? [],
    find: (service, name) => byService.get(service)?.find((plan) => plan.name === name),
  };
}

function checkFile(file: string): ReturnType<typeof checkPlans> {
  const faulty = (what: string, error: unknown) => ({
    plans: [],
    faults: [`${what}: ${error instanceof Error ? error.message : String(error)}`],
  });
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    return faulty("cannot be read", error);
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return faulty("is not JSON", error);
  }
  return checkPlans(json);
}
