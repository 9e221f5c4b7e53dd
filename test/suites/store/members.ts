// Members of an account: invitations, roles, and what ends them.
import { describe, expect, test } from "vitest";
import type { Actor } from "../../../src/store/audit-records.ts";
import { MEMBERS_MAX, type MemberRole, type NewInvitation } from "../../../src/store/owner-records.ts";
import type { Store } from "../../../src/store/store.ts";
import { fails, nowMs, type Openers } from "./samples.ts";

const DAY_MS = 86_400_000;
const ada = { id: "a-2", name: "ada", email: "ada@example.com" };
const owner: Actor = { kind: "owner", name: "a-1", origin: "192.0.2.7" };
const asAda: Actor = { kind: "member", name: "a-2", origin: "192.0.2.8" };

const invitation = (changes: Partial<NewInvitation> = {}): NewInvitation => ({
  ...{ id: "i-1", accountId: "a-1", email: ada.email, role: "developer", tokenHash: "t-1", invitedBy: "a-1" },
  ...{ expiresAtMs: nowMs + 7 * DAY_MS, ...changes },
});
const open1 = { id: "i-1", email: ada.email, role: "developer", createdAtMs: nowMs, expiresAtMs: nowMs + 7 * DAY_MS } as const;
const primary = { id: "a-1", email: "ops@acme.example", role: "owner", isPrimaryOwner: true, joinedAtMs: nowMs } as const;
const adas = { id: "a-2", email: ada.email, role: "developer", isPrimaryOwner: false, joinedAtMs: nowMs } as const;

async function join(store: Store, person: { id: string; email: string }, role: MemberRole, accountId = "a-1"): Promise<void> {
  const tokenHash = `t-${accountId}-${person.id}`;
  await store.inviteMember(invitation({ id: `i-${accountId}-${person.id}`, accountId, email: person.email, role, tokenHash }));
  expect(await store.acceptInvitation(tokenHash, person.id)).toMatchObject({ accountId, role });
}

