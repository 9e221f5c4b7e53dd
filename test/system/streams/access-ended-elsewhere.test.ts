// The open streams of an account and of its members end when a call to another node, on the same PostgreSQL, ends the access to it. The
// nodes' time stands still: a stream that only checked its session from time to time would not end.

import { hashSecret } from "@quintet/guard";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemRandomness } from "../../../src/runtime/randomness.ts";
import type { MemberRole } from "../../../src/store/owner-records.ts";
import type { Gateway } from "../../fixtures/gateway.ts";
import { type PostgresServer, postgres, startPostgres } from "../../fixtures/servers/postgres.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { sharedTime } from "../../workers/clock-of-threads.ts";
import { rest } from "../account-services/clients.ts";
import { type Headers, METHODS, PASSWORD, Person } from "../account-services/person.ts";
import { type OpenStream, startNodes, watch, watchCalls } from "./open-streams.ts";

const TOKEN = "0123456789abcdefghijABCDEFGHIJxy";

/** Who watches: Ada her own account's calls, Bob those of Ada's account, of which he is a member, Bob those of his own, and Ada's key prices. */
type Watcher = "ada" | "bob" | "own" | "key";

/** How the streams that continue end at last, when both accounts are suspended. */
const SUSPENDED: Readonly<Record<Watcher, string>> = {
  ...{ ada: "ACCOUNT_SUSPENDED", bob: "ACCOUNT_SUSPENDED", own: "ACCOUNT_SUSPENDED", key: "SUBSCRIPTION_REQUIRED" },
};

interface Team {
  readonly there: Gateway;
  /** Ada, at the other node. */
  readonly person: Person;
  readonly ada: Headers;
  readonly bob: Headers;
  /** Bob's session, for Ada's account. */
  readonly shared: Headers;
  readonly adaId: string;
  readonly bobId: string;
}

/** How access ends, by a call to the other node, and the reasons with which streams end. The others continue. */
interface Way {
  readonly when: string;
  readonly role?: MemberRole;
  end(team: Team): Promise<unknown>;
  readonly ends: Partial<Record<Watcher, string>>;
}

const WAYS: readonly Way[] = [
  {
    when: "a member is removed",
    end: ({ person, ada, bobId }) => person.take(METHODS.removeMember, { member_id: bobId }, ada),
    ends: { bob: "ACCOUNT_MISMATCH" },
  },
  {
    when: "a member leaves the account",
    end: ({ person, shared }) => person.take(METHODS.removeMember, { member_id: "me" }, shared),
    ends: { bob: "ACCOUNT_MISMATCH" },
  },
  {
    when: "a member signs out",
    end: ({ person, bob }) => person.take(METHODS.endSessions, { current: true }, bob),
    ends: { bob: "SESSION_INVALID", own: "SESSION_INVALID" },
  },
  {
    when: "a member deletes their own account",
    end: ({ person, bob }) => person.take(METHODS.deleteAccount, { password: PASSWORD }, bob),
    ends: { bob: "SESSION_INVALID", own: "SESSION_INVALID" },
  },
  {
    when: "a member is suspended",
    end: ({ there, bobId }) => there.store.setSuspended(bobId, true),
    ends: { bob: "ACCOUNT_SUSPENDED", own: "ACCOUNT_SUSPENDED" },
  },
  {
    when: "the account is suspended",
    end: ({ there, adaId }) => there.store.setSuspended(adaId, true),
    ends: { ada: "ACCOUNT_SUSPENDED", bob: "ACCOUNT_SUSPENDED", key: "SUBSCRIPTION_REQUIRED" },
  },
  {
    when: "the account is deleted",
    end: ({ person, ada }) => person.take(METHODS.deleteAccount, { password: PASSWORD }, ada),
    ends: { ada: "SESSION_INVALID", bob: "ACCOUNT_MISMATCH", key: "KEY_INVALID" },
  },
  {
    when: "the password of the account, whose address was never verified, is reset, which removes its members",
    async end({ there, person, adaId }) {
      const link = { purpose: "reset", email: "ada@example.com", accountId: adaId, passwordHash: null } as const;
      await there.store.addMailToken({ ...link, tokenHash: hashSecret(TOKEN), expiresAtMs: Date.UTC(2026, 11, 1) });
      await person.take(METHODS.resetPassword, { token: TOKEN, new_password: "five loaded dice" });
    },
    ends: { ada: "SESSION_INVALID", bob: "ACCOUNT_MISMATCH" },
  },
  {
    when: "a member gets another role that may watch",
    role: "owner",
    end: ({ person, ada, bobId }) => person.take(METHODS.changeMemberRole, { member_id: bobId, role: "MEMBER_ROLE_READER" }, ada),
    ends: {},
  },
];

describeWith(postgres, "Two nodes on one PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  const time = sharedTime();
  const pass = (ms: number): void => void Atomics.add(time, 0, ms);

  test.each(WAYS)("when $when, streams on the other node end, and only those", async ({ end, ends, role = "reader" }) => {
    const [here, there] = await startNodes(server, time);
    const at = ({ origin }: Gateway) => new Person({ origin: () => origin, pass() {}, onceKnown: (call) => call() }, rest);
    const person = at(here);
    const [ada, bob] = [await person.begin("ada@example.com"), await person.begin("bob@example.com")];
    const idOf = async (session: Headers): Promise<string> =>
      (await person.take<{ account: { id: string } }>(METHODS.getAccount, {}, session)).account.id;
    const [adaId, bobId] = [await idOf(ada), await idOf(bob)];
    const invitation = { id: systemRandomness.uuid(), accountId: adaId, email: "bob@example.com", role, invitedBy: adaId };
    await here.store.inviteMember({ ...invitation, tokenHash: "t-1", expiresAtMs: Date.UTC(2026, 11, 1) });
    await here.store.acceptInvitation("t-1", bobId);
    await person.take(METHODS.setSubscription, { service: "token-price", plan: "free" }, ada);
    const { secret } = await person.take<{ secret: string }>(METHODS.createKey, {}, ada);
    const shared = { ...bob, "x-quintet-account": adaId };
    const streams: Record<Watcher, OpenStream> = {
      ada: await watchCalls(here.origin, ada),
      bob: await watchCalls(here.origin, shared),
      own: await watchCalls(here.origin, bob),
      key: await watch(here.origin, secret, pass),
    };
    const [ended, staying] = [Object.keys(ends), Object.keys(streams).filter((name) => !(name in ends))] as [Watcher[], Watcher[]];
    const reasonsOf = async (names: readonly Watcher[]) =>
      Object.fromEntries(await Promise.all(names.map(async (name) => [name, await streams[name].ended] as const)));
    await end({ there, person: at(there), ada, bob, shared, adaId, bobId });
    expect(await reasonsOf(ended)).toEqual(ends);
    const watched = new Set(staying.map((name) => (name === "own" ? bobId : adaId)));
    for (const accountId of watched) {
      await there.store.setSuspended(accountId, true);
    }
    expect(await reasonsOf(staying)).toEqual(Object.fromEntries(staying.map((name) => [name, SUSPENDED[name]])));
  });
});
