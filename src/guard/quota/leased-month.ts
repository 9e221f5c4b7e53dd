// What a month's calls are leased for, and on which terms. If either changes, the leased calls are returned.
import type { LeaseSubject, PlanTerms } from "../../store/records.ts";

/** What calls are leased for: a subscription, or the cap of a key. */
export interface LeasedMonth {
  readonly subject: LeaseSubject;
  readonly terms: PlanTerms;
}

const idOf = (subject: LeaseSubject): string => (typeof subject === "string" ? subject : subject.capId);

/** Whether the leased month has this subject and these terms. */
export const isSameMonth = (one: LeasedMonth, subject: LeaseSubject, terms: PlanTerms): boolean =>
  idOf(one.subject) === idOf(subject) &&
  (one.terms === terms ||
    (one.terms.callsPerMonth === terms.callsPerMonth && one.terms.requestsPerSecond === terms.requestsPerSecond));
