// The checker: holds the record of a run to everything that the product promises of limits. It knows nothing of how they are kept.
import { type History, meaningOf } from "./history.ts";
import { checkMonths } from "./quota-check.ts";
import { checkRates } from "./rate-check.ts";
import { checkUsage } from "./usage-check.ts";

/** What is wrong with a run, in sentences; empty when everything is as promised. */
export function check(history: History): string[] {
  return [...checkAnswers(history), ...checkMonths(history), ...checkRates(history), ...checkUsage(history)];
}

// Failures of the stores may refuse calls, and nothing else may happen to a good one.
function checkAnswers({ calls }: History): string[] {
  const strange = calls.filter(({ outcome }) => meaningOf(outcome) === undefined).map(({ outcome }) => outcome);
  return [...Map.groupBy(strange, (outcome) => outcome)].map(([outcome, all]) => `answered strangely: ${all.length} × ${outcome}`);
}
