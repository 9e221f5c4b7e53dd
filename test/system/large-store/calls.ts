// A call of every method of the store, with each of its filters, on a database that was filled. The type makes the list complete: it has an
// entry for each method of the interface.
import { loadPlans } from "../../../src/catalogue/plans.ts";
import { SERVICE_NAMES } from "../../../src/catalogue/service-names.ts";
import type { AlertRules, ClaimedWebhook, NewAlert, NewWebhookEndpoint, WebhookResult } from "../../../src/store/alert-records.ts";
import type { NewInvitation, Passkey } from "../../../src/store/owner-records.ts";
import type { PaymentFacts } from "../../../src/store/repositories/payments.ts";
import type { Store } from "../../../src/store/store.ts";
import type { CallQuery, LoggedCall, RefusalCount, UsageCount } from "../../../src/store/usage-records.ts";
import { newBatch } from "../../fixtures/new-batch.ts";
import { FILLED_AT_MS, type FillSize, idOf, keyHashOf } from "./fill.ts";

/** The methods that are called. The rest neither read nor write. */
export type QueryingMethod = Exclude<keyof Store, "nodeStatus" | "by" | "onChange" | "close">;

type Calls = { readonly [Method in QueryingMethod]-?: readonly (() => Promise<unknown>)[] };

const month = "2026-11";
const span = { fromDay: "2026-11-01", toDay: "2026-11-24", limit: 100, offset: 0, countsMax: 250_000 } as const;
const everyAccount = { search: "", onlySuspended: false, onlyOperators: false, limit: 50, offset: 0 };
const page = { includeCancelled: false, pendingOnly: false, limit: 50, offset: 0 };
const entries = { limit: 50 };
const terms = { callsPerMonth: 1_000_000, requestsPerSecond: 10 };
const raise = { id: "raise-2", month, seconds: 60, percent: 0 } as const;
const [DAY_MS, HOUR_MS] = [86_400_000, 3_600_000];

// Accounts by their numbers, each changed by few calls: those are not among the deleted ones, whose numbers end in 99.
const account = (number: number): string => idOf("account", number);
const key = (number: number): string => idOf("key", number);
const subscription = (number: number): string => idOf("subscription", number);

const usageOf = (number: number): UsageCount => ({
  accountId: account(number),
  keyId: key(number),
  service: "radio",
  method: "m/Search",
  day: "2026-11-24",
  hour: 11,
  outcome: "OK",
  calls: 3,
});
const refusalOf = (number: number): RefusalCount => ({
  ...usageOf(number),
  reason: "RATE_LIMITED",
  rateNeeded: 9,
});
const loggedCallOf = (number: number): LoggedCall => ({
  accountId: account(number),
  id: `new-${number}`,
  startedAtMs: FILLED_AT_MS,
  service: "radio",
  method: "m/Search",
  protocol: "rest",
  httpStatus: 200,
  outcome: "OK",
  isRefused: false,
  isDryRun: false,
  durationMs: 1,
  requestBytes: 0,
  responseBytes: 100,
  requestId: `request-new-${number}`,
  keyId: key(number),
  keyLastFour: "wxyz",
  leftOut: 0,
  parameters: "{}",
});
const loggedCalls: CallQuery = {
  accountId: account(1),
  before: undefined,
  limit: 50,
  requestId: undefined,
  keyId: undefined,
  service: undefined,
  method: undefined,
  outcome: undefined,
  result: undefined,
  sinceMs: undefined,
  untilMs: undefined,
};
const newKey = (name: string, accountId: string) => ({
  id: `key-${name}`,
  accountId,
  name,
  hash: `hash-${name}`,
  prefix: "qk_live_",
  lastFour: "wxyz",
  services: null,
  expiresAtMs: null,
  lifetimeMs: null,
});
const mailToken = (name: string, number: number) => ({
  tokenHash: name,
  email: `owner.${number}@example.com`,
  accountId: account(number),
  expiresAtMs: FILLED_AT_MS + DAY_MS,
});

