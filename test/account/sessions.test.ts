// Sessions with their own store and the account of Ada, whose password is `right`.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { UNKNOWN_CALLER_PRIORITY } from "../../src/account/password-queue.ts";
import { SANDBOX_PASSWORD } from "../../src/account/password-rules.ts";
import type { Passwords } from "../../src/account/passwords.ts";
import { Sessions } from "../../src/account/sessions.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { openStore } from "../../src/store/open.ts";
import { StoreUnavailable } from "../../src/store/store-errors.ts";
import { createCountingRandomness } from "../fixtures/counting-randomness.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";
import { temporaryDataDirectory } from "../fixtures/migrated-data.ts";
import { quickPasswords } from "../fixtures/quick-passwords.ts";
import { plainHash, plainPasswords } from "./plain-passwords.ts";

const nowMs = Date.UTC(2026, 10, 21, 12);
const hourMs = 3_600_000;
const weekMs = 7 * 24 * hourMs;
const address = "ada@example.com";
const [next, last] = ["correct horse battery", "staple pencil giraffe"] as const;
const priorityOf = () => UNKNOWN_CALLER_PRIORITY;
const ada = { accountId: "a-1", passwordHash: plainHash("right") };

// Their tokens are all ones, all twos and so on.
async function open({ passwords = plainPasswords, randomness = createCountingRandomness() } = {}) {
  const clock = createManualClock({ nowMs });
  const dataDir = await temporaryDataDirectory();
  const store = await openStore({ dataDir, clock, role: "command" });
  onTestFinished(() => store.close());
  await store.createOwnedAccount({ id: "a-1", name: "ada", email: address }, await passwords.hash("right"));
  await store.createOwnedAccount({ id: "a-2", name: "bob", email: "bob@example.com" }, plainHash("right"));
  return { store, clock, dataDir, sessions: new Sessions({ store, passwords, clock, randomness }) };
}

const hashOf = (token: string): string => createHash("sha256").update(token).digest("hex");
const [ones, twos, threes] = ["1", "2", "3"].map((digit) => digit.repeat(32)) as [string, string, string];

