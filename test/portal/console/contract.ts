// The contract as the console loads it, and the forms that the tests need.
import { type ConsoleMethod, readContract } from "../../../portal/app/console/contract/contract.ts";
import { type FormField, fieldsOf } from "../../../portal/app/console/form/fields.ts";
import { consoleContract } from "../../../portal/build/console-contract.ts";
import { CONSOLE_METHODS } from "../../../portal/content/console.ts";

/** The contract as built for the site. */
export const CONTRACT = readContract(consoleContract(CONSOLE_METHODS), CONSOLE_METHODS);

/** A method by its address: `radio/search-stations`. */
export function methodAt(slug: string): ConsoleMethod {
  const method = CONTRACT.find(slug);
  if (method === undefined) {
    throw new Error(`There is no ${slug}`);
  }
  return method;
}

/** The fields of a method's form. */
export const formOf = (slug: string): readonly FormField[] => fieldsOf(CONTRACT.rules, methodAt(slug).desc.input);
