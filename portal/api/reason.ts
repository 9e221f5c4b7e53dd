// What pages need to know about the reason of an error. Nothing else of the table of reasons is loaded (build/slim-reasons.ts).
import { REASONS, type Reason } from "../../src/problem/reason.ts";
import type { Fault } from "../../src/problem/reason-rule.ts";

const isKnown = (reason: string | undefined): reason is Reason => reason !== undefined && Object.hasOwn(REASONS, reason);

/** Whose fault the reason is; undefined without a reason, or for one that only a newer server knows. */
export const faultOf = (reason: string | undefined): Fault | undefined => (isKnown(reason) ? REASONS[reason].fault : undefined);

/** Whether the same call would fail in the same way until the call or the plan is changed. */
export function isFinal(reason: string | undefined): boolean {
  const fault = faultOf(reason);
  return fault === "plan" || fault === "input";
}

/** The reasons with this fault, in the order of the table. */
export const reasonsOf = (fault: Fault): readonly string[] => Object.keys(REASONS).filter((reason) => faultOf(reason) === fault);
