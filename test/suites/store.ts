// The suite for every store, whatever its database. The test file of each database calls this with a function that opens a new, empty
// store.
import { createManualClock } from "../fixtures/manual-clock.ts";
import { accountChangesSuite } from "./store/account-changes.ts";
import { accountDeletionSuite } from "./store/account-deletion.ts";
import { accountsSuite } from "./store/accounts.ts";
import { alertsSuite } from "./store/alerts.ts";
import { auditSuite } from "./store/audit.ts";
import { countBatchesSuite } from "./store/count-batches.ts";
import { expiredRowsSuite } from "./store/expired-rows.ts";
import { healthSuite } from "./store/health.ts";
import { incidentsSuite } from "./store/incidents.ts";
import { keyCapsSuite } from "./store/key-caps.ts";
import { keysSuite } from "./store/keys.ts";
import { latencySuite } from "./store/latency.ts";
import { leasesSuite } from "./store/leases.ts";
import { lifecycleSuite } from "./store/lifecycle.ts";
import { loggedCallsSuite } from "./store/logged-calls.ts";
import { mailTokensSuite } from "./store/mail-tokens.ts";
import { mailboxesSuite } from "./store/mailboxes.ts";
import { membersSuite } from "./store/members.ts";
import { ownersSuite } from "./store/owners.ts";
import { paidPeriodsSuite } from "./store/paid-periods.ts";
import { passkeysSuite } from "./store/passkeys.ts";
import { planVersionsSuite } from "./store/plan-versions.ts";
import { quotaRaisesSuite } from "./store/quota-raises.ts";
import { refusalsSuite } from "./store/refusals.ts";
import { account, nowMs, type OpenedStore, type Openers, type StoreFixture } from "./store/samples.ts";
import { sessionsSuite } from "./store/sessions.ts";
import { subscriptionsSuite } from "./store/subscriptions.ts";
import { twoFactorSuite } from "./store/two-factor.ts";
import { usageSuite } from "./store/usage.ts";
import { webhooksSuite } from "./store/webhooks.ts";

/** Functions that open stores for tests. `prepare` is called once in each test. */
export function openersOf(prepare: () => StoreFixture): Openers {
  const openEmpty = async (): Promise<OpenedStore> => {
    const clock = createManualClock({ nowMs });
    const fixture = prepare();
    return { store: await fixture.open(clock), clock, fixture };
  };
  const open = async (): Promise<OpenedStore> => {
    const opened = await openEmpty();
    await opened.store.createAccount(account);
    return opened;
  };
  return { openEmpty, open };
}

/** The suite. `prepare` is called once in each test. */
export function storeSuite(prepare: () => StoreFixture): void {
  const openers = openersOf(prepare);
  accountsSuite(openers);
  keysSuite(openers);
  subscriptionsSuite(openers);
  leasesSuite(openers);
  keyCapsSuite(openers);
  quotaRaisesSuite(openers);
  incidentsSuite(openers);
  usageSuite(openers);
  countBatchesSuite(openers);
  refusalsSuite(openers);
  ownersSuite(openers);
  sessionsSuite(openers);
  auditSuite(openers);
  accountChangesSuite(openers);
  accountDeletionSuite(openers);
  mailboxesSuite(openers);
  expiredRowsSuite(openers);
  mailTokensSuite(openers);
  alertsSuite(openers);
  webhooksSuite(openers);
  twoFactorSuite(openers);
  paidPeriodsSuite(openers);
  passkeysSuite(openers);
  planVersionsSuite(openers);
  membersSuite(openers);
  healthSuite(openers);
  latencySuite(openers);
  loggedCallsSuite(openers);
  lifecycleSuite(openers);
}