describe("a session", () => {
  test("begins with a token, lasts for 7 days, and is its owner's", async () => {
    const { sessions, store } = await open();
    const found = { accountId: "a-1", expiresAtMs: nowMs + weekMs };
    expect(await sessions.begin(ada)).toEqual({ ...found, token: ones });
    expect(await sessions.find(ones)).toMatchObject(found);
    expect(await store.findSession(hashOf(ones))).toMatchObject(found);
  });

  test("does not begin with a password that has changed", async () => {
    const { sessions } = await open();
    expect(await sessions.begin({ ...ada, passwordHash: plainHash("old") })).toBeUndefined();
    expect(await sessions.find(ones)).toBeUndefined();
  });

  test("is not found by another token", async () => {
    const { sessions } = await open({ randomness: systemRandomness });
    const token = (await sessions.begin(ada))?.token ?? "";
    expect(token).toMatch(/^[0-9A-Za-z]{32}$/);
    const others = ["", ones, token.slice(1), `${token}x`, `${token} `, token.toLowerCase(), hashOf(token), "'--", "\u0000"];
    expect(await Promise.all(others.map((other) => sessions.find(other)))).toEqual(others.map(() => undefined));
  });

  test("is listed without its token, and can be ended by its id, which is not its token", async () => {
    const { sessions, clock } = await open();
    await sessions.begin(ada, { address: "192.0.2.7", userAgent: "curl/8.0" });
    clock.advance(90_000);
    await sessions.begin(ada);
    await sessions.begin({ accountId: "a-2", passwordHash: plainHash("right") });
    const [second, first] = await sessions.list("a-1", ones);
    const id = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const times = { createdAtMs: nowMs, lastUsedAtMs: nowMs, expiresAtMs: nowMs + weekMs };
    expect(first).toEqual({ id, ...times, address: "192.0.2.7", userAgent: "curl/8.0", isCurrent: true });
    expect(second).toMatchObject({ createdAtMs: nowMs + 90_000, isCurrent: false });
    expect(await sessions.endById("a-2", first?.id ?? "")).toBe(false);
    expect(await sessions.endById("a-1", (first?.id ?? "").toUpperCase())).toBe(true);
    expect(await sessions.endById("a-1", first?.id ?? "")).toBe(false);
    expect(await sessions.find(ones)).toBeUndefined();
    expect((await sessions.list("a-1", ones)).map(({ isCurrent }) => isCurrent)).toEqual([false]);
  });

  test("has its last use stored once a minute, however often it is used, and lists it before that", async () => {
    const { sessions, store, clock } = await open();
    await sessions.begin(ada);
    const written = async () => (await store.listSessions("a-1")).map(({ lastUsedAtMs }) => lastUsedAtMs - nowMs);
    clock.advance(150_000);
    await Promise.all(Array.from({ length: 5 }, () => sessions.find(ones)));
    await sessions.find(twos);
    expect((await sessions.list("a-1", ones)).map(({ lastUsedAtMs }) => lastUsedAtMs - nowMs)).toEqual([120_000]);
    clock.advance(59_999);
    expect(await written()).toEqual([0]);
    clock.advance(1);
    await expect.poll(written).toEqual([120_000]);
    clock.advance(60_000);
    await sessions.find(ones);
    await sessions.close();
    expect(await written()).toEqual([240_000]);
  });

  test("can be kept while its owner's other sessions are ended", async () => {
    const { sessions } = await open();
    await sessions.begin(ada);
    await sessions.begin(ada);
    await sessions.begin({ accountId: "a-2", passwordHash: plainHash("right") });
    expect(await sessions.endOthers("a-1", twos)).toBe(1);
    expect((await Promise.all([ones, twos, threes].map((token) => sessions.find(token)))).map((each) => each?.accountId)).toEqual([
      undefined,
      "a-1",
      "a-2",
    ]);
  });

  test("confirms its owner's password", async () => {
    const { sessions } = await open();
    const requested = [
      sessions.confirms("a-1", "right", priorityOf),
      sessions.confirms("a-1", "wrong", priorityOf),
      sessions.confirms("a-9", "right", priorityOf),
    ];
    expect(await Promise.all(requested)).toEqual([true, false, false]);
  });

  test("can be ended without the owner's other sessions", async () => {
    const { sessions } = await open();
    await sessions.begin(ada);
    await sessions.begin(ada);
    await sessions.end(ones);
    await sessions.end(threes);
    expect(await Promise.all([ones, twos].map((token) => sessions.find(token)))).toMatchObject([
      undefined,
      { accountId: "a-1", expiresAtMs: nowMs + weekMs },
    ]);
  });

  test.for([
    { usedAfterMs: hourMs - 1, endsAfterMs: weekMs },
    { usedAfterMs: hourMs, endsAfterMs: weekMs + hourMs },
    { usedAfterMs: weekMs - 1, endsAfterMs: 2 * weekMs - 1 },
  ])("that is used after $usedAfterMs ms ends after $endsAfterMs ms", async ({ usedAfterMs, endsAfterMs }) => {
    const { sessions, store, clock } = await open();
    await sessions.begin(ada);
    clock.advance(usedAfterMs);
    const found = { accountId: "a-1", expiresAtMs: nowMs + endsAfterMs };
    expect(await sessions.find(ones)).toMatchObject(found);
    expect(await store.findSession(hashOf(ones))).toMatchObject(found);
    clock.advance(endsAfterMs - usedAfterMs);
    expect(await sessions.find(ones)).toBeUndefined();
  });
});

describe("signing in", () => {
  test.for([address, "ADA@Example.COM"])("starts a session for the owner of the address, written as %s", async (email) => {
    const { sessions } = await open();
    const found = { accountId: "a-1", expiresAtMs: nowMs + weekMs };
    expect(await sessions.signIn(email, "right")).toEqual({ ...found, token: ones });
    expect(await sessions.find(ones)).toMatchObject(found);
  });

  test.for([
    { fault: "another password", email: address, password: "wrong" },
    { fault: "the password in capital letters", email: address, password: "RIGHT" },
    { fault: "no password", email: address, password: "" },
    { fault: "an address that nobody has", email: "eve@example.com", password: "right" },
    { fault: "no address", email: "", password: "right" },
  ])("with $fault returns nothing, after the same amount of work", async ({ email, password }) => {
    let tried = 0;
    const counted: Passwords = {
      ...plainPasswords,
      matches(...words) {
        tried++;
        return plainPasswords.matches(...words);
      },
    };
    const { sessions } = await open({ passwords: counted });
    expect(await sessions.signIn(email, password)).toBeUndefined();
    expect(tried).toBe(1);
    expect(await sessions.find(ones)).toBeUndefined();
  });

  test("with the sandbox's password, which everybody knows, starts a session only in a sandbox", async () => {
    const { sessions, store, clock } = await open();
    await store.setOwnerPassword("a-1", plainHash(SANDBOX_PASSWORD));
    const sandbox = new Sessions({
      store,
      passwords: plainPasswords,
      clock,
      randomness: createCountingRandomness(),
      isSandbox: true,
    });
    expect(await sessions.signIn(address, SANDBOX_PASSWORD)).toBeUndefined();
    expect(await sandbox.signIn(address, SANDBOX_PASSWORD)).toMatchObject({ accountId: "a-1" });
  });

  test("with the old password fails when the password changes in the meantime", async () => {
    const changing: Passwords = {
      ...plainPasswords,
      async matches(...words) {
        await store.setOwnerPassword("a-1", plainHash(next));
        return plainPasswords.matches(...words);
      },
    };
    const { sessions, store } = await open({ passwords: changing });
    expect(await sessions.signIn(address, "right")).toBeUndefined();
    expect(await sessions.changePassword("a-1", ones, { from: next, to: last, priorityOf })).toBe(true);
  });
});

