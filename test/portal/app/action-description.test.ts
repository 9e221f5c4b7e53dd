// The audit trail in words: every recorded action has a description, which contains its details.
import { expect, test } from "vitest";
import { describeAction } from "../../../portal/app/action-description.ts";
import { AUDIT_ACTIONS } from "../../../src/store/audit-records.ts";

const words = (action: string, details: Readonly<Record<string, string>> = {}): string =>
  describeAction({
    action,
    details: Object.entries(details).map(([name, value]) => ({ name, value })),
  });

test.each(AUDIT_ACTIONS)("%s is described in words", (action) => {
  expect(words(action)).not.toContain(action);
  expect(words(action)).toMatch(/^[a-z]+ /);
});

const KEY = { name: "website", last_four: "wxyz" };
const PLAN = { service: "token-price", plan: "free" };
const MONTH = { month: "2026-11" };

test.each([
  { action: "key.create", details: KEY, said: "created key website (…wxyz)" },
  {
    action: "key.create",
    details: { ...KEY, services: "radio,farkle", expires_at: "2026-12-24T00:00:00Z" },
    said: "created key website (…wxyz), for Radio stations and Farkle only, expiring on Dec 24, 2026",
  },
  {
    action: "key.rotate",
    details: { ...KEY, next_last_four: "abcd" },
    said: "rotated key website (…wxyz): the new one ends in abcd",
  },
  {
    action: "payment.update",
    details: {
      ...PLAN,
      plan: "token-price/pro/1",
      price: "24.00 EUR",
      status: "active",
      granted: "true",
      invoice: "https://a.example",
    },
    said: "learned from Stripe that the payment for token-price/pro/1, 24.00 EUR a month, is active",
  },
  {
    action: "payment.update",
    details: {
      ...{ service: "radio", plan: "radio/pro/1", price: "24.00 EUR", status: "canceled", granted: "false", because: "dispute" },
      unpaid_since: "2026-11-21T12:00:00Z",
    },
    said: "learned from Stripe that the payment for radio/pro/1, 24.00 EUR a month, is canceled; unpaid since 2026-11-21; the plan is not given; because of: dispute",
  },
  { action: "subscription.create", details: { ...PLAN, state: "active" }, said: "subscribed to Token prices on the Free plan" },
  { action: "subscription.create", details: { ...PLAN, state: "requested" }, said: "requested the Free plan for Token prices" },
  {
    action: "subscription.request",
    details: { ...PLAN, requested_plan: "pro", state: "active" },
    said: "requested the Pro plan for Token prices, still on Free",
  },
  { action: "subscription.request", details: { ...PLAN, state: "active" }, said: "chose the Free plan for Token prices" },
  { action: "subscription.decline", details: { ...PLAN, state: "cancelled" }, said: "declined the Free plan for Token prices" },
  {
    action: "subscription.decline",
    details: { ...PLAN, state: "active" },
    said: "declined a plan change for Token prices, which stays on Free",
  },
  {
    action: "subscription.move",
    details: { ...PLAN, state: "active" },
    said: "moved the subscription to the Free plan for Token prices, as announced",
  },
  { action: "plans.apply", details: {}, said: "changed the plans on offer" },
  {
    action: "plans.migrate_subscribers",
    details: {},
    said: "announced to subscribers that they will move to other versions of their plans",
  },
  {
    action: "quota.credit",
    details: { ...MONTH, service: "radio", calls: "1500", credited: "2000", reason: "an outage" },
    said: "added 1,500 calls to Radio stations for November 2026: an outage",
  },
  {
    action: "quota.credit",
    details: { ...MONTH, service: "radio", calls: "5" },
    said: "added 5 calls to Radio stations for November 2026",
  },
  { action: "quota.raise", details: { ...MONTH, percent: "5" }, said: "marked 5% of each plan's calls for November 2026 as used" },
  {
    action: "quota.raise",
    details: { ...MONTH, seconds: "90" },
    said: "marked 90 s of calls, at each plan's full rate, as used in November 2026",
  },
  { action: "account.update_alerts", details: { not_mailed: "" }, said: "turned on e-mail for all alerts" },
  {
    action: "account.update_alerts",
    details: { not_mailed: "key.expiry,calls.failing" },
    said: "turned off e-mail for alerts: key.expiry, calls.failing",
  },
  {
    action: "account.change_email",
    details: { from: "ada@example.com", to: "ada@example.org" },
    said: "changed the e-mail address from ada@example.com to ada@example.org",
  },
  {
    action: "account.sign_in",
    details: { user_agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" },
    said: "signed in using Firefox on Linux",
  },
  { action: "account.sign_in", details: {}, said: "signed in using an unknown program" },
  { action: "account.use_recovery_code", details: {}, said: "signed in with a recovery code" },
  {
    action: "account.use_recovery_code",
    details: { user_agent: "curl/8.0" },
    said: "signed in with a recovery code, using curl/8.0",
  },
  {
    action: "webhook.update",
    details: { url: "https://shop.example/hook", disabled: "true" },
    said: "edited webhook https://shop.example/hook, now disabled",
  },
  { action: "key.frobnicate", details: { colour: "red" }, said: "key.frobnicate: colour red" },
  { action: "key.frobnicate", details: {}, said: "key.frobnicate" },
])("$action with $details: $said", ({ action, details, said }) => {
  expect(words(action, details)).toBe(said);
});
