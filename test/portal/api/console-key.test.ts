// The console's key against a server: made once when it is needed, made anew before it ends, gone from both sides when it is forgotten.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ConsoleKeyError, type ConsoleKeys, createConsoleKeys } from "../../../portal/api/console-key.ts";
import { type Gateway, letTimePass, startGateway } from "../../fixtures/gateway.ts";
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
  let sent: { path: string; init: RequestInit; answer: Promise<Response> }[];
  let keys: ConsoleKeys;
  let clock: ManualClock;

  beforeEach(async () => {
    // The rule that a moment is in the future goes by the machine's clock, so time stands still at about now.
    clock = createManualClock({ nowMs: Date.now() });
    nowMs = clock.nowMs();
    gateway = await startGateway({ clock });
    const { data } = (await (
      await fetch(`${gateway.origin}/account/v1/sign-up`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ email: "ada@example.com", password: "correct horse battery" }),
      })
    ).json()) as { data: { token: string } };
    token = data.token;
    sent = [];
    keys = createConsoleKeys({ fetch: send, nowMs: () => nowMs });
  });
  afterEach(() => letTimePass(clock, gateway.close()));

  function send(path: string, init: RequestInit): Promise<Response> {
    const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${token}` };
    const answer = fetch(`${gateway.origin}${path}`, { ...init, headers });
    sent.push({ path, init, answer });
    return answer;
  }

  const listed = async (): Promise<readonly ListedKey[]> => {
    const response = await fetch(`${gateway.origin}/account/v1/keys`, { headers: { authorization: `Bearer ${token}` } });
    return ((await response.json()) as { data: { results: readonly ListedKey[] } }).data.results;
  };
  const statesOf = async (): Promise<readonly string[]> => (await listed()).map(({ state }) => state);
  const whenAnswered = (): Promise<unknown> => Promise.all(sent.map(({ answer }) => answer));

  test("is made once for calls that begin together, and is called Console", async () => {
    const [first, second] = await Promise.all([keys.get(), keys.get()]);
    expect({ same: first === second, third: await keys.get(), shape: /^qk_live_\w{38}$/.test(first) }).toEqual({
      same: true,
      third: first,
      shape: true,
    });
    expect((await listed()).map(({ name, state, last_four }) => ({ name, state, last_four }))).toEqual([
      { name: "Console", state: "KEY_STATE_ACTIVE", last_four: first.slice(-4) },
    ]);
    expect(keys.state).toEqual({ kind: "made", lastFour: first.slice(-4), endsAtMs: nowMs + 15 * MINUTE_MS });
  });

  test("is made anew when less than a minute of it is left", async () => {
    const first = await keys.get();
    nowMs += 14 * MINUTE_MS - 1;
    expect(await keys.get()).toBe(first);
    nowMs += 1;
    expect(await keys.get()).not.toBe(first);
    expect(await statesOf()).toEqual(["KEY_STATE_ACTIVE", "KEY_STATE_ACTIVE"]);
  });

  test("is revoked when it is forgotten, by a request that outlives the page", async () => {
    await keys.get();
    await keys.forget();
    expect(await statesOf()).toEqual(["KEY_STATE_REVOKED"]);
    expect([sent.at(-1)?.init.keepalive, keys.state]).toEqual([true, { kind: "none" }]);
  });

  test("is revoked when it comes after it was forgotten", async () => {
    const late = keys.get();
    void keys.forget();
    await expect(late).rejects.toMatchObject({ reason: "SIGNED_OUT" });
    await whenAnswered();
    expect([await statesOf(), keys.state]).toEqual([["KEY_STATE_REVOKED"], { kind: "none" }]);
  });

  test("is made anew after the server has refused it", async () => {
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
  ])("lives a quarter of an hour though this machine's clock is %s", async (_, minutes) => {
    nowMs += minutes * MINUTE_MS;
    await keys.get();
    expect(keys.state).toMatchObject({ kind: "made" });
  });

  test("is the customer's own where they paste one, which is kept though it is refused and never revoked", async () => {
    keys.useOwn("qk_live_own1");
    keys.discard("qk_live_own1");
    expect([await keys.get(), keys.state, sent]).toEqual(["qk_live_own1", { kind: "own", lastFour: "own1" }, []]);
    await keys.forget();
    expect([keys.state, sent]).toEqual([{ kind: "none" }, []]);
  });

  test("tells of every change until nobody listens any more", async () => {
    const kinds: string[] = [];
    const stop = keys.subscribe(() => kinds.push(keys.state.kind));
    await keys.get();
    keys.useOwn("qk_live_own1");
    keys.useOwn(undefined);
    await keys.forget();
    stop();
    await keys.get();
    expect(kinds).toEqual(["made", "own", "made", "none"]);
  });

  test("fails in the server's words where there is no session, and where there is no server", async () => {
    token = "0".repeat(32);
    const refused: ConsoleKeyError = await keys.get().catch((error) => error);
    const away = createConsoleKeys({ fetch: () => Promise.reject(new TypeError("fetch failed")), nowMs: () => nowMs });
    expect([refused.reason, refused.message.length > 10, await away.get().catch(({ reason }) => reason)]).toEqual([
      "SESSION_INVALID",
      true,
      "UNREACHABLE",
    ]);
  });
});
