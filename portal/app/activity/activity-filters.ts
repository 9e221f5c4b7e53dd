// Which part of the account's activity the page shows, according to its URL.
import { dayStart } from "../day-begin.ts";

type Query = Readonly<Record<string, string | undefined>>;

/** What the entries are about: value → label. */
export const SUBJECTS = [
  ["", "All"],
  ["sign-ins", "Sign-ins"],
  ["security", "Password and security"],
  ["keys", "Keys"],
  ["subscriptions", "Subscriptions"],
  ["alerts", "Alerts and webhooks"],
  ["members", "Members"],
] as const;

const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  "sign-ins": ["account.sign_up", "account.sign_in", "account.use_recovery_code"],
  security: [
    "account.change_password",
    "account.reset_password",
    "account.draw_password",
    "account.verify_email",
    "account.change_email",
    "account.turn_on_two_factor",
    "account.turn_off_two_factor",
    "account.replace_recovery_codes",
    "account.add_passkey",
    "account.remove_passkey",
    "account.rename_passkey",
  ],
  keys: ["key"],
  subscriptions: ["subscription", "quota", "payment"],
  alerts: ["account.update_alerts", "webhook"],
  members: ["member"],
};

/** How many entries a page has. */
const PAGE_ENTRIES = 50;

/** The filters. An empty string means all. */
export interface ActivityFilters {
  readonly about: string;
  /** The first and the last day in the user's time zone: `2026-11-21`. */
  readonly from: string;
  readonly to: string;
  /** `shown` includes the short-lived keys that pages create for themselves. */
  readonly shortLived: string;
  /** The token of the page, from the server. */
  readonly page: string;
}

/** The value of `shortLived` that includes these keys. */
export const SHOWN = "shown";

/** Reads the filters from the URL's query. Unknown values are left out. */
export const activityFiltersOf = ({ about = "", from = "", to = "", shortLived, page = "" }: Query): ActivityFilters => ({
  about: about in ACTIONS ? about : "",
  from: dayStart(from) === undefined ? "" : from,
  to: dayStart(to) === undefined ? "" : to,
  shortLived: shortLived === SHOWN ? SHOWN : "",
  page: /^\d{1,15}$/.test(page) ? page : "",
});

/** The URL of the page with these filters. */
export function activityPath(filters: ActivityFilters): string {
  const query = new URLSearchParams(Object.entries(filters).filter(([, text]) => text !== ""));
  return query.size === 0 ? "/app/activity" : `/app/activity?${query}`;
}

/** The filters as the server expects them. */
export const activityRequestOf = ({ about, from, to, shortLived, page }: ActivityFilters) => ({
  pageSize: PAGE_ENTRIES,
  pageToken: page,
  actions: [...(ACTIONS[about] ?? [])],
  since: dayStart(from),
  until: dayStart(to, 1),
  includeShortLivedKeys: shortLived === SHOWN,
});
