// The tables that more than one command prints. Times are UTC.
import { keyState } from "../account/keys.ts";
import { moneyText } from "../catalogue/money.ts";
import type { Plan } from "../catalogue/plan.ts";
import type { Member } from "../store/owner-records.ts";
import type { Account, Key, Subscription } from "../store/records.ts";
import { type LongList, longTable } from "./long-lists.ts";
import { facts, minute, table } from "./output.ts";

export function accountsTable(): LongList<Account> {
  const list = longTable(["name", "state", "email", "created", "id"].map((heading) => ({ heading })));
  const rowOf = (account: Account): readonly string[] => [
    account.name,
    accountState(account),
    account.email ?? "-",
    minute(account.createdAtMs),
    account.id,
  ];
  return { ...list, page: (accounts) => list.page(accounts.map(rowOf)) };
}

/** `active` or `suspended`, and whether its owner is an operator. */
export const accountState = ({ suspended, isOperator }: Account): string =>
  `${suspended ? "suspended" : "active"}${isOperator ? ", operator" : ""}`;

/** A table of members; at least one. */
export const memberTable = (members: readonly Member[]): string =>
  table(
    ["email", "role", "since", "id"].map((heading) => ({ heading })),
    members.map(({ id, email, role, isPrimaryOwner, joinedAtMs }) => [
      email ?? "-",
      isPrimaryOwner ? "primary owner" : role,
      minute(joinedAtMs),
      id,
    ]),
  );

/** What is known about a key besides its properties. */
export interface KeyUse {
  /** Undefined if it was never used. */
  readonly lastUsedAtMs: number | undefined;
  /** How many of this month's calls count against its cap; undefined without a cap. */
  readonly callsThisMonth: number | undefined;
}

/** The columns of a table of keys. */
export const KEY_HEADINGS: readonly string[] = [
  ...["name", "state", "key", "services", "calls this month", "created", "expires", "last used", "id"],
];

/** A table of keys; at least one. */
export const keyTable = (keys: readonly Key[], nowMs: number, useOf: (key: Key) => KeyUse): string =>
  table(
    KEY_HEADINGS.map((heading) => ({ heading })),
    keys.map((key) => keyRow(key, nowMs, useOf(key))),
  );

/** A key's cells in the table. */
export const keyRow = (key: Key, nowMs: number, { lastUsedAtMs, callsThisMonth }: KeyUse): readonly string[] => [
  key.name,
  keyState(key, nowMs),
  keyHint(key),
  keyServices(key),
  capUse(key, callsThisMonth) ?? "-",
  minute(key.createdAtMs),
  keyExpiry(key),
  lastUsedAtMs === undefined ? "never" : minute(lastUsedAtMs),
  key.id,
];

/** `812 of 1000`; undefined without a cap. */
const capUse = ({ callsPerMonth }: Key, callsThisMonth: number | undefined): string | undefined =>
  callsPerMonth === null ? undefined : `${callsThisMonth ?? 0} of ${callsPerMonth}`;

/** The facts about a key, one per line. */
export function keyFacts(key: Key, account: string, nowMs: number, { lastUsedAtMs, callsThisMonth }: KeyUse): string {
  const used = capUse(key, callsThisMonth);
  return facts([
    ["Key", keyHint(key)],
    ["Name", key.name],
    ["Id", key.id],
    ["Account", account],
    ["State", keyState(key, nowMs)],
    ["Services", keyServices(key)],
    ...keyLimits(key),
    ...(used === undefined ? [] : [["Calls this month", used] as const]),
    ["Created", `${minute(key.createdAtMs)} UTC`],
    ["Last used", lastUsedAtMs === undefined ? "never" : `${minute(lastUsedAtMs)} UTC`],
    ["Expires", key.expiresAtMs === null ? "never" : `${keyExpiry(key)} UTC`],
    ["Revoked", key.revokedAtMs === null ? "no" : `${minute(key.revokedAtMs)} UTC`],
    ...(key.replacedBy === null ? [] : [["Replaced by", key.replacedBy] as const]),
    ...(key.notes === "" ? [] : [["Notes", key.notes.replaceAll("\n", " ")] as const]),
  ]);
}

/** The limits of a key, each with its name; empty if it has none. */
export const keyLimits = ({
  allowedAddresses,
  allowedOrigins,
  callsPerMonth,
  requestsPerSecond,
}: Key): readonly (readonly [string, string])[] => [
  ...(allowedAddresses.length === 0 ? [] : [["Allowed IP addresses", allowedAddresses.join(", ")] as const]),
  ...(allowedOrigins.length === 0 ? [] : [["Allowed origins", allowedOrigins.join(", ")] as const]),
  ...(callsPerMonth === null ? [] : [["Calls per month", String(callsPerMonth)] as const]),
  ...(requestsPerSecond === null ? [] : [["Requests per second", String(requestsPerSecond)] as const]),
];

/** The part of a key that may be shown: `qk_live_…wxyz`. */
const keyHint = (key: Key): string => `${key.prefix}…${key.lastFour}`;

/** `all`, or the names. */
const keyServices = (key: Key): string => key.services?.join(",") ?? "all";

/** `never`, or when. */
export const keyExpiry = (key: Key): string => (key.expiresAtMs === null ? "never" : minute(key.expiresAtMs));

const priceOf = ({ priceMinor, currency }: Plan): string => moneyText(priceMinor, currency);

// The plan that waits for activation, its price, and for how long it has waited: `pro (24.00 EUR, 3d)`.
function waitingText({ state, terms, agreedAtMs, request }: Subscription, nowMs: number): string {
  const waiting = state === "requested" ? { terms, atMs: agreedAtMs } : request;
  return waiting === null ? "-" : `${waiting.terms.name} (${priceOf(waiting.terms)}, ${ageText(nowMs - waiting.atMs)})`;
}

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;

function ageText(ms: number): string {
  const hours = Math.max(0, Math.floor(ms / HOUR_MS));
  return hours < DAY_HOURS ? `${hours}h` : `${Math.floor(hours / DAY_HOURS)}d`;
}

/** Subscriptions with the names of their accounts; at least one. */
export function subscriptionTable(
  rows: readonly { readonly account: Account; readonly subscription: Subscription }[],
  nowMs: number,
): string {
  const headings = ["account", "service", "plan", "price", "state", "requested", "created"].map((heading) => ({
    heading,
  }));
  return table(
    headings,
    rows.map(({ account, subscription }) => [
      account.name,
      subscription.service,
      subscription.plan,
      priceOf(subscription.terms),
      subscription.state,
      waitingText(subscription, nowMs),
      minute(subscription.createdAtMs),
    ]),
  );
}