const alert = (number: number): NewAlert => ({
  ...{ accountId: account(number), type: "quota.threshold", subject: "radio", period: "2026-11/pro", level: 80, isMailed: true },
  details: { percent: 80 },
});
const newEndpoint: NewWebhookEndpoint = {
  ...{ id: "endpoint-new", accountId: account(10), url: "https://example.com/hook", description: "", alertTypes: [] },
  secret: "whsec_secret",
};
const newInvitation: NewInvitation = {
  ...{ id: "invitation-new", accountId: account(10), email: "new@example.com", role: "reader", tokenHash: "invitation-hash-new" },
  ...{ invitedBy: account(10), expiresAtMs: FILLED_AT_MS + DAY_MS },
};
const claimedWebhook = (number: number, accounts: number): ClaimedWebhook => ({
  ...{ id: `webhook-${number}`, attempt: 1, accountId: account(1 + (number % accounts)) },
  event: { id: `alert-${number}`, type: "quota.threshold", createdAtMs: FILLED_AT_MS, details: {} },
  endpoint: { id: `endpoint-${1 + (number % accounts)}`, url: newEndpoint.url, secrets: [newEndpoint.secret] },
});
const webhookResult: WebhookResult = {
  ...{ state: "delivered", atMs: FILLED_AT_MS, durationMs: 5, httpStatus: 200, response: "", error: undefined, isGone: false },
};
const passkey: Passkey = {
  ...{ id: "passkey-10", accountId: account(10), credentialId: "credential-10", publicKey: "key", counter: 1, transports: [] },
  ...{ name: "laptop", createdAtMs: FILLED_AT_MS, lastUsedAtMs: undefined },
};
const paymentFacts: PaymentFacts = {
  ...{ id: "sub_1", accountId: account(9), service: "radio", status: "active", isPaused: false, endedBecause: null },
  item: { planId: "radio/pro/1", priceMinor: 1900, currency: "EUR", isOneMonth: true },
  ...{ entitledUntilMs: FILLED_AT_MS + 30 * DAY_MS, unpaidSinceMs: null, cancelsAtMs: null, invoiceUrl: null, paidMinor: 0 },
  createdAtMs: FILLED_AT_MS,
};
// Every subscription is added up: that is the most that a check may have to do.
const alertRules: AlertRules = { needsCounts: () => true, alertsOf: ({ accountId }) => [{ ...alert(1), accountId }] };

async function untilFalse(work: () => Promise<boolean>): Promise<void> {
  while (await work()) {}
}

