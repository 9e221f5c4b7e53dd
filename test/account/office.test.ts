import { create, type DescMethodUnary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { RetryInfoSchema } from "../../gen/google/rpc/error_details_pb.js";
import { AccountService, GetAccountRequestSchema, GetAccountResponseSchema } from "../../gen/quintet/account/v1/account_pb.js";
import {
  type SignInResponse,
  SignInResponseSchema,
  SignInService,
  type SignUpResponse,
  SignUpResponseSchema,
} from "../../gen/quintet/account/v1/sign_in_pb.js";
import { createAccountOffice, type OwnOffice } from "../../src/account/office.ts";
import { sessionMissing, storeUnavailable, tooManyCalls } from "../../src/account/refusals.ts";
import type { SignedIn } from "../../src/account/visitor.ts";
import { loadPlans } from "../../src/guard/plans.ts";
import { Failure } from "../../src/problem/problem.ts";
import { openStore } from "../../src/store/open.ts";
import { type Store, StoreUnavailable } from "../../src/store/store.ts";
import { createCountingRandomness } from "../counting-randomness.ts";
import { createManualClock, type ManualClock } from "../manual-clock.ts";
import { temporaryDirectory } from "../store/temporary-directory.ts";

const nowMs = Date.UTC(2026, 10, 21, 12);
const acme: SignedIn = { accountId: "a-1", token: "x".repeat(32) };
const other: SignedIn = { ...acme, accountId: "a-2" };
const answerOfAcme = create(GetAccountResponseSchema, {
  account: { id: "a-1", name: "acme", suspended: false, createdAt: timestampFromMs(nowMs) },
});
const methods = [...AccountService.methods, ...SignInService.methods] as readonly DescMethodUnary[];

async function open(): Promise<{ store: Store; clock: ManualClock; office: OwnOffice }> {
  const clock = createManualClock({ nowMs });
  const store = await openStore({ dataDir: temporaryDirectory(), clock, role: "command" });
  onTestFinished(() => store.close());
  await store.createAccount({ id: "a-1", name: "acme", email: null });
  await store.createAccount({ id: "a-2", name: "other", email: null });
  const office = createAccountOffice({ store, plans: loadPlans(undefined), clock, randomness: createCountingRandomness() });
  return { store, clock, office };
}

const call = (office: OwnOffice, session: SignedIn | undefined) =>
  office.call(AccountService.method.getAccount, create(GetAccountRequestSchema), { peer: "203.0.113.9", session });

test("an account's calls are held to 20 at once and 10 a second, and another's are not held up", async () => {
  const { clock, office } = await open();
  const burst = await Promise.all(Array.from({ length: 20 }, () => call(office, acme)));
  expect(burst).toEqual(new Array(20).fill(answerOfAcme));
  const refused = await call(office, acme).catch((error: unknown) => error as Failure);
  expect(refused).toEqual(new Failure(tooManyCalls(100)));
  expect((refused as Failure).findDetails(RetryInfoSchema).map(({ retryDelay }) => retryDelay?.nanos)).toEqual([100_000_000]);
  expect((await call(office, other)).$typeName).toBe(GetAccountResponseSchema.typeName);
  clock.advance(99);
  await expect(call(office, acme)).rejects.toThrow(new Failure(tooManyCalls(1)));
  clock.advance(1);
  expect(await call(office, acme)).toEqual(answerOfAcme);
  await expect(call(office, acme)).rejects.toThrow(new Failure(tooManyCalls(100)));
  clock.advance(1000);
  const more = await Promise.allSettled(Array.from({ length: 11 }, () => call(office, acme)));
  expect(more.map(({ status }) => status)).toEqual([...new Array(10).fill("fulfilled"), "rejected"]);
});

test.for(AccountService.methods.map(({ name }) => name))("%s needs a session", async (name) => {
  const { office } = await open();
  const method = methods.find((each) => each.name === name) as DescMethodUnary;
  const visitor = { peer: "203.0.113.9", session: undefined };
  await expect(office.call(method, create(method.input), visitor)).rejects.toThrow(new Failure(sessionMissing()));
});

test("whoever signs up has a session, and another when they sign in", async () => {
  // The library asks the machine for the time.
  vi.useFakeTimers({ now: nowMs, toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const { office } = await open();
  await office.open();
  const stranger = { peer: "203.0.113.9", session: undefined };
  const { signUp, signIn } = SignInService.method;
  const wish = { email: "Ada@example.com", password: "correct horse battery" };
  const up = (await office.call(signUp, create(signUp.input, wish), stranger)) as SignUpResponse;
  const into = (await office.call(signIn, create(signIn.input, wish), stranger)) as SignInResponse;
  const id = "00000000-0000-4000-8000-000000000001";
  const account = { id, name: "ada-02020202", email: "ada@example.com", suspended: false, createdAt: timestampFromMs(nowMs) };
  const expiresAtMs = nowMs + 7 * 86_400_000;
  const [first = "", second = ""] = [up.session?.token, into.session?.token];
  const sessionOf = (token: string) => ({ token, expiresAt: timestampFromMs(expiresAtMs), account });
  expect([up, into]).toEqual([
    create(SignUpResponseSchema, { session: sessionOf(first) }),
    create(SignInResponseSchema, { session: sessionOf(second) }),
  ]);
  const found = await Promise.all([first, second, "x".repeat(32)].map((token) => office.findSession(token)));
  expect(found).toEqual([{ accountId: id, expiresAtMs }, { accountId: id, expiresAtMs }, undefined]);
});

describe("where the store cannot be asked", () => {
  // The plans are in memory.
  const asking = methods.filter(({ name }) => name !== "ListPlans");
  test.for(asking.map(({ name }) => name))("%s says when to come back", async (name) => {
    const { store, office } = await open();
    await store.close();
    const method = asking.find((each) => each.name === name) as DescMethodUnary;
    const input = create(method.input, { email: "ada@example.com", password: "correct horse", service: "radio" } as never);
    const failed = await office.call(method, input, { peer: "", session: acme }).catch((error: unknown) => error);
    expect(failed).toEqual(new Failure({ ...storeUnavailable(), cause: new StoreUnavailable("The store is closed.") }));
  });

  test("a session is not found nor missed", async () => {
    const { store, office } = await open();
    await store.close();
    await expect(office.findSession(acme.token)).rejects.toThrow(new StoreUnavailable("The store is closed."));
  });
});

test("a defect is told as it is, for the log", async () => {
  const { office, store } = await open();
  store.findAccount = () => Promise.reject(new TypeError("a defect"));
  await expect(call(office, acme)).rejects.toThrow(new TypeError("a defect"));
});