/** The tests that every store passes. */
export function membersSuite({ open }: Openers): void {
  const openWithAda = async () => {
    const opened = await open();
    await opened.store.setOwnerPassword("a-1", "hash");
    await opened.store.createOwnedAccount(ada, "hash");
    return opened;
  };

  describe("a member", () => {
    test("joins by an invitation, once, and is found on both sides", async () => {
      const { store } = await openWithAda();
      expect(await store.listMembers("a-1")).toEqual([primary]);
      expect(await store.inviteMember(invitation())).toEqual({ invitation: open1 });
      expect(await store.listInvitations("a-1")).toEqual([open1]);
      expect(await store.findMemberRole("a-1", "a-2")).toBeUndefined();
      const membership = { accountId: "a-1", name: "acme", email: "ops@acme.example", role: "developer", joinedAtMs: nowMs };
      expect(await store.acceptInvitation("t-1", "a-2")).toEqual(membership);
      expect(await store.acceptInvitation("t-1", "a-2")).toBeUndefined();
      expect(await store.findMemberRole("a-1", "a-2")).toBe("developer");
      expect(await store.findMemberRole("a-2", "a-1")).toBeUndefined();
      expect([await store.listMembers("a-1"), await store.listMemberships("a-2"), await store.listInvitations("a-1")]).toEqual([
        [primary, adas],
        [membership],
        [],
      ]);
    });

    test("joins once, even if two servers get the request at the same time", async () => {
      const { store, clock, fixture } = await openWithAda();
      const other = await fixture.open(clock);
      await store.inviteMember(invitation());
      const joined = await Promise.all([store.acceptInvitation("t-1", "a-2"), other.acceptInvitation("t-1", "a-2")]);
      expect(joined.filter((membership) => membership !== undefined)).toHaveLength(1);
    });

    test("gets another role, leaves or is removed; the primary owner does not", async () => {
      const { store } = await openWithAda();
      await join(store, ada, "developer");
      expect(await store.changeMemberRole("a-1", "a-2", "reader")).toEqual({ ...adas, role: "reader" });
      await store.by(owner).removeMember("a-1", "a-2");
      expect([await store.findMemberRole("a-1", "a-2"), await store.listMemberships("a-2")]).toEqual([undefined, []]);
      await fails(store.removeMember("a-1", "a-2"), "The account has no member with the ID a-2.");
      await fails(store.changeMemberRole("a-1", "a-2", "owner"), "The account has no member with the ID a-2.");
      const whose = "The primary owner, whose own account this is,";
      await fails(store.changeMemberRole("a-1", "a-1", "reader"), `${whose} always stays an owner.`);
      await fails(store.removeMember("a-1", "a-1"), `${whose} cannot leave it or be removed; they can delete the account.`);
    });

    test("is announced when they lose access, and recorded with the member who acted", async () => {
      const { store } = await openWithAda();
      await join(store, ada, "owner");
      const heard: (string | undefined)[] = [];
      store.onChange((accountId) => heard.push(accountId));
      await store.by(asAda).createKey({
        ...{ id: "k-1", accountId: "a-1", name: "hers", hash: "33".repeat(32), prefix: "qk_live_", lastFour: "wxyz" },
        ...{ services: null, expiresAtMs: null, lifetimeMs: null },
      });
      await store.by(owner).changeMemberRole("a-1", "a-2", "reader");
      await store.by(asAda).removeMember("a-1", "a-2");
      expect(heard.filter((accountId) => accountId === "a-1").length).toBeGreaterThanOrEqual(2);
      const { entries } = await store.auditPage({ accountId: "a-1", limit: 4 });
      expect(
        entries.map(({ action, actor, actorAccountName, subject, details }) => [action, actor, actorAccountName, subject, details]),
      ).toEqual([
        ["member.leave", asAda, "ada", "a-2", {}],
        ["member.change_role", owner, "acme", "a-2", { role: "reader" }],
        ["key.create", asAda, "ada", "k-1", expect.anything()],
        ["member.join", expect.anything(), null, "a-2", { role: "owner" }],
      ]);
    });

    test("loses the invitations that they sent when they lose the right to invite", async () => {
      const { store } = await openWithAda();
      await join(store, ada, "owner");
      const next = (id: string) => invitation({ id, email: `${id}@example.com`, tokenHash: id, invitedBy: "a-2" });
      await store.inviteMember(next("i-2"));
      await store.changeMemberRole("a-1", "a-2", "owner");
      expect(await store.listInvitations("a-1")).toHaveLength(1);
      await store.changeMemberRole("a-1", "a-2", "developer");
      expect(await store.listInvitations("a-1")).toEqual([]);
      await store.changeMemberRole("a-1", "a-2", "owner");
      await store.inviteMember(next("i-3"));
      await store.removeMember("a-1", "a-2");
      expect(await store.listInvitations("a-1")).toEqual([]);
    });

    test("is no longer one when either account is deleted, and leaves no address behind", async () => {
      const { store, fixture } = await openWithAda();
      await store.createOwnedAccount({ id: "a-3", name: "bob", email: "bob@example.com" }, "hash");
      await join(store, ada, "owner");
      await join(store, { id: "a-3", email: "bob@example.com" }, "reader");
      await store.by(asAda).inviteMember(invitation({ id: "i-9", email: "eve@example.com", tokenHash: "t-9", invitedBy: "a-2" }));
      await store.inviteMember(invitation({ id: "i-8", accountId: "a-3", email: ada.email, tokenHash: "t-8", invitedBy: "a-3" }));
      await store.deleteAccount("a-2");
      expect(await store.listMembers("a-1")).toEqual([primary, expect.objectContaining({ id: "a-3" })]);
      expect([await store.listInvitations("a-1"), await store.listInvitations("a-3")]).toEqual([[], []]);
      const { audit_entries: trail, invitations } = await fixture.dump();
      expect(JSON.stringify([trail, invitations])).not.toMatch(/ada@|192\.0\.2\.8/);
      await store.deleteAccount("a-1");
      expect(await store.listMemberships("a-3")).toEqual([]);
      expect((await fixture.dump()).members).toEqual([]);
    });
  });

  describe("an invitation", () => {
    test("is for its address alone, and stays open when somebody else tries it", async () => {
      const { store } = await openWithAda();
      await store.createOwnedAccount({ id: "a-3", name: "bob", email: "bob@example.com" }, "hash");
      await store.inviteMember(invitation());
      const message = "The invitation was sent to another address. Sign in with the address that it was sent to.";
      await fails(store.acceptInvitation("t-1", "a-3"), message);
      await fails(store.acceptInvitation("t-1", "a-1"), message);
      expect(await store.acceptInvitation("t-1", "a-2")).toMatchObject({ role: "developer" });
    });

    test("is replaced by the next to the same address, can be withdrawn, and ends after a week", async () => {
      const { store, clock, fixture } = await openWithAda();
      await store.inviteMember(invitation());
      await store.inviteMember(invitation({ id: "i-2", tokenHash: "t-2", role: "reader" }));
      expect(await store.listInvitations("a-1")).toEqual([{ ...open1, id: "i-2", role: "reader" }]);
      expect(await store.acceptInvitation("t-1", "a-2")).toBeUndefined();
      expect([await store.withdrawInvitation("a-2", "i-2"), await store.withdrawInvitation("a-1", "i-2")]).toEqual([false, true]);
      expect([await store.withdrawInvitation("a-1", "i-2"), await store.acceptInvitation("t-2", "a-2")]).toEqual([
        false,
        undefined,
      ]);
      await store.inviteMember(invitation({ id: "i-3", tokenHash: "t-3" }));
      clock.advance(7 * DAY_MS);
      expect([await store.acceptInvitation("t-3", "a-2"), await store.listInvitations("a-1")]).toEqual([undefined, []]);
      expect(await store.withdrawInvitation("a-1", "i-3")).toBe(false);
      clock.advance(1);
      await store.deleteExpired();
      expect((await fixture.dump()).invitations).toEqual([]);
    });

    test("is refused for a member, beyond 20 open ones, and beyond 30 a day", async () => {
      const { store, clock } = await openWithAda();
      const member = "A person with this address is already a member.";
      await fails(store.inviteMember(invitation({ email: "ops@acme.example" })), member);
      await join(store, ada, "reader");
      await fails(store.inviteMember(invitation()), member);
      const nth = (n: number, id = `i-${n}`) => invitation({ id, email: `p${n}@example.com`, tokenHash: id });
      for (let n = 1; n <= 20; n += 1) {
        await store.inviteMember(nth(n));
      }
      const full = "The account has 20 pending invitations, which is the maximum. Withdraw one first.";
      await fails(store.inviteMember(nth(21)), full);
      // The one to Ada was the first of the day.
      for (let n = 1; n <= 9; n += 1) {
        await store.inviteMember(nth(n, `again-${n}`));
      }
      clock.advance(1000);
      expect(await store.inviteMember(nth(1, "too-many"))).toEqual({ waitMs: DAY_MS - 1000 });
      clock.advance(DAY_MS - 1000);
      expect(await store.inviteMember(nth(1, "next-day"))).toMatchObject({ invitation: { id: "next-day" } });
    });

    test("is refused, and not accepted, once the account has 50 members", async () => {
      const { store, fixture } = await openWithAda();
      await store.inviteMember(invitation());
      const rows = Array.from({ length: MEMBERS_MAX }, (_, n) => `('a-1', 'm-${n}', 'reader', ${nowMs})`);
      await fixture.run(`
        insert into accounts (id, name, email, suspended, created_at_ms)
          values ${rows.map((_, n) => `('m-${n}', 'member-${n}', null, 0, ${nowMs})`).join(", ")};
        insert into members (account_id, member_account_id, role, created_at_ms) values ${rows.join(", ")};
      `);
      const full = "The account has 50 members, which is the maximum. Remove one first.";
      await fails(store.acceptInvitation("t-1", "a-2"), full);
      await fails(store.inviteMember(invitation({ id: "i-2", email: "bob@example.com", tokenHash: "t-2" })), full);
      await store.removeMember("a-1", "m-0");
      expect(await store.acceptInvitation("t-1", "a-2")).toMatchObject({ accountId: "a-1" });
    });

    test("is not accepted by a person with 100 memberships, and not sent for an account that does not exist", async () => {
      const { store, fixture } = await openWithAda();
      await store.inviteMember(invitation());
      const rows = Array.from({ length: 100 }, (_, n) => n);
      await fixture.run(`
        insert into accounts (id, name, email, suspended, created_at_ms)
          values ${rows.map((n) => `('m-${n}', 'other-${n}', null, 0, ${nowMs})`).join(", ")};
        insert into members (account_id, member_account_id, role, created_at_ms)
          values ${rows.map((n) => `('m-${n}', 'a-2', 'reader', ${nowMs})`).join(", ")};
      `);
      await fails(store.acceptInvitation("t-1", "a-2"), "You are a member of 100 accounts, which is the maximum. Leave one first.");
      await fails(store.inviteMember(invitation({ accountId: "a-9" })), "There is no account with the ID a-9.");
    });
  });
}
