// Checks a country's code in a request.
import { Failure } from "../../../problem/failure.ts";
import { invalidArgument } from "../../../problem/problem.ts";
import { codeOfCountry } from "./country-names.ts";
import { DIRECTORY_NAMES } from "./directory-names.ts";

/**
 * The code in upper case; undefined if none is given. Throws a Failure for a code that ISO does not define, because no station has such a
 * code.
 */
export function requestedCode(given: string): string | undefined {
  const code = given.trim().toUpperCase();
  if (code === "" || DIRECTORY_NAMES.has(code)) {
    return code === "" ? undefined : code;
  }
  const meant = codeOfCountry(code);
  const hint = meant === undefined ? "" : `; the code of ${DIRECTORY_NAMES.get(meant)} is ${meant}`;
  const description = `must be an ISO 3166-1 alpha-2 code, such as DE, not "${code}"${hint}`;
  throw new Failure(invalidArgument([{ field: "countrycode", description }]));
}
