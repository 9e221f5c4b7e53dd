// What each change of an account ends and what it leaves, one row per change. The table in docs/accounts.md says the same.
import { describe, expect, test } from "vitest";
import type { Store } from "../../../src/store/store.ts";
import { account, newKey, nowMs, type Openers, radio } from "./samples.ts";

const later = nowMs + 3_600_000;
const REST = ["other session", "reset link", "verify link", "key", "subscription"] as const;
const ALL = ["this session", ...REST] as const;

interface Row {
  readonly change: string;
  make(store: Store): Promise<unknown>;
  /** What still works. */
  readonly left: readonly string[];
}

const ROWS: readonly Row[] = [
  {
    change: "the owner changes the password",
    make: (store) => store.changeOwnerPassword("a-1", { from: "hash", to: "next", currentTokenHash: "s-1" }),
    left: ["this session", "key", "subscription"],
  },
  { change: "an operator sets a password", make: (store) => store.setOwnerPassword("a-1", "next"), left: ["key", "subscription"] },
  {
    change: "a link resets the password",
    make: (store) => store.resetPassword("t-reset-2", "next"),
    left: ["key", "subscription"],
  },
  { change: "the address is verified", make: (store) => store.verifyEmail("t-verify-2", undefined), left: ALL },
  {
    change: "the owner changes the address",
    make: (store) => store.changeOwnerEmail("a-1", { to: "new@acme.example", currentTokenHash: "s-1" }),
    left: ["this session", "key", "subscription"],
  },
  {
    change: "a link changes the address",
    make: async (store) => (await store.changeEmailByLink("t-change")) !== undefined,
    left: ["key", "subscription"],
  },
  { change: "someone signs in", make: (store) => begin(store, `s-${drawn++}`), left: ALL },
  { change: "the session ends", make: (store) => store.endSession("s-1"), left: REST },
  {
    change: "the other sessions end",
    make: (store) => store.endOtherSessions("a-1", "s-1"),
    left: ALL.filter((each) => each !== "other session"),
  },
  { change: "the account is suspended", make: (store) => store.setSuspended("a-1", true), left: ALL },
  { change: "the owner becomes an operator", make: (store) => store.setOperator("a-1", true), left: ["key", "subscription"] },
  { change: "the account is deleted", make: (store) => store.deleteAccount("a-1"), left: [] },
];

let drawn = 3;

const begin = (store: Store, tokenHash: string) =>
  store.beginSession({ tokenHash, accountId: "a-1", passwordHash: "hash", expiresAtMs: later });

async function fill(store: Store): Promise<void> {
  await store.setOwnerPassword("a-1", "hash");
  await begin(store, "s-1");
  await begin(store, "s-2");
  for (const purpose of ["reset", "verify"] as const) {
    for (const number of [1, 2]) {
      const tokenHash = `t-${purpose}-${number}`;
      await store.addMailToken({ tokenHash, purpose, email: account.email, accountId: "a-1", expiresAtMs: later });
    }
  }
  await store.addMailToken({
    ...{ tokenHash: "t-change", purpose: "change_email", email: "new@acme.example", accountId: "a-1" },
    expiresAtMs: later,
  });
  await store.createKey(newKey());
  await store.createSubscription(radio);
}

async function working(store: Store): Promise<readonly string[]> {
  const found: Record<(typeof ALL)[number], unknown> = {
    "this session": await store.findSession("s-1"),
    "other session": await store.findSession("s-2"),
    "reset link": await store.findMailToken("t-reset-1"),
    "verify link": await store.findMailToken("t-verify-1"),
    key: await store.findCredential(newKey().hash),
    subscription: await store.findSubscription("a-1", "radio"),
  };
  return ALL.filter((name) => found[name] !== undefined);
}

/** The tests that every store passes. */
export function accountChangesSuite({ open }: Openers): void {
  describe("what a change of an account ends", () => {
    test.for(ROWS)("$change", async ({ make, left }) => {
      const { store } = await open();
      await fill(store);
      expect(await working(store)).toEqual(ALL);
      await make(store);
      expect(await working(store)).toEqual(left);
    });

    // Each pair at once, on two connections: each is done or refused, and neither restores what the other ends.
    const both = ROWS.flatMap((first, index) => ROWS.slice(index).map((second) => ({ first, second })));
    test.for(both)("$first.change, while $second.change", async ({ first, second }) => {
      const { store, clock, fixture } = await open();
      const other = await fixture.open(clock);
      await fill(store);
      // A process that announces its change while another one does waits by this clock.
      const passing = setInterval(() => clock.advance(1), 1);
      const done = await Promise.allSettled([first.make(store), second.make(other)]);
      await Promise.all([store, other].map((each) => each.acknowledged()));
      clearInterval(passing);
      const refused = done.flatMap((each) => (each.status === "rejected" ? [String(each.reason)] : []));
      expect(refused.filter((reason) => reason !== "StoreConflict: There is no account with the ID a-1.")).toEqual([]);
      // The second may have been refused, and then ends nothing.
      const changes = [first, second].filter((_, index) => {
        const each = done[index];
        return each?.status === "fulfilled" && each.value !== false;
      });
      expect(changes.length).toBeGreaterThan(0);
      expect(await working(store)).toEqual(ALL.filter((name) => changes.every(({ left }) => left.includes(name))));
    });
  });
}
