// The contract as the console loads it, and the forms that the tests ask for.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ConsoleMethod, readContract } from "../../../portal/app/console/contract/contract.ts";
import { type FormField, fieldsOf } from "../../../portal/app/console/form/fields.ts";
import { CONSOLE_METHODS } from "../../../portal/content/console.ts";
import { ROOT } from "../../fixtures/root.ts";

/** As a server publishes it. */
export const CONTRACT = readContract(readFileSync(join(ROOT, "gen/quintet.binpb")), CONSOLE_METHODS);

/** A method by its address: `radio/search`. */
export function methodAt(slug: string): ConsoleMethod {
  const method = CONTRACT.find(slug);
  if (method === undefined) {
    throw new Error(`There is no ${slug}`);
  }
  return method;
}

/** The fields of a method's form. */
export const formOf = (slug: string): readonly FormField[] => fieldsOf(CONTRACT.registry, methodAt(slug).desc.input);
