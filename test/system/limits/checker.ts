// The checker: compares the record of a run with everything that the product promises about limits. It does not know how they are enforced.
import { type History, meaningOf } from "./history.ts";
import { checkMonths } from "./quota-check.ts";
import { checkRates } from "./rate-check.ts";
import { checkUsage } from "./usage-check.ts";

/** What is wrong with a run, in sentences; empty if every promise was kept. */
export function check(history: History): string[] {
  return [...checkOutcomes(history), ...checkMonths(history), ...checkRates(history), ...checkUsage(history)];
}

// Calls may be refused because a store failed; nothing else may happen to a good call.
function checkOutcomes({ calls }: History): string[] {
  const strange = calls.filter(({ outcome }) => meaningOf(outcome) === undefined).map(({ outcome }) => outcome);
  return [...Map.groupBy(strange, (outcome) => outcome)].map(([outcome, all]) => `unexpected response: ${all.length} × ${outcome}`);
}
