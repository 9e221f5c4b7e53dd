// The plan file: `plans/default.json`, or an operator's own, which replaces it completely. Prices are in minor units of their
// currency. A plan whose price is 0 is free: a customer may choose it without an operator. A file with any fault is refused, and
// all faults are reported at once.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plan } from "./plan.ts";
import { checkPlans } from "./plan-check.ts";
import type { ServiceName } from "./service-names.ts";

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
