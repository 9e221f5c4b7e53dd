// Passwords and sessions on a store of its own. The library asks the machine for the time and takes no clock, so the machine's stands still
// until a test moves it.
import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Sessions } from "../../src/account/sessions.ts";
import { StoreUnavailable } from "../../src/store/store.ts";
import { ada, openOwnedAccount } from "./owned-account.ts";

const nowMs = Date.UTC(2026, 10, 21, 12);
const dayMs = 86_400_000;
const token = /^[0-9A-Za-z]{32}$/;

beforeEach(() => {
  vi.useFakeTimers({ now: nowMs, toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a session", () => {
  test("begins with a token, lasts for 7 days, and is its owner's", async () => {
    const { sessions } = await openOwnedAccount();
    const begun = await sessions.begin("a-1");
    expect(begun).toEqual({ token: expect.stringMatching(token), expiresAtMs: nowMs + 7 * dayMs });
    expect(await sessions.find(begun.token)).toEqual({ accountId: "a-1", expiresAtMs: begun.expiresAtMs });
  });

  test("is nobody's under another token", async () => {
    const { sessions } = await openOwnedAccount();
    const { token } = await sessions.begin("a-1");
    const hash = createHash("sha256").update(token).digest("hex");
    const others = ["", "x".repeat(32), token.slice(1), `${token}x`, token.toLowerCase(), hash, `${token}.signature`, "%00", "'--"];
    expect(await Promise.all(others.map((other) => sessions.find(other)))).toEqual(others.map(() => undefined));
  });

  test("is over when it is ended, and the owner's others are not", async () => {
    const { sessions } = await openOwnedAccount();
    const [first, second] = [await sessions.begin("a-1"), await sessions.begin("a-1")];
    await sessions.end(first.token);
    await sessions.end("x".repeat(32));
    expect(await sessions.find(first.token)).toBeUndefined();
    expect(await sessions.find(second.token)).toEqual({ accountId: "a-1", expiresAtMs: second.expiresAtMs });
  });

  test.for([
    { usedAfterMs: dayMs - 1, endsAfterMs: 7 * dayMs },
    { usedAfterMs: dayMs, endsAfterMs: 8 * dayMs },
    { usedAfterMs: 7 * dayMs - 1, endsAfterMs: 14 * dayMs - 1 },
  ])("that is used after $usedAfterMs ms ends after $endsAfterMs ms", async ({ usedAfterMs, endsAfterMs }) => {
    const { sessions, sessionRows } = await openOwnedAccount();
    const { token } = await sessions.begin("a-1");
    vi.setSystemTime(nowMs + usedAfterMs);
    expect(await sessions.find(token)).toEqual({ accountId: "a-1", expiresAtMs: nowMs + endsAfterMs });
    expect((await sessionRows()).map((row) => row.expires_at)).toEqual([new Date(nowMs + endsAfterMs).toISOString()]);
    vi.setSystemTime(nowMs + endsAfterMs + 1);
    expect(await sessions.find(token)).toBeUndefined();
  });

  test("that has ended without being used again is forgotten when its owner's next begins", async () => {
    const { sessions, store, sessionRows } = await openOwnedAccount();
    await store.createOwnedAccount({ id: "a-2", name: "bob", email: "bob@example.com" }, "hash");
    await sessions.begin("a-1");
    await sessions.begin("a-2");
    vi.setSystemTime(nowMs + dayMs);
    await sessions.begin("a-1");
    expect(await sessionRows()).toHaveLength(3);
    vi.setSystemTime(nowMs + 7 * dayMs);
    await sessions.begin("a-1");
    const at = (ms: number) => new Date(nowMs + ms).toISOString();
    expect((await sessionRows()).map((row) => [row.owner_id, row.created_at])).toEqual([
      ["a-2", at(0)],
      ["a-1", at(dayMs)],
      ["a-1", at(7 * dayMs)],
    ]);
  });
});

describe("signing in", () => {
  test("begins a session of whoever has the address", async () => {
    const { sessions } = await openOwnedAccount();
    const begun = await sessions.signIn(ada.email, ada.password);
    expect(begun).toEqual({ accountId: "a-1", token: expect.stringMatching(token), expiresAtMs: nowMs + 7 * dayMs });
    expect(await sessions.find(begun?.token ?? "")).toEqual({ accountId: "a-1", expiresAtMs: nowMs + 7 * dayMs });
  });

  test("takes capital letters in the address for small ones", async () => {
    const { sessions } = await openOwnedAccount();
    expect((await sessions.signIn("ADA@Example.COM", ada.password))?.accountId).toBe("a-1");
  });

  test.for([
    { fault: "another password", email: ada.email, password: "incorrect horse" },
    { fault: "the password in capital letters", email: ada.email, password: ada.password.toUpperCase() },
    { fault: "no password", email: ada.email, password: "" },
    { fault: "a password that is longer than any", email: ada.email, password: "x".repeat(10_000) },
    { fault: "an address that nobody has", email: "bob@example.com", password: ada.password },
    { fault: "what is no address", email: "nobody", password: ada.password },
    { fault: "no address", email: "", password: ada.password },
  ])("with $fault is answered with nothing, and begins none", async ({ email, password }) => {
    const { sessions, sessionRows } = await openOwnedAccount();
    expect(await sessions.signIn(email, password)).toBeUndefined();
    expect(await sessionRows()).toEqual([]);
  });

  test.for([
    { kind: "128 characters of two code units each", password: "🔑".repeat(128) },
    { kind: "128 letters", password: "x".repeat(128) },
    { kind: "every kind of character", password: " \u0000\t\n'\"\\%;--<é\u0301ﷺ\ufeff " },
  ])("works with $kind as the password", async ({ password }) => {
    const { sessions } = await openOwnedAccount(password);
    expect((await sessions.signIn(ada.email, password))?.accountId).toBe("a-1");
  });
});

describe("a password", () => {
  test("is changed by whoever knows it, and ends the owner's other sessions", async () => {
    const { sessions, store } = await openOwnedAccount();
    await store.createOwnedAccount({ id: "a-2", name: "bob", email: "bob@example.com" }, "hash");
    const [own, other, bobs] = [await sessions.begin("a-1"), await sessions.begin("a-1"), await sessions.begin("a-2")];
    const session = { accountId: "a-1", token: own.token };
    expect(await sessions.changePassword(session, ada.password, "another horse battery")).toBe(true);
    const found = await Promise.all([own, other, bobs].map(({ token }) => sessions.find(token)));
    expect(found.map((session) => session?.accountId)).toEqual(["a-1", undefined, "a-2"]);
    expect(await sessions.signIn(ada.email, ada.password)).toBeUndefined();
    expect((await sessions.signIn(ada.email, "another horse battery"))?.accountId).toBe("a-1");
  });

  test("stays, and the sessions with it, where the current one is wrong", async () => {
    const { sessions, sessionRows } = await openOwnedAccount();
    const { token } = await sessions.begin("a-1");
    await sessions.begin("a-1");
    const rows = await sessionRows();
    expect(await sessions.changePassword({ accountId: "a-1", token }, "incorrect horse", "another horse")).toBe(false);
    expect(await sessions.changePassword({ accountId: "a-9", token }, ada.password, "another horse")).toBe(false);
    expect(await sessionRows()).toEqual(rows);
    expect((await sessions.signIn(ada.email, ada.password))?.accountId).toBe("a-1");
  });

  test("and a token are in no file of the store, but their hashes", async () => {
    const { sessions, store, sessionRows, contents } = await openOwnedAccount();
    const begun = [await sessions.begin("a-1"), await sessions.signIn(ada.email, ada.password)];
    vi.setSystemTime(nowMs + dayMs);
    const [own = "", other = ""] = begun.map((session) => session?.token);
    await sessions.find(own);
    const hashes = [own, other].map((token) => createHash("sha256").update(token).digest("hex"));
    expect((await sessionRows()).map((row) => row.token_hash).toSorted()).toEqual(hashes.toSorted());
    await sessions.changePassword({ accountId: "a-1", token: own }, ada.password, "another horse battery");
    const page = { limit: 10, offset: 0, orderBy: undefined };
    expect((await store.selectRows("owner_credentials", [], page)).map((row) => row.password)).toEqual([
      expect.stringMatching(/^[0-9a-f]{32}:[0-9a-f]{128}$/),
    ]);
    const kept = contents();
    const wanted = [ada.email, ...hashes, own, other, ada.password, "another horse battery"];
    expect(wanted.filter((text) => kept.includes(text))).toEqual([ada.email, ...hashes]);
  });
});

test.for<{ name: string; ask: (sessions: Sessions) => Promise<unknown> }>([
  { name: "begin", ask: (sessions) => sessions.begin("a-1") },
  { name: "signIn", ask: (sessions) => sessions.signIn(ada.email, ada.password) },
  { name: "find", ask: (sessions) => sessions.find("x".repeat(32)) },
  {
    name: "changePassword",
    ask: (sessions) => sessions.changePassword({ accountId: "a-1", token: "x".repeat(32) }, ada.password, "another horse"),
  },
  { name: "end", ask: (sessions) => sessions.end("x".repeat(32)) },
])("$name says so when the store cannot be asked", async ({ ask }) => {
  const { sessions, store } = await openOwnedAccount();
  await store.close();
  await expect(ask(sessions)).rejects.toThrow(new StoreUnavailable("The store is closed."));
});
