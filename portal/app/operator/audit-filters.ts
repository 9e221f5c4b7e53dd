// Which part of the audit trail the page shows, according to its URL.
import { AuditActorKind } from "../../../gen/quintet/operator/v1/operator_pb.js";
import { dayStart } from "../day-begin.ts";

type Query = Readonly<Record<string, string | undefined>>;

/** What the entries are about: value → label. */
export const SUBJECTS = [
  ["", "All"],
  ["account", "Accounts"],
  ["member", "Members"],
  ["key", "Keys"],
  ["subscription", "Subscriptions"],
  ["payment", "Payments"],
  ["quota", "Quotas"],
  ["webhook", "Webhooks"],
  ["incident", "Incidents"],
  ["database", "Database"],
] as const;

/** Who acted: value → label. */
export const ACTORS = [
  ["", "Anyone"],
  ["operator", "Operators (dashboard)"],
  ["command-line", "Operators (command line)"],
  ["owner", "Owners"],
  ["member", "Members"],
  ["visitor", "Visitors"],
  ["server", "The server"],
] as const;

const KINDS: Readonly<Record<string, AuditActorKind>> = {
  operator: AuditActorKind.OPERATOR,
  "command-line": AuditActorKind.COMMAND_LINE,
  owner: AuditActorKind.OWNER,
  member: AuditActorKind.MEMBER,
  visitor: AuditActorKind.VISITOR,
  server: AuditActorKind.SERVER,
};

/** The filters. An empty string means all. */
export interface AuditFilters {
  readonly about: string;
  readonly by: string;
  /** The id of the account that was changed. */
  readonly account: string;
  /** The id of the account whose session made the change. */
  readonly actor: string;
  /** The user who made the change on the command line. */
  readonly user: string;
  /** `shown` includes the short-lived keys that pages create for themselves. */
  readonly shortLived: string;
  /** The first and the last day in the user's time zone: `2026-11-21`. */
  readonly from: string;
  readonly to: string;
  /** The token of the page; empty for the newest entries. */
  readonly page: string;
}

/** The value of `shortLived` that includes these keys. */
export const SHOWN = "shown";

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const idOf = (text = ""): string => (ID.test(text) ? text : "");
const oneOf = (options: readonly (readonly [string, string])[], text = ""): string =>
  options.some(([value]) => value === text) ? text : "";

/** Reads the filters from the URL's query. Unknown values are left out. */
export const auditFiltersOf = ({ about, by, account, actor, user = "", shortLived, from, to, page = "" }: Query): AuditFilters => ({
  about: oneOf(SUBJECTS, about),
  by: oneOf(ACTORS, by),
  account: idOf(account),
  actor: idOf(actor),
  user: idOf(actor) === "" ? user.slice(0, 256) : "",
  shortLived: shortLived === SHOWN ? SHOWN : "",
  from: dayStart(from) === undefined ? "" : (from ?? ""),
  to: dayStart(to) === undefined ? "" : (to ?? ""),
  page: page.slice(0, 100),
});

/** The URL of the page with these filters. */
export function auditPath(filters: AuditFilters): string {
  const query = new URLSearchParams(Object.entries(filters).filter(([, text]) => text !== ""));
  return query.size === 0 ? "/app/operator/audit" : `/app/operator/audit?${query}`;
}

/** The filters as the server expects them. */
export const auditRequestOf = ({ about, by, account, actor, user, shortLived, from, to, page }: AuditFilters) => ({
  accountId: account,
  actorAccountId: actor,
  commandLineUser: user,
  withoutShortLivedKeys: shortLived !== SHOWN,
  actorKinds: [KINDS[by] ?? []].flat(),
  actions: about === "" ? [] : [about],
  since: dayStart(from),
  until: dayStart(to, 1),
  pageToken: page,
});
