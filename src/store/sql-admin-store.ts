// The operators' and customers' side of the SQL store, composed of the methods in `admin`.
import { accountMethods } from "./admin/account-methods.ts";
import { alertSettingsMethods } from "./admin/alert-methods.ts";
import { createAuditedChanges, type SqlAdminStoreOptions } from "./admin/audited-changes.ts";
import { callLogMethods } from "./admin/call-log-methods.ts";
import { incidentMethods } from "./admin/incident-methods.ts";
import { keyMethods } from "./admin/key-methods.ts";
import { memberMethods } from "./admin/member-methods.ts";
import { ownerMethods } from "./admin/owner-methods.ts";
import { passkeyMethods } from "./admin/passkey-methods.ts";
import { sessionMethods } from "./admin/session-methods.ts";
import { subscriptionMethods } from "./admin/subscription-methods.ts";
import { twoFactorMethods } from "./admin/two-factor-methods.ts";
import { webhookSettingsMethods } from "./admin/webhook-methods.ts";
import type { Actor } from "./audit-records.ts";
import type { OwnerStore } from "./owner-store.ts";
import { auditPage } from "./repositories/audit.ts";
import { leasedCapCalls, raiseCaps } from "./repositories/key-caps.ts";
import { latencyRows } from "./repositories/latency.ts";
import { leasedCalls } from "./repositories/leases.ts";
import { addQuotaRaise, chargeRaise } from "./repositories/quota-raises.ts";
import { refusalRows } from "./repositories/refusals.ts";
import { topAccounts } from "./repositories/top-accounts.ts";
import { usageRows } from "./repositories/usage.ts";
import type { AdminStore } from "./store.ts";

export function createSqlAdminStore(options: SqlAdminStoreOptions, actor: Actor): AdminStore & OwnerStore {
  const { backend, auditDays, countAggregator, run } = options;
  const changes = createAuditedChanges(options, actor);
  const { read, write, record } = changes;
  return {
    by: (other) => createSqlAdminStore(options, other),
    note: (note) => write((db) => record(db, note)),
    auditPage: async (query) => ({ ...(await read((db) => auditPage(db, query))), keptDays: auditDays }),
    ...accountMethods(changes),
    ...keyMethods(changes),
    ...subscriptionMethods(changes),
    acknowledged: () => backend.acknowledged(),
    nodes: () => run(() => backend.nodes()),
    leasedCalls: (ids, month) => read((db) => leasedCalls(db, ids, month)),
    leasedCapCalls: (caps, month) => read((db) => leasedCapCalls(db, caps, month)),
    raiseCaps: (raise, requestsPerSecond) => write((db) => raiseCaps(db, raise, requestsPerSecond)),
    addQuotaRaise: (raise) => write((db) => addQuotaRaise(db, raise, changes.nowMs())),
    chargeRaise: (raise, terms, service, accountIds) => write((db) => chargeRaise(db, raise, terms, service, accountIds)),
    usageRows: (query) => changes.addUpThen(query.accountId, () => usageRows(backend, query)),
    refusalRows: (query) => changes.addUpThen(query.accountId, () => refusalRows(backend, query)),
    latencyRows: (query) => run(() => latencyRows(backend, query)),
    topAccounts: (query) =>
      run(async () => {
        await countAggregator.addUpAll();
        return topAccounts(backend, query);
      }),
    ...ownerMethods(changes),
    ...sessionMethods(changes),
    ...alertSettingsMethods(changes),
    ...webhookSettingsMethods(changes),
    ...twoFactorMethods(changes),
    ...passkeyMethods(changes),
    ...callLogMethods(changes),
    ...incidentMethods(changes),
    ...memberMethods(changes),
  };
}
