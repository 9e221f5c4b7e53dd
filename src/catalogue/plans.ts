// The plans on offer, and the plan file that `quintet plans apply` reads: `plans/default.json`, or an operator's own. Prices are in minor
// units of their currency. A file with any fault is refused, and all faults are reported at once.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isJsonObject } from "../runtime/json-object.ts";
import { entitlementsFrom, entitlementsOf } from "./entitlements.ts";
import { type Plan, planId } from "./plan.ts";
import { isServiceName, SERVICE_NAMES, type ServiceName } from "./service-names.ts";

// Checks a parsed plan file and turns it into plans. All faults are found in one pass and named by service, plan and field, so that an
// operator fixes the file once.
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

interface CheckedPlans {
  /** As first versions. Usable only if there are no faults. */
  readonly plans: readonly Plan[];
  readonly faults: readonly string[];
  /** What this version of Quintet does not know, and leaves out. */
  readonly warnings: readonly string[];
}

/** Checks the file's content. A service that is left out is not sold. */
function checkPlans(json: unknown): CheckedPlans {
  const faults: string[] = [];
  const warnings: string[] = [];
  if (!isJsonObject(json)) {
    return { plans: [], faults: ["must be an object with one list of plans for each service"], warnings };
  }
  const names = Object.keys(json);
  for (const name of names) {
    if (!isServiceName(name)) {
      warnings.push(`${name}: is not a service; the services are ${SERVICE_NAMES.join(", ")}`);
    }
  }
  const sold = SERVICE_NAMES.filter((service) => Object.hasOwn(json, service));
  if (sold.length === 0) {
    faults.push(`must have plans for at least one service; the services are ${SERVICE_NAMES.join(", ")}`);
  }
  return { plans: sold.flatMap((service) => checkService(service, json[service], { faults, warnings })), faults, warnings };
}

/** Where to add what is found. */
interface Findings {
  readonly faults: string[];
  readonly warnings: string[];
}

function checkService(service: ServiceName, list: unknown, findings: Findings): Plan[] {
  const { faults } = findings;
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
    checkFields(label, fields, FIELDS_OF_EVERY_PLAN, faults);
    checkEntitlements(service, label, fields, findings);
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
}

// An entitlement belongs to the plans of the service that reads it, and may be left out.
function checkEntitlements(
  service: ServiceName,
  label: string,
  fields: Record<string, unknown>,
  { faults, warnings }: Findings,
): void {
  const entitlements = entitlementsOf(service);
  const present = Object.fromEntries(Object.entries(entitlements).filter(([name]) => Object.hasOwn(fields, name)));
  checkFields(label, fields, present, faults);
  const names = [...Object.keys(FIELDS_OF_EVERY_PLAN), ...Object.keys(entitlements)];
  for (const field of Object.keys(fields)) {
    if (!names.includes(field)) {
      warnings.push(`${label}: ${field} is not a field of this service's plans; the fields are ${names.join(", ")}`);
    }
  }
}

// The fields have been checked; with faults, the result is discarded.
function planOf(service: ServiceName, fields: Record<string, unknown>): Plan {
  const checked = { service, ...(fields as unknown as Omit<Plan, "service">) };
  const { name, priceMinor, currency, callsPerMonth, requestsPerSecond } = checked;
  return {
    id: planId(checked, 1),
    service,
    name,
    priceMinor,
    currency,
    callsPerMonth,
    requestsPerSecond,
    entitlements: entitlementsFrom(service, fields),
  };
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

/** The plans on offer. */
export class Plans {
  #all: readonly Plan[] = [];
  #byService: ReadonlyMap<ServiceName, readonly Plan[]> = new Map();
  readonly #versions = new Map<string, Plan>();

  constructor(offered: readonly Plan[]) {
    this.replace(offered);
  }

  /** All of them: services in their usual order, the plans of each in the file's order. */
  get all(): readonly Plan[] {
    return this.#all;
  }

  /** A service's plans, in the file's order; none if it is not sold. */
  of(service: ServiceName): readonly Plan[] {
    return this.#byService.get(service) ?? [];
  }

  /** A plan of a service by name; undefined if it is not on offer. */
  find(service: ServiceName, name: string): Plan | undefined {
    return this.of(service).find((plan) => plan.name === name);
  }

  /** Offers these plans from now on. */
  replace(offered: readonly Plan[]): void {
    this.#all = offered;
    this.#byService = Map.groupBy(offered, ({ service }) => service);
    for (const plan of offered) {
      this.shared(plan);
    }
  }

  /** The same object for all equal versions, offered or not, because a process remembers many keys and each has its plans. */
  shared(plan: Plan): Plan {
    const known = this.#versions.get(plan.id);
    if (known === undefined) {
      this.#versions.set(plan.id, plan);
    }
    return known ?? plan;
  }
}

/** Reads the plan file at `path`, or the built-in one, with the warnings about it. Throws a PlanFileError. */
export function readPlanFile(path: string | undefined): Omit<CheckedPlans, "faults"> {
  const file = path ?? BUILT_IN_PATH;
  const { faults, ...read } = checkFile(file);
  if (faults.length > 0) {
    throw new PlanFileError(file, faults);
  }
  return read;
}

/** The plans in the file at `path`, or the built-in ones, as first versions. Throws a PlanFileError. */
export const loadPlans = (path: string | undefined): Plans => new Plans(readPlanFile(path).plans);

/** Everything wrong with the plan file at `path`. */
export const planFileFaults = (path: string): readonly string[] => checkFile(path).faults;

function checkFile(file: string): CheckedPlans {
  const faulty = (what: string, error: unknown): CheckedPlans => ({
    plans: [],
    warnings: [],
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
