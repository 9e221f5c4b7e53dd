// What a region and the home database tell each other about a month's calls. Both count what was granted and returned so far, and these
// counts only grow. So a report that arrives twice or late changes nothing, and the next report makes up for one that is lost.
import type { Month } from "../../runtime/calendar.ts";
import type { KeyCap, LeaseSubject } from "../records.ts";

/** One quota of a month. */
export interface QuotaName {
  readonly subject: LeaseSubject;
  readonly month: Month;
}

/** A state of a region's database. */
export interface RegionIncarnation {
  /** The id of the database. */
  readonly id: string;
  /** How many checks against the home database it has counted. */
  readonly number: number;
  /** When its PostgreSQL was started, and the OID of its table `region`, in one string. */
  readonly startedAt: string;
}

/** A check of a region's database that is about to be counted. */
export interface CountedCheck {
  /** The id of the database. */
  readonly id: string;
  /** The number of the last check that the home database has recorded; 0 if it has recorded none. */
  readonly recorded: number;
  readonly month: Month;
  readonly nowMs: number;
}

/** What a region's database tells the home database when a server checks it. */
export interface RegionCheckIn {
  readonly regionId: string;
  /** The region's name. */
  readonly name: string;
  /** The number of this check, from 1. */
  readonly number: number;
}

/** The calls that a region holds for its servers. */
export interface RegionHeld {
  readonly calls: number;
  /** The number of quotas of which the region holds calls. */
  readonly quotas: number;
}

/** A region's report to the home database, and its request for more calls. */
export interface RegionRequest extends QuotaName {
  /** The id of the region's database. */
  readonly regionId: string;
  readonly callsPerMonth: number;
  /** How many more calls it requests; 0 for none. */
  readonly want: number;
  /** All calls of the month that the region knows it was granted. It gets more only if the home database has counted the same. */
  readonly granted: number;
  /** All calls of the month that it has returned. */
  readonly returned: number;
}

/** What the home database tells a region. */
export interface RegionGrant {
  /** All calls of the month that were granted to the region. */
  readonly granted: number;
  /** All calls of the month that it has returned, as far as the home database knows. */
  readonly returned: number;
  /** How many calls of the month nobody has leased. */
  readonly unleased: number;
}

/** A quota in a region's database. */
export interface RegionQuota extends QuotaName {
  /** The id of the database when it was read. */
  readonly regionId: string;
  readonly callsPerMonth: number;
  readonly granted: number;
  readonly returned: number;
  /** Calls that its servers may still lease. */
  readonly left: number;
  /** How many calls nobody had leased from the home database at its last report. */
  readonly unleased: number;
}

/** A server's request to lease calls from its region. */
export interface RegionLeaseRequest extends QuotaName {
  readonly callsPerMonth: number;
  readonly want: number;
}

/** What a server has leased from its region. */
export interface RegionLease {
  /** The id of the region's database. */
  readonly regionId: string;
  readonly leased: number;
  /** Undefined if the region does not know the quota yet. */
  readonly quota: Omit<RegionQuota, "subject" | "month" | "callsPerMonth" | "regionId"> | undefined;
}

/** A grant of the home database, for the region's database to record. */
export interface RegionReport extends QuotaName {
  /** The id of the region's database to which it was granted. It is not recorded if the database has another id by now. */
  readonly regionId: string;
  readonly callsPerMonth: number;
  readonly grant: RegionGrant;
  /** The maximum number of calls that the region keeps; it returns the rest. Undefined to keep all. */
  readonly keep: number | undefined;
  readonly nowMs: number;
}

const CAP_PREFIX = "key:";

/** The text that tells both databases what calls are leased for. No subscription's id begins like a cap's. */
export const subjectText = (subject: LeaseSubject): string =>
  typeof subject === "string" ? subject : `${CAP_PREFIX}${subject.capId}`;

/** The account of a cap; null for a subscription, whose account only the home database knows. */
export const accountOfCap = (subject: LeaseSubject): string | null => (typeof subject === "string" ? null : subject.accountId);

/** The subject that such a text and its account stand for. */
export const subjectOf = (text: string, accountId: string | null): LeaseSubject =>
  accountId === null ? text : ({ accountId, capId: text.slice(CAP_PREFIX.length) } satisfies KeyCap);
