import { create, type DescMethodUnary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { hashSecret } from "@quintet/guard";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { RetryInfoSchema } from "../../../gen/google/rpc/error_details_pb.js";
import { AccountService, GetAccountRequestSchema, GetAccountResponseSchema } from "../../../gen/quintet/account/v1/account_pb.js";
import { ProfileService } from "../../../gen/quintet/account/v1/profile_pb.js";
import {
  type Session,
  type SignInResponse,
  SignInResponseSchema,
  SignInService,
  type SignUpResponse,
  SignUpResponseSchema,
} from "../../../gen/quintet/account/v1/sign_in_pb.js";
import { ListPlansRequestSchema, type ListPlansResponse, StatusService } from "../../../gen/quintet/account/v1/status_pb.js";
import { UsageService, WatchCallsResponseSchema } from "../../../gen/quintet/account/v1/usage_pb.js";
import {
  sessionInvalid,
  sessionMissing,
  storeUnavailable,
  tooManyAttempts,
  tooManyCalls,
  tooManyPublicCalls,
} from "../../../src/account/refusals.ts";
import { createAccountRpc } from "../../../src/account/rpc/account-rpc.ts";
import { ALERT_TYPE_MESSAGES } from "../../../src/account/rpc/alert-handlers.ts";
import { Sessions } from "../../../src/account/sessions.ts";
import { CallFeed } from "../../../src/account/watch/call-feed.ts";
import { loadPlans } from "../../../src/catalogue/plans.ts";
import { Failure } from "../../../src/problem/failure.ts";
import { ALERT_TYPES } from "../../../src/store/alert-records.ts";
import { openStore } from "../../../src/store/open.ts";
import type { Store } from "../../../src/store/store.ts";
import { StoreUnavailable } from "../../../src/store/store-errors.ts";
import { CUSTOMER_SERVICES } from "../../fixtures/account-clients.ts";
import { inMessages, type MessageRpc } from "../../fixtures/account-messages.ts";
import { createCountingRandomness } from "../../fixtures/counting-randomness.ts";
import { createManualClock, type ManualClock } from "../../fixtures/manual-clock.ts";
import { temporaryDataDirectory } from "../../fixtures/migrated-data.ts";
import { noServerState } from "../../fixtures/no-server-state.ts";
import { QUICK_COST, quickPasswords } from "../../fixtures/quick-passwords.ts";
import { plainHash, plainPasswords } from "../plain-passwords.ts";

const nowMs = Date.UTC(2026, 10, 21, 12);
const weekMs = 7 * 86_400_000;
const methods = [...CUSTOMER_SERVICES.flatMap((service) => service.methods), ...SignInService.methods].filter(
  ({ methodKind }) => methodKind === "unary",
) as readonly DescMethodUnary[];
const methodCalled = (name: string): DescMethodUnary => methods.find((method) => method.name === name) as DescMethodUnary;

// The tokens of two owners' sessions, which start before the test does.
const [adas, bobs] = ["1", "2"].map((digit) => digit.repeat(32)) as [string, string];
const responseToAda = create(GetAccountResponseSchema, {
  account: { id: "a-1", name: "ada", email: "ada@example.com", suspended: false, createdAt: timestampFromMs(nowMs) },
  settings: { alerts: { mailed: ALERT_TYPES.map((type) => ALERT_TYPE_MESSAGES[type]) }, logsParameters: false },
});

async function open(): Promise<{ store: Store; clock: ManualClock; accountRpc: MessageRpc }> {
  const clock = createManualClock({ nowMs });
  const store = await openStore({ dataDir: await temporaryDataDirectory(), clock, role: "command" });
  onTestFinished(() => store.close());
  const randomness = createCountingRandomness();
  const sessions = new Sessions({ store, passwords: plainPasswords, clock, randomness });
  for (const [id, name] of [
    ["a-1", "ada"],
    ["a-2", "bob"],
  ] as const) {
    await store.createOwnedAccount({ id, name, email: `${name}@example.com` }, plainHash("right"));
    await sessions.begin({ accountId: id, passwordHash: plainHash("right") });
  }
  return {
    store,
    clock,
    accountRpc: inMessages(
      createAccountRpc({
        store,
        plans: loadPlans(undefined),
        clock,
        randomness,
        unspent: () => 0,
        callFeed: new CallFeed(clock),
        serverState: noServerState,
        passwordCost: QUICK_COST,
      }),
    ),
  };
}

const sessionOf = (response: unknown): Session | undefined => {
  const { outcome } = response as SignInResponse | SignUpResponse;
  return outcome.case === "session" ? outcome.value : undefined;
};

const call = async (accountRpc: MessageRpc, token: string | undefined) => {
  const requestContext = { peer: "203.0.113.9", token };
  await accountRpc.admit(AccountService.method.getAccount, requestContext);
  return accountRpc.call(AccountService.method.getAccount, create(GetAccountRequestSchema), requestContext);
};

test("checks of the passwords of signed-in accounts count for their network, and an owner who signs in goes first", async () => {
  const { store, accountRpc } = await open();
  const { signIn } = SignInService.method;
  const signInFrom = async (peer: string, email: string, password: string) => {
    await accountRpc.admit(signIn, { peer, token: undefined });
    return accountRpc.call(signIn, create(signIn.input, { email, proof: { case: "password", value: password } }), {
      peer,
      token: undefined,
    });
  };
  const hash = await quickPasswords.hash("right");
  const attackers = await Promise.all(
    Array.from({ length: 14 }, async (_, index) => {
      const [peer, email] = [`10.${index}.0.1`, `eve${index}@example.com`];
      await store.createOwnedAccount({ id: `e-${index}`, name: `eve${index}`, email }, hash);
      return { peer, token: sessionOf(await signInFrom(peer, email, "right"))?.token };
    }),
  );
  await store.createOwnedAccount({ id: "a-3", name: "cleo", email: "cleo@example.com" }, hash);
  await signInFrom("192.0.2.7", "cleo@example.com", "right");
  const { changePassword } = ProfileService.method;
  const guess = create(changePassword.input, { currentPassword: "wrong", newPassword: "four loaded dice" });
  let checked = 0;
  const { promise: queueIsFull, resolve: queueFull } = Promise.withResolvers<void>();
  const guesses = attackers.flatMap((caller) =>
    Array.from({ length: 10 }, async () => {
      await accountRpc.call(changePassword, guess, caller).catch((error: unknown) => {
        const { reason } = (error as Failure).problem;
        checked += reason === "INVALID_ARGUMENT" ? 1 : 0;
        if (reason === "RATE_LIMITED") {
          queueFull();
        }
      });
    }),
  );
  await queueIsFull;
  const checkedEarlier = checked;
  const signedIn = await signInFrom("192.0.2.7", "cleo@example.com", "right");
  const overtaking = checked - checkedEarlier;
  await Promise.all(guesses);
  expect(sessionOf(signedIn)?.account?.id).toBe("a-3");
  // Those that were being checked already.
  expect([overtaking <= 3, checked >= 20]).toEqual([true, true]);
});

test("a network may have 30 passwords checked at once, whether it is signed in or not", async () => {
  const { store, clock, accountRpc } = await open();
  const peer = "203.0.113.9";
  const { beginTwoFactor } = ProfileService.method;
  const { requestPasswordReset } = SignInService.method;
  const outcomeOf = (work: Promise<unknown>) => work.catch((error: unknown) => (error as Failure).problem.reason);
  const input = create(beginTwoFactor.input, { password: "wrong" });
  const outcomes = [];
  const passwordHash = await quickPasswords.hash("right");
  const callers = [];
  for (let account = 3; account < 7; account++) {
    const [id, token] = [`a-${account}`, String(account).repeat(32)];
    await store.createOwnedAccount({ id, name: id, email: `${id}@example.com` }, passwordHash);
    await store.beginSession({ tokenHash: hashSecret(token), accountId: id, passwordHash, expiresAtMs: nowMs + weekMs });
    callers.push({ peer, token });
  }
  const last = callers.pop() as (typeof callers)[number];
  for (const caller of callers) {
    for (let attempt = 0; attempt < 10; attempt++) {
      outcomes.push(await outcomeOf(accountRpc.call(beginTwoFactor, input, caller)));
    }
  }
  expect(outcomes).toEqual(new Array(30).fill("INVALID_ARGUMENT"));
  expect(await outcomeOf(accountRpc.call(beginTwoFactor, input, last))).toBe("RATE_LIMITED");
  expect(await outcomeOf(accountRpc.admit(requestPasswordReset, { peer, token: undefined }))).toBe("RATE_LIMITED");
  clock.advance(1000);
  expect(await outcomeOf(accountRpc.call(beginTwoFactor, input, last))).toBe("INVALID_ARGUMENT");
});

test("an account may make 20 calls at once and 10 a second, whatever others do", async () => {
  const { clock, accountRpc } = await open();
  const burst = await Promise.all(Array.from({ length: 20 }, () => call(accountRpc, adas)));
  expect(burst).toEqual(new Array(20).fill(responseToAda));
  const refused = await call(accountRpc, adas).catch((error: unknown) => error as Failure);
  expect(refused).toEqual(new Failure(tooManyCalls(100)));
  expect((refused as Failure).findDetails(RetryInfoSchema).map(({ retryDelay }) => retryDelay?.nanos)).toEqual([100_000_000]);
  expect((await call(accountRpc, bobs)).$typeName).toBe(GetAccountResponseSchema.typeName);
  clock.advance(99);
  await expect(call(accountRpc, adas)).rejects.toThrow(new Failure(tooManyCalls(1)));
  clock.advance(1);
  expect(await call(accountRpc, adas)).toEqual(responseToAda);
  await expect(call(accountRpc, adas)).rejects.toThrow(new Failure(tooManyCalls(100)));
  clock.advance(1000);
  const more = await Promise.allSettled(Array.from({ length: 11 }, () => call(accountRpc, adas)));
  expect(more.map(({ status }) => status)).toEqual([...new Array(10).fill("fulfilled"), "rejected"]);
});

describe("a call that was admitted", () => {
  const { getAccount } = AccountService.method;
  const input = create(GetAccountRequestSchema);

  test("looks nobody up again unless its body takes a second to arrive, and works only for whom it was admitted", async () => {
    const { store, clock, accountRpc } = await open();
    const caller = { peer: "203.0.113.9", token: adas };
    const admission = await accountRpc.admit(getAccount, caller);
    expect(admission).toEqual({ accountId: "a-1", personId: "a-1", role: "owner", atMs: clock.monotonicMs() });
    const found = vi.spyOn(store, "findSession");
    await store.endSession(hashSecret(adas));
    clock.advance(999);
    expect(await accountRpc.call(getAccount, input, { ...caller, admission })).toEqual(responseToAda);
    expect(found).not.toHaveBeenCalled();
    clock.advance(1);
    await expect(accountRpc.call(getAccount, input, { ...caller, admission })).rejects.toThrow(new Failure(sessionInvalid()));
  });

  test("ends its stream when the session has ended, however short ago it was admitted", async () => {
    const { store, accountRpc } = await open();
    const { watchCalls } = UsageService.method;
    const caller = { peer: "203.0.113.9", token: adas };
    const admission = await accountRpc.admit(watchCalls, caller);
    const aborted = new AbortController();
    onTestFinished(() => aborted.abort());
    const messages = accountRpc.stream(watchCalls, create(watchCalls.input), { ...caller, admission }, aborted.signal);
    const next = messages[Symbol.asyncIterator]();
    expect((await next.next()).done).toBe(false);
    const ended = expect(next.next()).rejects.toThrow(new Failure(sessionInvalid()));
    await store.endSession(hashSecret(adas));
    await ended;
  });
});

describe("calls with tokens that belong to no session are rate-limited by network", () => {
  const created = (number: number): string => String(number).padStart(32, "x");
  const reasonOf = (error: unknown): string => (error as Failure).problem.reason;
  const tryMany = async (accountRpc: MessageRpc, tokenOf: (number: number) => string): Promise<string[]> =>
    Promise.all(Array.from({ length: 61 }, (_, number) => call(accountRpc, tokenOf(number)).then(() => "", reasonOf)));
  const limited = [...new Array<string>(60).fill("SESSION_INVALID"), "RATE_LIMITED"];

  test("and affect neither a session that was used before nor a new one", async () => {
    const { accountRpc } = await open();
    await call(accountRpc, adas);
    expect(await tryMany(accountRpc, created)).toEqual(limited);
    expect(await call(accountRpc, adas)).toEqual(responseToAda);
    await expect(call(accountRpc, bobs)).rejects.toThrow(new Failure(tooManyAttempts(1000)));
    const { signUp } = SignInService.method;
    const input = create(signUp.input, { email: "eve@example.com", password: "four loaded dice" });
    const started = await accountRpc.call(signUp, input, { peer: "203.0.113.9", token: undefined });
    expect((await call(accountRpc, sessionOf(started)?.token)).$typeName).toBe(GetAccountResponseSchema.typeName);
  });

  test("and so are calls with the token of an ended session", async () => {
    const { accountRpc } = await open();
    await call(accountRpc, adas);
    const { endSessions } = ProfileService.method;
    await accountRpc.call(endSessions, create(endSessions.input, { which: { case: "current", value: true } }), {
      peer: "203.0.113.9",
      token: adas,
    });
    await expect(call(accountRpc, adas)).rejects.toThrow(new Failure(sessionInvalid()));
    expect(await tryMany(accountRpc, () => adas)).toEqual(limited);
  });
});

test("anybody may read the plans, within their network's rate", async () => {
  const { clock, accountRpc } = await open();
  const request = async () => {
    const requestContext = { peer: "203.0.113.9", token: undefined };
    await accountRpc.admit(StatusService.method.listPlans, requestContext);
    return accountRpc.call(StatusService.method.listPlans, create(ListPlansRequestSchema), requestContext);
  };
  const responses = await Promise.all(Array.from({ length: 20 }, request));
  expect(responses.map((response) => (response as ListPlansResponse).results.length)).toEqual(
    new Array(20).fill(loadPlans(undefined).all.length),
  );
  await expect(request()).rejects.toThrow(new Failure(tooManyPublicCalls(100)));
  expect(await call(accountRpc, adas)).toEqual(responseToAda);
  clock.advance(100);
  expect(await request()).toEqual(responses[0]);
});

const PUBLIC: readonly string[] = [StatusService.method.listPlans.name, StatusService.method.getStatus.name];
const OF_SESSIONS = methods.filter(({ parent, name }) => parent === AccountService && !PUBLIC.includes(name));

describe.for(OF_SESSIONS.map(({ name }) => name))("%s", (name) => {
  const method = methodCalled(name);
  const request = (accountRpc: MessageRpc, token: string | undefined) =>
    accountRpc.call(method, create(method.input), { peer: "203.0.113.9", token });

  test("needs a session", async () => {
    const { accountRpc } = await open();
    await expect(request(accountRpc, undefined)).rejects.toThrow(new Failure(sessionMissing()));
  });

  test("needs a known session that has not ended", async () => {
    const { accountRpc, clock } = await open();
    await expect(request(accountRpc, "x".repeat(32))).rejects.toThrow(new Failure(sessionInvalid()));
    clock.advance(weekMs);
    await expect(request(accountRpc, adas)).rejects.toThrow(new Failure(sessionInvalid()));
  });
});

describe("WatchCalls", () => {
  const { watchCalls } = UsageService.method;
  const never = new AbortController().signal;
  const watch = (accountRpc: MessageRpc, token: string | undefined, signal = never) =>
    accountRpc.stream(watchCalls, create(watchCalls.input), { peer: "203.0.113.9", token }, signal)[Symbol.asyncIterator]();

  test("needs a known session", async () => {
    const { accountRpc } = await open();
    await expect(watch(accountRpc, undefined).next()).rejects.toThrow(new Failure(sessionMissing()));
    await expect(watch(accountRpc, "x".repeat(32)).next()).rejects.toThrow(new Failure(sessionInvalid()));
  });

  test("ends within 5 seconds of its session, continues while the store is unavailable, and ends once its reader is gone", async () => {
    const { accountRpc, clock, store } = await open();
    const controller = new AbortController();
    const [ending, going] = [watch(accountRpc, adas), watch(accountRpc, bobs, controller.signal)];
    const first = { done: false, value: create(WatchCallsResponseSchema, { servers: 1 }) };
    expect([await ending.next(), await going.next()]).toEqual([first, first]);
    const [ended, gone] = [ending.next(), going.next()];
    ended.catch(() => {});
    const { endSessions } = ProfileService.method;
    const input = create(endSessions.input, { which: { case: "current", value: true } });
    await accountRpc.call(endSessions, input, { peer: "", token: adas });
    clock.advance(5000);
    await expect(ended).rejects.toThrow(new Failure(sessionInvalid()));
    await store.close();
    clock.advance(5000);
    await expect.poll(() => clock.hasAlarmIn(5000)).toBe(true);
    controller.abort();
    expect(await gone).toEqual({ done: true, value: undefined });
  });

  test("says when to retry if the store is unavailable at the start", async () => {
    const { accountRpc, store } = await open();
    await store.close();
    const cause = new StoreUnavailable("The store is closed.");
    const failed = await watch(accountRpc, adas)
      .next()
      .catch((error: unknown) => error);
    expect(failed).toEqual(new Failure({ ...storeUnavailable(), cause }));
  });
});

test("a sign-up starts a session, and a sign-in starts another", async () => {
  const { accountRpc } = await open();
  const stranger = { peer: "203.0.113.9", token: undefined };
  const { signUp, signIn } = SignInService.method;
  const wish = { email: "Eve@example.com", password: "correct horse battery" };
  const up = await accountRpc.call(signUp, create(signUp.input, wish), stranger);
  const into = await accountRpc.call(
    signIn,
    create(signIn.input, { email: wish.email, proof: { case: "password", value: wish.password } }),
    stranger,
  );
  const id = "00000000-0000-4000-8000-000000000001";
  // The third random value was the salt.
  const account = { id, name: "eve-04040404", email: "eve@example.com", suspended: false, createdAt: timestampFromMs(nowMs) };
  const expiresAt = timestampFromMs(nowMs + weekMs);
  const [first, second] = ["5", "6"].map((digit) => digit.repeat(32)) as [string, string];
  expect([up, into]).toEqual([
    create(SignUpResponseSchema, { outcome: { case: "session", value: { token: first, expiresAt, account } } }),
    create(SignInResponseSchema, { outcome: { case: "session", value: { token: second, expiresAt, account } } }),
  ]);
  const requested = [first, second, "x".repeat(32)].map((token) => call(accountRpc, token));
  expect((await Promise.allSettled(requested)).map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
});

describe("while the store is unavailable", () => {
  const { requestPasswordReset, beginPasskeySignIn, beginProviderSignIn, signIn } = SignInService.method;
  // The plans come from a file, so they can still be read. A server without mail refuses to send one before it asks the store, and so does
  // one without an address for passkeys, or without providers.
  const requestNothing: readonly DescMethodUnary[] = [
    StatusService.method.listPlans,
    requestPasswordReset,
    beginPasskeySignIn,
    beginProviderSignIn,
  ];
  const ofStore = methods.filter((method) => !requestNothing.includes(method));

  test.for(ofStore.map(({ name }) => name))("%s says when to retry", async (name) => {
    const { store, accountRpc } = await open();
    await store.close();
    const method = methodCalled(name);
    const password = "correct horse battery";
    const proof = method === signIn ? { proof: { case: "password", value: password } } : { password };
    const input = create(method.input, { email: "eve@example.com", service: "radio", ...proof } as never);
    const failed = await accountRpc.call(method, input, { peer: "", token: adas }).catch((error: unknown) => error);
    expect(failed).toEqual(new Failure({ ...storeUnavailable(), cause: new StoreUnavailable("The store is closed.") }));
  });

  test("admitting a call with a session rejects with the store's error", async () => {
    const { store, accountRpc } = await open();
    await store.close();
    await expect(accountRpc.admit(AccountService.method.getAccount, { peer: "", token: adas })).rejects.toThrow(
      new StoreUnavailable("The store is closed."),
    );
  });
});

test("a defect is thrown unchanged, for the log", async () => {
  const { accountRpc, store } = await open();
  store.findAccount = () => Promise.reject(new TypeError("a defect"));
  await expect(call(accountRpc, adas)).rejects.toThrow(new TypeError("a defect"));
});