describe("a password", () => {
  test("can be changed by somebody who knows it, which ends the owner's other sessions", async () => {
    const { sessions } = await open();
    await sessions.begin(ada);
    await sessions.begin(ada);
    await sessions.begin({ ...ada, accountId: "a-2" });
    expect(await sessions.changePassword("a-1", ones, { from: "right", to: next, priorityOf })).toBe(true);
    const found = await Promise.all([ones, twos, threes].map((token) => sessions.find(token)));
    expect(found.map((session) => session?.accountId)).toEqual(["a-1", undefined, "a-2"]);
    expect(await sessions.signIn(address, "right")).toBeUndefined();
    expect((await sessions.signIn(address, next))?.accountId).toBe("a-1");
    expect((await sessions.signIn("bob@example.com", "right"))?.accountId).toBe("a-2");
  });

  test.for([
    { fault: "the current one is wrong", accountId: "a-1", from: "wrong" },
    { fault: "the account does not exist", accountId: "a-9", from: "right" },
  ])("and all sessions stay if $fault", async ({ accountId, from }) => {
    const { sessions } = await open();
    await sessions.begin(ada);
    await sessions.begin(ada);
    expect(await sessions.changePassword(accountId, ones, { from, to: next, priorityOf })).toBe(false);
    expect((await sessions.find(twos))?.accountId).toBe("a-1");
    expect((await sessions.signIn(address, "right"))?.accountId).toBe("a-1");
  });

  test("that two callers change at the same time is changed by only one of them", async () => {
    const { sessions } = await open();
    const changes = [next, last].map((to) => sessions.changePassword("a-1", ones, { from: "right", to, priorityOf }));
    expect((await Promise.all(changes)).toSorted()).toEqual([false, true]);
  });
});

test("no file of the store contains a token or a password, only their hashes", async () => {
  const { sessions, store, clock, dataDir } = await open({
    passwords: quickPasswords,
    randomness: systemRandomness,
  });
  await store.setOwnerPassword("a-2", plainHash("of another"));
  const own = (await sessions.signIn(address, "right"))?.token ?? "";
  clock.advance(hourMs);
  await sessions.find(own);
  await sessions.changePassword("a-1", own, { from: "right", to: "correct horse battery", priorityOf });
  const other = (await sessions.signIn(address, "correct horse battery"))?.token ?? "";
  const { passwordHash = "" } = (await store.findOwnerOf("a-1")) ?? {};
  const kept = readdirSync(dataDir)
    .map((name) => readFileSync(join(dataDir, name), "latin1"))
    .join("\n");
  const wanted = [address, passwordHash, hashOf(own), hashOf(other), own, other, "correct horse battery"];
  expect(wanted.filter((text) => kept.includes(text))).toEqual([address, passwordHash, hashOf(own), hashOf(other)]);
});

test.for<{ name: string; call: (sessions: Sessions) => Promise<unknown> }>([
  { name: "begin", call: (sessions) => sessions.begin(ada) },
  { name: "signIn", call: (sessions) => sessions.signIn(address, "right") },
  { name: "find", call: (sessions) => sessions.find(ones) },
  { name: "changePassword", call: (sessions) => sessions.changePassword("a-1", ones, { from: "right", to: "next", priorityOf }) },
  { name: "end", call: (sessions) => sessions.end(ones) },
])("$name reports that the store is unavailable", async ({ call }) => {
  const { sessions, store } = await open();
  await store.close();
  await expect(call(sessions)).rejects.toThrow(new StoreUnavailable("The store is closed."));
});
