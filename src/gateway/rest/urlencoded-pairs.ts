// Splits a query string or a form body into names and values in the format application/x-www-form-urlencoded: split first, then
// decoded, with `+` for a space. Malformed percent-encoding is refused, although most parsers accept it.
import { echoedName } from "./echo.ts";
import { VALUES_MAX } from "./json-bounds.ts";
import type { Violations } from "./violations.ts";

/**
 * Calls `take` with each name and value, in order. Adds a violation for anything that cannot be decoded; `whole` names the input in errors.
 */
export function readUrlencodedPairs(
  text: string,
  whole: "query" | "body",
  violations: Violations,
  take: (name: string, value: string) => void,
): void {
  let start = 0;
  for (let count = 0; start < text.length; count++) {
    if (count === VALUES_MAX) {
      violations.add(whole, `must have at most ${VALUES_MAX} parameters`);
      return;
    }
    let end = text.indexOf("&", start);
    if (end === -1) {
      end = text.length;
    }
    if (end > start) {
      readPair(text.slice(start, end), whole, violations, take);
    }
    start = end + 1;
  }
}

function readPair(pair: string, whole: string, violations: Violations, take: (name: string, value: string) => void): void {
  const equals = pair.indexOf("=");
  const name = decode(equals === -1 ? pair : pair.slice(0, equals));
  const value = equals === -1 ? "" : decode(pair.slice(equals + 1));
  if (name === undefined) {
    violations.add(whole, "has a parameter name that is not percent-encoded UTF-8");
  } else if (name === "") {
    violations.add(whole, "has a parameter without a name");
  } else if (value === undefined) {
    violations.add(echoedName(name), "must be percent-encoded UTF-8");
  } else {
    take(name, value);
  }
}

function decode(text: string): string | undefined {
  if (!text.includes("%") && !text.includes("+")) {
    return text;
  }
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
