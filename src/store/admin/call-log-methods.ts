// The store's methods for an account's call log.
import { callPage, keepsParameters, setKeepsParameters, stripParameters } from "../repositories/logged-calls.ts";
import type { AdminStore } from "../store.ts";
import type { AuditedChanges } from "./audited-changes.ts";

export function callLogMethods({ read, write, writeAudited }: AuditedChanges) {
  return {
    callPage: (query) => read((db) => callPage(db, query)),
    keepsParameters: (accountId) => read((db) => keepsParameters(db, accountId)),
    async setKeepsParameters(accountId, keeps) {
      await writeAudited(
        (db) => setKeepsParameters(db, accountId, keeps),
        () => ({ action: keeps ? "account.keep_parameters" : "account.drop_parameters", accountId }),
      );
      if (!keeps) {
        while (await write((db) => stripParameters(db, accountId))) {
          // Each batch is a transaction of its own, so that other writes do not have to wait for the whole log.
        }
      }
    },
  } satisfies Partial<AdminStore>;
}
