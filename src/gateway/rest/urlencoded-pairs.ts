// Splits a query string, or a form body, into names and values: application/x-www-form-urlencoded, decoded after the split, with `+`
// for a space. Malformed percent-encoding is refused where the usual parsers let it through.

import { echoedName } from "./echo.ts";
import type { Violations } from "./violations.ts";

// A query that fits in a request's head has fewer; a form body could have more than is worth reading.
const PAIRS_MAX = 1000;

/** Calls `take` with each name and value, in order. What cannot be decoded is a violation of `whole`, which names the text's place. */
export function readUrlencodedPairs(
  text: string,
  whole: "query" | "body",
  violations: Violations,
  take: (name: string, value: string) => void,
): void {
  let start = 0;
  for (let count = 0; start < text.length; count++) {
    if (count === PAIRS_MAX) {
      violations.add(whole, `must have at most ${PAIRS_MAX} parameters`);
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
