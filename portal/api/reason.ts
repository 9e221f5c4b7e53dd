// What pages need to know about the reason of an error. Nothing else in the table of reasons is loaded (build/slim-reasons.ts).
import { REASONS, type Reason } from "../../src/problem/reason.ts";
import { type Fault, isPlanFault } from "../../src/problem/reason-rule.ts";

const isKnown = (reason: string | undefined): reason is Reason => reason !== undefined && Object.hasOwn(REASONS, reason);

/** The faults that pages distinguish. Reasons with any other fault are not loaded: pages only show their messages. */
export type PageFault = Exclude<Fault, "request" | "upstream" | "server">;

/** The fault behind a reason; undefined if pages do not distinguish it, or if only a newer server knows the reason. */
export const faultOf = (reason: string | undefined): PageFault | undefined =>
  isKnown(reason) ? (REASONS[reason].fault as PageFault) : undefined;

/** Whether another plan would admit the call. */
export const needsPlan = (reason: string | undefined): boolean => isPlanFault(faultOf(reason));

/** Whether the same call would fail in the same way until the call or the plan is changed. */
export const isFinal = (reason: string | undefined): boolean => needsPlan(reason) || faultOf(reason) === "input";

/** Whether the request had no session at all. */
export const isSessionMissing = (reason: string | undefined): boolean =>
  isKnown(reason) && REASONS[reason].fault === "session" && REASONS[reason].missing === true;

/** The reasons with one of these faults, in the order of the table. */
export const reasonsOf = (...faults: readonly PageFault[]): readonly string[] =>
  Object.keys(REASONS).filter((reason) => faults.some((fault) => fault === faultOf(reason)));