/** The calls, in the order in which they run. */
export function callsOf(store: Store, { accounts }: FillSize): Calls {
  const many = Array.from({ length: 500 }, (_, index) => index + 1000);
  return {
    findCredential: [() => store.findCredential(keyHashOf(1)), () => store.findCredential("unknown")],
    lease: [() => store.lease(subscription(1), month, 1_000_000, 100), () => store.lease(subscription(2), "2026-12", 1000, 10)],
    returnCalls: [() => store.returnCalls(subscription(1), month, 50)],
    addUsage: [() => store.addUsage(many.map(usageOf), newBatch())],
    addRefusals: [() => store.addRefusals(many.map(refusalOf), newBatch())],
    addUpCounts: [() => store.addUpCounts(), () => untilFalse(() => store.addUpCounts())],
    // Few accounts, one in a thousand: for a large part of a small table, PostgreSQL would rightly read all of it.
    busiestSubscriptions: [() => store.busiestSubscriptions(month, Math.min(1000, Math.ceil(accounts / 1000)))],
    auditPage: [
      () => store.auditPage(entries),
      () => store.auditPage({ ...entries, accountId: account(1) }),
      () =>
        store.auditPage({ ...entries, accountId: account(1), actions: ["key.create", "key.revoke"], withoutShortLivedKeys: true }),
      () => store.auditPage({ ...entries, accountId: account(1), sinceMs: FILLED_AT_MS - DAY_MS, untilMs: FILLED_AT_MS }),
      () => store.auditPage({ ...entries, actorAccountId: account(1) }),
      () => store.auditPage({ ...entries, actorKinds: ["operator"] }),
      () => store.auditPage({ ...entries, commandLineUser: "alice" }),
      () => store.auditPage({ ...entries, actions: ["quota.credit"] }),
      () => store.auditPage({ ...entries, withoutShortLivedKeys: true, before: 500 }),
      () => store.auditPage({ ...entries, sinceMs: FILLED_AT_MS - DAY_MS, untilMs: FILLED_AT_MS - HOUR_MS }),
    ],
    note: [() => store.note({ action: "quota.raise", accountId: null })],
    createAccount: [() => store.createAccount({ id: "a-new", name: "new", email: "New@example.com" })],
    accountsAfter: [() => store.accountsAfter("", 1000), () => store.accountsAfter("customer-00001000", 1000)],
    accountPage: [
      () => store.accountPage(everyAccount),
      () => store.accountPage({ ...everyAccount, offset: 10_000 }),
      () => store.accountPage({ ...everyAccount, onlySuspended: true }),
      () => store.accountPage({ ...everyAccount, onlyOperators: true }),
      () => store.accountPage({ ...everyAccount, search: "owner.77@" }),
      () => store.accountPage({ ...everyAccount, search: "customer-0000" }),
      () => store.accountPage({ ...everyAccount, search: account(1) }),
    ],
    findAccount: [
      () => store.findAccount(account(1)),
      () => store.findAccount("customer-00000002"),
      () => store.findAccount("OWNER.3@example.com"),
    ],
    setSuspended: [() => store.setSuspended(account(3), true)],
    setOperator: [() => store.setOperator(account(4), true)],
    createKey: [() => store.createKey({ ...newKey("new", account(5)), request: { id: "r-new", inputHash: "a key" } })],
    listKeys: [() => store.listKeys(account(1))],
    keysAfter: [
      () => store.keysAfter(account(1), undefined, 10),
      () => store.keysAfter(account(1), { id: key(1), createdAtMs: FILLED_AT_MS - DAY_MS }, 10),
    ],
    findKey: [() => store.findKey(key(1))],
    keyUses: [() => store.keyUses(account(1))],
    keysEndingIn: [() => store.keysEndingIn("1c38", 100)],
    updateKey: [() => store.updateKey(key(6), { name: "renamed", disabled: true })],
    rotateKey: [() => store.rotateKey(key(7), newKey("next", account(8)), FILLED_AT_MS + DAY_MS)],
    revokeKey: [() => store.revokeKey(key(8))],
    createSubscription: [
      () => store.createSubscription({ id: "s-new", accountId: "a-new", service: "radio", plan: "free", state: "active" }),
    ],
    listSubscriptions: [() => store.listSubscriptions(account(1))],
    subscriptionPage: [
      () => store.subscriptionPage(page),
      () => store.subscriptionPage({ ...page, pendingOnly: true }),
      () => store.subscriptionPage({ ...page, includeCancelled: true, offset: 1000 }),
      () => store.subscriptionPage({ ...page, accountId: account(1) }),
    ],
    applyPayment: [() => store.applyPayment(paymentFacts, { version: 0, fallsToFree: true, newId: "s-paid" })],
    endOverdue: [() => store.endOverdue("paid_3", { fallsToFree: true, newId: "s-free" })],
    paymentVersion: [() => store.paymentVersion("sub_1")],
    livePayments: [() => store.livePayments(account(1))],
    livePaymentIds: [() => store.livePaymentIds("", 100)],
    duePayments: [() => store.duePayments(100)],
    receiveEvent: [() => store.receiveEvent("evt_1", "invoice.paid")],
    eventHandled: [() => store.eventHandled("evt_1")],
    paymentCustomer: [() => store.paymentCustomer(account(1))],
    addPaymentCustomer: [() => store.addPaymentCustomer(account(1), "cus_1", undefined)],
    offeredPlans: [() => store.offeredPlans()],
    planVersions: [() => store.planVersions()],
    applyPlans: [() => store.applyPlans(loadPlans(undefined).all)],
    paidPeriods: [() => store.paidPeriods(FILLED_AT_MS, FILLED_AT_MS + DAY_MS)],
    waitingSubscriptions: [() => store.waitingSubscriptions()],
    scheduleMoves: [() => store.scheduleMoves({}, FILLED_AT_MS)],
    dueMoves: [() => store.dueMoves(100)],
    moveDue: [() => store.moveDue(subscription(1))],
    subscribersAfter: [() => store.subscribersAfter("radio/pro/1", subscription(1), 5000)],
    listCurrentSubscriptions: [() => store.listCurrentSubscriptions(account(1))],
    findSubscriptionById: [() => store.findSubscriptionById(subscription(1))],
    findSubscription: [() => store.findSubscription(account(2), "radio")],
    requestPlan: [() => store.requestPlan("s-new", "mega")],
    declinePlan: [() => store.declinePlan("s-new")],
    activate: [() => store.activate("s-new", "pro")],
    credit: [() => store.credit("s-new", month, 100)],
    cancel: [() => store.cancel("s-new")],
    checkAlerts: [() => store.checkAlerts(alertRules, { refunded: [], mails: true, limit: 50 })],
    addAlerts: [() => store.addAlerts([alert(10)], { mails: true })],
    expiringKeys: [() => store.expiringKeys(FILLED_AT_MS + 7 * DAY_MS, { expiresAtMs: FILLED_AT_MS, id: "" }, 500)],
    claimDeliveries: [() => store.claimDeliveries(8, 120_000)],
    endAttempt: [() => store.endAttempt({ id: "none", attempt: 1 }, { state: "delivered", result: "SENT" })],
    waitingDeliveries: [() => store.waitingDeliveries(1000)],
    alertPreferences: [() => store.alertPreferences(account(1))],
    webhookEndpoints: [() => store.webhookEndpoints(account(1))],
    findWebhookEndpoint: [() => store.findWebhookEndpoint(account(1), "endpoint-1")],
    createWebhookEndpoint: [() => store.createWebhookEndpoint({ ...newEndpoint, accountId: account(10) })],
    updateWebhookEndpoint: [
      () => store.updateWebhookEndpoint(account(10), "endpoint-new", { url: "https://example.com/new" }),
      () => store.updateWebhookEndpoint(account(10), "endpoint-new", { isDisabled: true }),
      () => store.updateWebhookEndpoint(account(10), "endpoint-new", { isDisabled: false }),
    ],
    rotateWebhookSecret: [() => store.rotateWebhookSecret(account(10), "endpoint-new", "whsec_new", FILLED_AT_MS + DAY_MS)],
    addWebhookTest: [() => store.addWebhookTest(account(10), "endpoint-new", "event-new")],
    endWebhookAttempt: [
      () => store.endWebhookAttempt(claimedWebhook(500, accounts), webhookResult, { mails: true }),
      () =>
        store.endWebhookAttempt(
          claimedWebhook(1000, accounts),
          { ...webhookResult, state: "failed", isGone: true },
          { mails: true },
        ),
    ],
    claimWebhooks: [
      () => store.claimWebhooks({ limit: 16, leaseMs: 1000, perAccountMax: 2, exceptAccountIds: [account(1), account(2)] }),
    ],
    webhookDeliveries: [() => store.webhookDeliveries(account(1), "endpoint-1", { limit: 50, offset: 100 })],
    findWebhookDelivery: [() => store.findWebhookDelivery(account(3), "webhook-2")],
    replayWebhookDelivery: [() => store.replayWebhookDelivery(account(3), "webhook-2")],
    deleteWebhookEndpoint: [() => store.deleteWebhookEndpoint(account(10), "endpoint-new")],
    setAlertPreferences: [() => store.setAlertPreferences(account(1), { muted: ["calls.failing"] })],
    alertPage: [() => store.alertPage(account(10), { limit: 50, offset: 0 })],
    acknowledged: [() => store.acknowledged()],
    nodes: [() => store.nodes()],
    leasedCalls: [() => store.leasedCalls([subscription(1), subscription(2)], month)],
    leasedCapCalls: [
      () =>
        store.leasedCapCalls(
          many.slice(0, 100).map((n) => ({ accountId: account(n), capId: `cap-${n}` })),
          month,
        ),
    ],
    raiseCaps: [() => store.raiseCaps({ id: "raise-caps", month, seconds: 60, percent: 0 }, 100)],
    addQuotaRaise: [() => store.addQuotaRaise(raise)],
    chargeRaise: [
      () =>
        store.chargeRaise(
          raise,
          terms,
          "radio",
          many.map((number) => account(number)),
        ),
    ],
    usageRows: [
      () => store.addUsage([usageOf(1)], newBatch()),
      () => store.usageRows({ ...span, accountId: account(1), groupBy: ["day", "service"], refunded: ["INTERNAL"] }),
      () => store.usageRows({ ...span, accountId: account(1), service: "radio", groupBy: ["hour", "key"], refunded: [] }),
    ],
    refusalRows: [
      () => store.refusalRows({ ...span, accountId: account(1), groupBy: ["day", "reason"] }),
      () => store.refusalRows({ ...span, accountId: account(1), groupBy: ["hour"] }),
    ],
    topAccounts: [
      () => store.topAccounts({ ...span, refunded: ["INTERNAL"], limit: 20 }),
      () => store.topAccounts({ ...span, service: SERVICE_NAMES[0], refunded: [], limit: 20 }),
    ],
    createOwnedAccount: [() => store.createOwnedAccount({ id: "a-own", name: "own", email: "own@example.com" }, "hash")],
    findOwner: [() => store.findOwner("owner.1@example.com")],
    findOwnerOf: [() => store.findOwnerOf(account(1))],
    setOwnerPassword: [() => store.setOwnerPassword(account(10), "hash"), () => store.setOwnerPassword("a-new", "hash")],
    changeOwnerPassword: [
      () => store.changeOwnerPassword(account(10), { from: "hash", to: "hash-2", currentTokenHash: "session-10" }),
    ],
    addMailToken: [
      () => store.addMailToken({ ...mailToken("t-reset", 11), purpose: "reset" }),
      () => store.addMailToken({ ...mailToken("t-verify", 12), purpose: "verify" }),
      () => store.addMailToken({ ...mailToken("t-change", 14), email: "changed@example.com", purpose: "change_email" }),
      () => store.addMailToken({ ...mailToken("t-up", 13), email: "up@example.com", accountId: null, purpose: "sign_up" }),
    ],
    findMailToken: [() => store.findMailToken("t-reset")],
    resetPassword: [() => store.resetPassword("t-reset", "hash")],
    verifyEmail: [
      () => store.verifyEmail("t-verify", undefined),
      () => store.verifyEmail("t-up", { id: "a-up", name: "up", passwordHash: "hash" }),
    ],
    changeOwnerEmail: [() => store.changeOwnerEmail(account(15), { to: "changed.15@example.com", currentTokenHash: "session-15" })],
    changeEmailByLink: [() => store.changeEmailByLink("t-change")],
    beginSession: [
      () =>
        store.beginSession({
          tokenHash: "session-new",
          accountId: account(10),
          passwordHash: "hash-2",
          expiresAtMs: FILLED_AT_MS + DAY_MS,
        }),
    ],
    useTwoFactorCode: [() => store.useTwoFactorCode(account(9), { step: 1 })],
    findMemberRole: [() => store.findMemberRole(account(1), account(2)), () => store.findMemberRole(account(1), account(1))],
    listMembers: [() => store.listMembers(account(1))],
    listMemberships: [() => store.listMemberships(account(1))],
    inviteMember: [
      () => store.inviteMember(newInvitation),
      () => store.inviteMember({ ...newInvitation, ...{ id: "invitation-own", email: "owner.77@example.com", tokenHash: "own" } }),
    ],
    listInvitations: [() => store.listInvitations(account(10))],
    findInvitation: [() => store.findInvitation("own")],
    acceptInvitation: [() => store.acceptInvitation("own", account(77)), () => store.acceptInvitation("unknown", account(77))],
    withdrawInvitation: [() => store.withdrawInvitation(account(10), newInvitation.id)],
    changeMemberRole: [() => store.changeMemberRole(account(10), account(77), "reader")],
    removeMember: [() => store.removeMember(account(10), account(77))],
    findTwoFactor: [() => store.findTwoFactor(account(1))],
    prepareTwoFactor: [() => store.prepareTwoFactor(account(10), "secret")],
    turnOnTwoFactor: [
      () =>
        store.turnOnTwoFactor(account(10), {
          secret: "secret",
          step: 10,
          recoveryHashes: ["code-1", "code-2"],
          currentTokenHash: "session-new",
        }),
    ],
    takeCodeAttempt: [() => store.takeCodeAttempt(account(10))],
    passkeysOf: [() => store.passkeysOf(account(1))],
    findPasskey: [() => store.findPasskey("credential-1")],
    addPasskey: [() => store.addPasskey({ ...passkey, id: "passkey-new", credentialId: "credential-new" })],
    renamePasskey: [() => store.renamePasskey(account(10), "passkey-new", "phone")],
    removePasskey: [() => store.removePasskey(account(10), "passkey-new")],
    addPasskeyChallenge: [
      () => store.addPasskeyChallenge({ challengeHash: "challenge-new", accountId: null, expiresAtMs: FILLED_AT_MS + DAY_MS }),
    ],
    takePasskeyChallenge: [() => store.takePasskeyChallenge("challenge-new")],
    beginPasskeySession: [
      () => store.beginPasskeySession(passkey, 2, { tokenHash: "session-passkey", expiresAtMs: FILLED_AT_MS + DAY_MS }),
    ],
    addChallenge: [
      () =>
        store.addChallenge({
          tokenHash: "challenge-new",
          accountId: account(10),
          passwordHash: "hash-2",
          expiresAtMs: FILLED_AT_MS + DAY_MS,
        }),
    ],
    findChallenge: [() => store.findChallenge("challenge-new")],
    completeChallenge: [
      () =>
        store.completeChallenge(
          "challenge-new",
          { recoveryHash: "code-1" },
          { tokenHash: "session-completed", expiresAtMs: FILLED_AT_MS + DAY_MS },
        ),
    ],
    replaceRecoveryCodes: [() => store.replaceRecoveryCodes(account(10), { step: 11 }, ["code-3", "code-4"])],
    turnOffTwoFactor: [() => store.turnOffTwoFactor(account(10), { recoveryHash: "code-3" }, "session-new")],
    removeTwoFactor: [() => store.removeTwoFactor(account(10))],
    findSession: [() => store.findSession("session-1")],
    listSessions: [() => store.listSessions(account(1))],
    recordSessionUses: [() => store.recordSessionUses([{ tokenHash: "session-1", usedAtMs: FILLED_AT_MS }])],
    prolongSession: [() => store.prolongSession("session-1", FILLED_AT_MS + DAY_MS)],
    endOtherSessions: [() => store.endOtherSessions(account(10), "session-new")],
    endSession: [() => store.endSession("session-new")],
    deleteAccount: [() => store.deleteAccount(account(20)), () => store.deleteAccount("a-up")],
    addHealth: [
      () =>
        store.addHealth([
          { service: "radio", part: "calls", hour: "2026-11-24T11", calls: 9, failed: 1, refused: 2, latency: [7, 2] },
        ]),
    ],
    // All that is ever kept is added up: 90 days of five services and four sources.
    addLatency: [
      () =>
        store.addLatency(
          many.map((number) => ({ accountId: account(number), service: "radio", hour: "2026-11-24T12", latency: [1] })),
        ),
    ],
    latencyRows: [
      () => store.latencyRows({ ...span, accountId: account(1), groupBy: ["day", "service"] }),
      () => store.latencyRows({ ...span, accountId: account(1), service: "radio", groupBy: ["hour"] }),
    ],
    healthRows: [
      () => store.healthRows({ fromHour: "2026-08-27", by: "day" }),
      () => store.healthRows({ fromHour: "2026-11-24T10", by: "hour" }),
    ],
    incidents: [() => store.incidents()],
    findIncident: [() => store.findIncident("incident-1"), () => store.findIncident("none")],
    createIncident: [
      () =>
        store.createIncident({
          ...{ id: "incident-new", title: "Slow", impact: "degraded", services: [], beginsAtMs: FILLED_AT_MS, endsAtMs: null },
          update: { state: "investigating", text: "We look into it." },
        }),
    ],
    addIncidentUpdate: [() => store.addIncidentUpdate("incident-new", { state: "resolved", text: "It is over." })],
    editIncidentUpdate: [() => store.editIncidentUpdate("incident-new", 1, "It was slow.")],
    updateIncident: [() => store.updateIncident("incident-new", { title: "Very slow" })],
    deleteIncident: [() => store.deleteIncident("incident-new")],
    logCalls: [() => store.logCalls(many.map(loggedCallOf))],
    callPage: [
      () => store.callPage(loggedCalls),
      () => store.callPage({ ...loggedCalls, before: { startedAtMs: FILLED_AT_MS - HOUR_MS, id: "call-1" } }),
      () => store.callPage({ ...loggedCalls, requestId: "request-1" }),
      () => store.callPage({ ...loggedCalls, result: "refused", outcome: "RATE_LIMITED", service: "radio", keyId: key(1) }),
      () => store.callPage({ ...loggedCalls, method: "m/Search", sinceMs: FILLED_AT_MS - DAY_MS, untilMs: FILLED_AT_MS }),
    ],
    keepsParameters: [() => store.keepsParameters(account(1))],
    setKeepsParameters: [() => store.setKeepsParameters(account(1), true), () => store.setKeepsParameters(account(1), false)],
    deleteExpired: [() => store.deleteExpired()],
  };
}
