// The console's key with a real server: created once when needed, replaced before it expires, and revoked when the page forgets it.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ConsoleKeyError, type ConsoleKeys, createConsoleKeys } from "../../../portal/api/console-key.ts";
import { PageAccount } from "../../../portal/api/page-account.ts";
import { advanceTime, type Gateway, startGateway } from "../../fixtures/gateway.ts";
import { createManualClock, type ManualClock } from "../../fixtures/manual-clock.ts";

const MINUTE_MS = 60_000;

interface ListedKey {
  readonly name: string;
  readonly state: string;
  readonly last_four: string;
}

describe("The console's key", () => {
  let gateway: Gateway;
  let token: string;
  let nowMs: number;
  let sent: { path: string; init: RequestInit; received: Promise<Response> }[];
  let keys: ConsoleKeys;
  let clock: ManualClock;

  beforeEach(async () => {
    // The rule that a time must be in the future uses the machine's clock, so the test's clock stands still close to the real time.
    clock = createManualClock({ nowMs: Date.now() });
    nowMs = clock.nowMs();
    gateway = await startGateway({ clock });
    const { data } = (await (
      await fetch(`${gateway.origin}/account/v1/sign-up`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ email: "ada@example.com", password: "correct horse battery" }),
      })
    ).json()) as { data: { session: { token: string } } };
    token = data.session.token;
    sent = [];
    keys = createConsoleKeys({ account: new PageAccount(), fetch: send, nowMs: () => nowMs });
  });
  afterEach(() => advanceTime(clock, gateway.close()));

  function send(path: string, init: RequestInit): Promise<Response> {
    const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${token}` };
    const received = fetch(`${gateway.origin}${path}`, { ...init, headers });
    sent.push({ path, init, received });
    return received;
  }

  const listed = async (): Promise<readonly ListedKey[]> => {
    const response = await fetch(`${gateway.origin}/account/v1/keys`, { headers: { authorization: `Bearer ${token}` } });
    return ((await response.json()) as { data: { results: readonly ListedKey[] } }).data.results;
  };
  const statesOf = async (): Promise<readonly string[]> => (await listed()).map(({ state }) => state);
  const whenResponded = (): Promise<unknown> => Promise.all(sent.map(({ received }) => received));

  test("is created once for calls that begin together, and is called Console", async () => {
    const [first, second] = await Promise.all([keys.get(), keys.get()]);
    expect({ same: first === second, third: await keys.get(), shape: /^qk_live_\w{38}$/.test(first) }).toEqual({
      same: true,
      third: first,
      shape: true,
    });
    expect((await listed()).map(({ name, state, last_four }) => ({ name, state, last_four }))).toEqual([
      { name: "Console", state: "active", last_four: first.slice(-4) },
    ]);
    expect(keys.state).toEqual({ kind: "created", lastFour: first.slice(-4), endsAtMs: nowMs + 15 * MINUTE_MS });
  });

  test("is requested for the page's account, which is looked up if the page does not know it", async () => {
    const account = new PageAccount();
    const named = createConsoleKeys({ account, fetch: send, nowMs: () => nowMs });
    await named.get();
    await named.forget();
    const id = account.known;
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(sent.map(({ path, init }) => [path.split("/").at(-1), new Headers(init.headers).get("x-quintet-account")])).toEqual([
      ["GetAccount", null],
      ["CreateKey", id],
      ["RevokeKey", id],
    ]);
  });

  test("is not created once the session belongs to another account", async () => {
    const account = new PageAccount();
    account.set("5b0c3a2e-7f0e-4a51-9b7c-0d6f5a3e9c11");
    const named = createConsoleKeys({ account, fetch: send, nowMs: () => nowMs });
    await expect(named.get()).rejects.toMatchObject({ reason: "ACCOUNT_MISMATCH" });
    expect(await statesOf()).toEqual([]);
  });

  test("is replaced when it is valid for less than a minute", async () => {
    const first = await keys.get();
    nowMs += 14 * MINUTE_MS - 1;
    expect(await keys.get()).toBe(first);
    nowMs += 1;
    expect(await keys.get()).not.toBe(first);
    expect(await statesOf()).toEqual(["active", "active"]);
  });

  test("is revoked when the page forgets it, by a request that outlives the page", async () => {
    await keys.get();
    await keys.forget();
    expect(await statesOf()).toEqual(["revoked"]);
    expect([sent.at(-1)?.init.keepalive, keys.state]).toEqual([true, { kind: "none" }]);
  });

  test("is forgotten when the page is left, and then expires by itself", async () => {
    await keys.get();
    const sentBefore = sent.length;
    keys.leave();
    expect([sent.length, keys.state]).toEqual([sentBefore, { kind: "none" }]);
    expect(await statesOf()).toEqual(["active"]);
  });

  test("is revoked if it arrives after the page forgot it", async () => {
    const late = keys.get();
    void keys.forget();
    await expect(late).rejects.toMatchObject({ reason: "SIGNED_OUT" });
    await whenResponded();
    expect([await statesOf(), keys.state]).toEqual([["revoked"], { kind: "none" }]);
  });

  test("is replaced after the server has refused it", async () => {
    const first = await keys.get();
    keys.discard("qk_live_another");
    expect(await keys.get()).toBe(first);
    keys.discard(first);
    expect(await keys.get()).not.toBe(first);
  });

  test.each([
    ["a day behind", -24 * 60],
    ["a day ahead", 24 * 60],
    ["fifty years ahead", 50 * 365 * 24 * 60],
  ])("is valid for a quarter of an hour even if this machine's clock is %s", async (_, minutes) => {
    nowMs += minutes * MINUTE_MS;
    await keys.get();
    expect(keys.state).toMatchObject({ kind: "created" });
  });

  test("is the customer's own if they paste one; it is kept even if it is refused, and never revoked", async () => {
    keys.useOwn("qk_live_own1");
    keys.discard("qk_live_own1");
    expect([await keys.get(), keys.state, sent]).toEqual(["qk_live_own1", { kind: "own", lastFour: "own1" }, []]);
    await keys.forget();
    expect([keys.state, sent]).toEqual([{ kind: "none" }, []]);
  });

  test("reports every change until its last listener is removed", async () => {
    const kinds: string[] = [];
    const stop = keys.subscribe(() => kinds.push(keys.state.kind));
    await keys.get();
    keys.useOwn("qk_live_own1");
    keys.useOwn(undefined);
    await keys.forget();
    stop();
    await keys.get();
    expect(kinds).toEqual(["created", "own", "created", "none"]);
  });

  test("fails with the server's message without a session, and with its own without a server", async () => {
    token = "0".repeat(32);
    const refused: ConsoleKeyError = await keys.get().catch((error) => error);
    const away = createConsoleKeys({
      account: new PageAccount(),
      fetch: () => Promise.reject(new TypeError("fetch failed")),
      nowMs: () => nowMs,
    });
    expect([refused.reason, refused.message.length > 10, await away.get().catch(({ reason }) => reason)]).toEqual([
      "SESSION_INVALID",
      true,
      "UNREACHABLE",
    ]);
  });
});
