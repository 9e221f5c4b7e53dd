// The audit trail: what every change records, how it is queried, and how it is bounded.
import { describe, expect, test } from "vitest";
import type { Actor, AuditEntry } from "../../../src/store/audit-records.ts";
import type { Store } from "../../../src/store/store.ts";
import { account, fails, newKey, nowMs, type Openers, radio } from "./samples.ts";

const alice: Actor = { kind: "operator", name: "alice", origin: "host-1" };
const owner: Actor = { kind: "owner", name: "a-1", origin: "192.0.2.7" };
const DAY_MS = 86_400_000;

const trail = async (store: Store, query = {}): Promise<readonly AuditEntry[]> =>
  (await store.auditPage({ limit: 100, ...query })).entries;

/** What every store records. */
export function auditSuite({ open, openEmpty }: Openers): void {
  describe("the audit trail", () => {
    test("records each change with its actor, origin and subject", async () => {
      const { store } = await openEmpty();
      const mine = store.by(alice);
      const { createAccount, setSuspended } = mine;
      await createAccount(account);
      await mine.createKey(newKey());
      await mine.updateKey("k-1", { disabled: true });
      await mine.updateKey("k-1", { disabled: false });
      await mine.updateKey("k-1", { services: ["radio"] });
      await mine.rotateKey("k-1", newKey({ id: "k-2", hash: "22", lastFour: "abcd" }), nowMs + 1000);
      await mine.revokeKey("k-2");
      await mine.createSubscription(radio);
      await mine.requestPlan("s-1", "pro");
      await mine.activate("s-1", "pro");
      await mine.credit("s-1", "2026-11", 50);
      await mine.credit("s-1", "2026-11", 5, "an outage");
      await mine.cancel("s-1");
      await setSuspended("a-1", true);
      await setSuspended("a-1", false);
      await mine.setOperator("a-1", true);
      await mine.setOperator("a-1", false);
      await mine.setOwnerPassword("a-1", "hash");
      await store.by(owner).changeOwnerPassword("a-1", { from: "hash", to: "next", currentTokenHash: "t" });
      await store
        .by({ ...owner, kind: "visitor", name: "" })
        .createOwnedAccount({ id: "a-2", name: "ada", email: "a@b.example" }, "h");
      await mine.note({ action: "quota.raise", accountId: null, details: { percent: 5 } });
      const key = { name: "first", last_four: "wxyz", services: null, expires_at: null };
      const plan = { service: "radio", plan: "free", requested_plan: null, state: "active" };
      const entries = (await trail(store)).toReversed();
      expect(entries.map(({ action, subject, details }) => [action, subject, details])).toEqual([
        ["account.create", null, { name: "acme" }],
        ["key.create", "k-1", key],
        ["key.disable", "k-1", key],
        ["key.enable", "k-1", key],
        ["key.update", "k-1", { ...key, services: ["radio"] }],
        [
          "key.rotate",
          "k-1",
          { ...key, services: ["radio"], expires_at: "2026-11-21T12:00:01.000Z", next_id: "k-2", next_last_four: "abcd" },
        ],
        ["key.revoke", "k-2", { ...key, last_four: "abcd", services: ["radio"] }],
        ["subscription.create", "s-1", plan],
        ["subscription.request", "s-1", { ...plan, requested_plan: "pro" }],
        ["subscription.activate", "s-1", { ...plan, plan: "pro" }],
        ["quota.credit", "s-1", { service: "radio", month: "2026-11", calls: 50, credited: 50 }],
        ["quota.credit", "s-1", { service: "radio", month: "2026-11", calls: 5, credited: 55, reason: "an outage" }],
        ["subscription.cancel", "s-1", { ...plan, plan: "pro", state: "cancelled" }],
        ["account.suspend", null, {}],
        ["account.resume", null, {}],
        ["account.appoint_operator", null, {}],
        ["account.dismiss_operator", null, {}],
        ["account.draw_password", null, {}],
        ["account.change_password", null, {}],
        ["account.sign_up", null, { name: "ada" }],
        ["quota.raise", null, { percent: 5 }],
      ]);
      expect(entries.map(({ actor }) => actor)).toEqual([
        ...new Array(18).fill(alice),
        owner,
        { kind: "visitor", name: "", origin: "192.0.2.7" },
        alice,
      ]);
      expect(entries.map(({ accountId, accountName }) => [accountId, accountName])).toEqual([
        ...new Array(19).fill(["a-1", "acme"]),
        ["a-2", "ada"],
        [null, null],
      ]);
      expect(new Set(entries.map(({ atMs }) => atMs))).toEqual(new Set([nowMs]));
    });

    test("records no refusals, reads or ends of sessions", async () => {
      const { store } = await open();
      const [created] = await trail(store);
      await fails(store.createAccount({ ...account, id: "a-2" }), "There is already an account called acme.");
      await fails(store.revokeKey("k-9"), "There is no key with the ID k-9.");
      await store.findAccount("acme");
      await store.setOwnerPassword("a-1", "hash");
      expect(await store.changeOwnerPassword("a-1", { from: "wrong", to: "next", currentTokenHash: "t" })).toBe(false);
      await store.beginSession({ tokenHash: "t", accountId: "a-1", passwordHash: "hash", expiresAtMs: nowMs + 1000 });
      await store.endSession("t");
      const [signIn, password, first, ...rest] = await trail(store);
      expect([signIn?.action, password?.action, first, rest]).toEqual(["account.sign_in", "account.draw_password", created, []]);
      expect(created?.actor).toEqual({ kind: "server", name: "", origin: "" });
    });

    test("records who signed in, from where and with which program, but not who failed to", async () => {
      const { store } = await open();
      await store.setOwnerPassword("a-1", "hash");
      const session = { tokenHash: "t-1", accountId: "a-1", passwordHash: "hash", expiresAtMs: nowMs + 1000 };
      expect(await store.beginSession({ ...session, address: "192.0.2.7", userAgent: "curl/8.0" })).toBe(true);
      expect(await store.beginSession({ ...session, tokenHash: "t-2", passwordHash: "wrong" })).toBe(false);
      expect(await store.beginSession({ ...session, tokenHash: "t-3" })).toBe(true);
      const signIns = (await trail(store, { actions: ["account.sign_in"] })).map(({ actor, details }) => [actor, details]);
      expect(signIns).toEqual([
        [{ ...owner, origin: "" }, {}],
        [owner, { user_agent: "curl/8.0" }],
      ]);
    });

    test("is filtered by account, action and time, and returned in pages, newest first", async () => {
      const { store, clock } = await open();
      await store.createAccount({ id: "a-2", name: "other", email: null });
      clock.advance(1000);
      await store.createKey(newKey());
      await store.revokeKey("k-1");
      const actions = async (query = {}) => (await trail(store, query)).map(({ action }) => action);
      expect(await actions()).toEqual(["key.revoke", "key.create", "account.create", "account.create"]);
      expect(await actions({ accountId: "a-2" })).toEqual(["account.create"]);
      expect(await actions({ actions: ["key.revoke", "account.create"] })).toEqual([
        "key.revoke",
        "account.create",
        "account.create",
      ]);
      expect(await actions({ sinceMs: nowMs + 1000 })).toEqual(["key.revoke", "key.create"]);
      expect(await actions({ untilMs: nowMs + 1000 })).toEqual(["account.create", "account.create"]);
      expect(await actions({ sinceMs: nowMs, untilMs: nowMs })).toEqual([]);
      const first = await store.auditPage({ limit: 3 });
      expect(first.hasMore).toBe(true);
      const last = await store.auditPage({ limit: 3, before: first.entries.at(-1)?.number });
      expect(last.entries.map(({ accountId }) => accountId)).toEqual(["a-1"]);
      expect(last.hasMore).toBe(false);
    });

    test("is filtered by the original lifetime of keys, whatever their names are", async () => {
      const { store } = await open();
      const hour = 3_600_000;
      const lives = [
        { id: "k-1", hash: "11", name: "console", lifetimeMs: hour },
        { id: "k-2", hash: "22", name: "longer", lifetimeMs: hour + 1 },
        { id: "k-3", hash: "33", name: 'x","short_lived":true,"y":"', lifetimeMs: null },
      ];
      for (const { lifetimeMs, ...key } of lives) {
        const expiresAtMs = lifetimeMs === null ? null : nowMs + lifetimeMs;
        await store.createKey(newKey({ ...key, hash: key.hash.repeat(32), lifetimeMs, expiresAtMs }));
      }
      await store.revokeKey("k-1");
      const subjects = async (query: object) =>
        (await trail(store, { actions: ["key.create", "key.revoke"], ...query })).map(({ subject }) => subject);
      expect(await subjects({})).toEqual(["k-1", "k-3", "k-2", "k-1"]);
      expect(await subjects({ withoutShortLivedKeys: true })).toEqual(["k-3", "k-2"]);
      const [created] = (await trail(store, { actions: ["key.create"] })).toReversed();
      expect(created?.details).toMatchObject({ name: "console", short_lived: true });
    });

    test("names the account of an actor's session, and is filtered by that name", async () => {
      const { store } = await open();
      await store.createAccount({ id: "a-2", name: "ops", email: null });
      await store.by({ kind: "signed_in_operator", name: "a-2", origin: "192.0.2.8" }).setSuspended("a-1", true);
      await store.by(owner).createKey(newKey());
      // The system user of this name is someone else.
      await store.by({ ...alice, name: "a-2" }).setSuspended("a-1", false);
      await store.by({ ...owner, name: "a-9" }).updateKey("k-1", { name: "other" });
      const names = async (query: object) => (await trail(store, query)).map(({ actorAccountName }) => actorAccountName);
      expect(await names({ accountId: "a-1" })).toEqual([null, null, "acme", "ops", null]);
      expect(await names({ actorAccountId: "a-2" })).toEqual(["ops"]);
      const actions = async (query: object) => (await trail(store, query)).map(({ action }) => action);
      expect(await actions({ actorAccountId: "a-1" })).toEqual(["key.create"]);
      expect(await actions({ commandLineUser: "a-2" })).toEqual(["account.resume"]);
      expect(await actions({ commandLineUser: "a-1" })).toEqual([]);
      expect(await actions({ actorKinds: ["owner"] })).toEqual(["key.update", "key.create"]);
      expect(await actions({ actorKinds: ["operator", "signed_in_operator"] })).toEqual(["account.resume", "account.suspend"]);
      expect(await actions({ actorKinds: ["owner"], actorAccountId: "a-2" })).toEqual([]);
    });

    test("deletes entries older than the retention time, with the next entry", async () => {
      const { store, clock } = await open();
      clock.advance(400 * DAY_MS);
      await store.setSuspended("a-1", true);
      expect(await trail(store)).toHaveLength(2);
      clock.advance(1);
      await store.setSuspended("a-1", false);
      expect((await trail(store)).map(({ action }) => action)).toEqual(["account.resume", "account.suspend"]);
    });

    test("keeps the latest 1000 sign-ins and short-lived keys of an account, which do not push out other entries", async () => {
      const { store, fixture } = await open();
      await store.setOwnerPassword("a-1", "hash");
      await fixture.run(`
        insert into audit_entries (at_ms, actor_kind, actor, origin, action, account_id, details, is_routine)
        with recursive n (i) as (select 1 union all select i + 1 from n where i < 1000)
        select ${nowMs}, 'owner', 'a-1', '', 'account.sign_in', case when i = 7 then 'a-2' else 'a-1' end, '{}', 1 from n
      `);
      const session = { tokenHash: "t-1", accountId: "a-1", passwordHash: "hash", expiresAtMs: nowMs + 1000 };
      await store.beginSession(session);
      await store.createKey(newKey({ lifetimeMs: 3_600_000, expiresAtMs: nowMs + 3_600_000 }));
      await store.revokeKey("k-1");
      const mine = (await trail(store, { accountId: "a-1", limit: 20_000 })).map(({ action }) => action);
      expect(mine.slice(0, 3)).toEqual(["key.revoke", "key.create", "account.sign_in"]);
      expect(mine.slice(-2)).toEqual(["account.draw_password", "account.create"]);
      expect(mine).toHaveLength(1002);
      expect(await trail(store, { accountId: "a-2" })).toHaveLength(1);
      await store.setSuspended("a-1", true);
      expect(await trail(store, { accountId: "a-1", limit: 20_000 })).toHaveLength(1003);
    });

    test("keeps the latest 10,000 entries of an account, without affecting others", async () => {
      const { store, fixture } = await open();
      await store.createAccount({ id: "a-2", name: "other", email: null });
      const columns = "at_ms, actor_kind, actor, origin, action, account_id, details";
      await fixture.run(`
        insert into audit_entries (${columns})
        with recursive n (i) as (select 1 union all select i + 1 from n where i < 10000)
        select ${nowMs}, 'owner', 'a-1', '', 'key.update', 'a-1', '{}' from n
      `);
      await store.setSuspended("a-1", true);
      const entries = await trail(store, { limit: 20_000 });
      expect(entries.filter(({ accountId }) => accountId === "a-1")).toHaveLength(10_000);
      expect(entries[0]?.action).toBe("account.suspend");
      expect(entries.at(-1)?.accountId).toBe("a-2");
    });
  });
}
