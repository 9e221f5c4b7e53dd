// A customer's whole life, from beginning to end: every method of the account services, and the data calls that they allow or prevent.
// Whole responses are compared, except for ids, times and secrets.
import type { JsonObject } from "@bufbuild/protobuf";
import { expect } from "vitest";
import type { TestPlans } from "../../fixtures/plan-file.ts";
import type { Client } from "./clients.ts";
import { bearing, type Headers, METHODS, PASSWORD, Person, type Place } from "./person.ts";
import { A_KEY, A_TIME, A_TOKEN, AN_ID, badInput, type Expected, forbidden, MILLISECONDS, SETTINGS } from "./responses.ts";

/** The plans of the server under test. */
export const PLANS: TestPlans = {
  farkle: [
    { name: "free", callsPerMonth: 1000, requestsPerSecond: 100 },
    { name: "pro", callsPerMonth: 50_000, requestsPerSecond: 500, priceMinor: 437 },
  ],
};

/** A plan of Farkle as lists of subscriptions show it. */
const termsOf = (name: "free" | "pro"): JsonObject => {
  const { callsPerMonth = 0, requestsPerSecond = 0, priceMinor = 0 } = PLANS.farkle?.find((plan) => plan.name === name) ?? {};
  const limits = { calls_per_month: callsPerMonth, requests_per_second: requestsPerSecond };
  return { service: "farkle", name, price_minor: priceMinor, currency: "EUR", ...limits, farkle_breakdown: true };
};

/** What lists of subscriptions add to one on its free plan. */
export const ON_FREE = { terms: termsOf("free"), agreed_at: A_TIME };

/** What they add if Pro is requested besides. */
export const AND_PRO_REQUESTED = { ...ON_FREE, requested_terms: termsOf("pro"), requested_at: A_TIME };

const NEXT_PASSWORD = "six honest dice, thrown by hand";
const MINUTE_MS = 60_000;
const A_DURATION: unknown = expect.toSatisfy((ms: unknown) => typeof ms === "number" && ms > 0);
const SESSION_ENDED: Expected = { reason: "SESSION_INVALID", message: "The session is not known or has ended. Sign in again." };

const refused = (message: string, reason: "KEY_SERVICE_REFUSED" | "KEY_REVOKED" | "SUBSCRIPTION_REQUIRED"): Expected => ({
  reason,
  message,
  ...(reason !== "KEY_REVOKED" && { metadata: { service: "farkle" } }),
});

interface Account {
  readonly id: string;
}
interface Session {
  readonly token: string;
  readonly account: Account;
}
interface Key {
  readonly id: string;
  readonly created_at: string;
  readonly refused_everywhere_after_ms?: number;
}
interface Subscription {
  readonly id: string;
}

/** Plays it through with one client. */
export async function runLife(place: Place, client: Client): Promise<void> {
  const person = new Person(place, client);
  const email = `ada.${client.name.toLowerCase().replaceAll(/[^a-z]/g, "")}@example.com`;
  const { token, account } = await signUp(person, email);
  const session = bearing(token);
  await person.get(METHODS.getAccount, {}, { account, settings: SETTINGS }, session);
  const subscription = await subscribe(person, session);
  const { key, secret } = await generateKey(person, session);
  await person.play(secret);
  await readUsage(person, session, key, subscription, place);
  await readLatency(person, session, place);
  await changeKey(person, session, key, secret);
  await readRefusals(person, session, key);
  await followKey(person, session, key, secret);
  await changePlan(person, session, subscription, secret);
  await changePassword(person, session, email, account);
  await endSessions(person, session, email);
  await deleteAccount(person, session, email);
  await signOut(person, email);
}

async function signUp(person: Person, email: string): Promise<Session> {
  const name = expect.stringMatching(new RegExp(`^${email.slice(0, email.indexOf("@")).replace(".", "\\.")}-[0-9a-f]{8}$`));
  const account = { id: AN_ID, name, email, suspended: false, created_at: A_TIME };
  const input = { email: email.toUpperCase(), password: PASSWORD };
  const output = { session: { token: A_TOKEN, expires_at: A_TIME, account } };
  const { session } = await person.get<{ session: Session }>(METHODS.signUp, input, output);
  return session;
}

async function subscribe(person: Person, session: Headers): Promise<Subscription> {
  const of = { service: "farkle", currency: "EUR", farkle_breakdown: true };
  const free = { ...of, name: "free", price_minor: 0, calls_per_month: 1000, requests_per_second: 100 };
  const pro = { ...of, name: "pro", price_minor: 437, calls_per_month: 50_000, requests_per_second: 500 };
  await person.get(METHODS.listPlans, { service: "farkle" }, { results: [free, pro] });
  const output = {
    subscription: { id: AN_ID, service: "farkle", plan: "free", state: "active", created_at: A_TIME },
  };
  const input = { service: "farkle", plan: "free" };
  const { subscription } = await person.get<{ subscription: Subscription }>(METHODS.setSubscription, input, output, session);
  await person.get(METHODS.setSubscription, input, { subscription }, session);
  return subscription;
}

async function generateKey(person: Person, session: Headers): Promise<{ key: Key; secret: string }> {
  const key = {
    id: AN_ID,
    name: "table",
    prefix: "qk_live_",
    last_four: expect.stringMatching(/^\w{4}$/),
    services: ["farkle"],
    state: "active",
    created_at: A_TIME,
    notes: "by the window",
    allowed_addresses: ["127.0.0.0/8", "::1"],
    allowed_origins: [],
  };
  const allowed = { allowed_addresses: ["127.0.0.0/8", "::1"] };
  const input = { name: "table", services: ["farkle"], notes: "by the window", ...allowed };
  const created = await person.get<{ key: Key; secret: string }>(METHODS.createKey, input, { key, secret: A_KEY }, session);
  expect(created.key).toMatchObject({ last_four: created.secret.slice(-4) });
  return created;
}

// The history is written with a delay.
async function readUsage(
  person: Person,
  session: Headers,
  key: Key,
  subscription: Subscription,
  { heldElsewhereMax = 0 }: Place,
): Promise<void> {
  const input = { group_by: ["USAGE_DIMENSION_METHOD", "USAGE_DIMENSION_OUTCOME", "USAGE_DIMENSION_KEY"] };
  await expect.poll(() => person.countCalls(session)).toBe(3);
  const remaining = expect.toSatisfy((calls: number) => calls <= 997 && calls >= 997 - heldElsewhereMax);
  const month = { month: "2026-11", calls_per_month: 1000, counted: 3, credited: 0, remaining, resets_at: "2026-12-01T00:00:00Z" };
  const row = { method: "quintet.farkle.v1.FarkleService/Score", outcome: "OK", key_id: key.id, calls: 3, failed: 0, counted: 3 };
  const output = {
    standings: [
      { subscription_id: subscription.id, service: "farkle", plan: "free", ...month, refused_for_rate: 0, refused_for_quota: 0 },
    ],
    from_day: "2026-11-01",
    to_day: "2026-11-21",
    total: 1,
    results: [row],
  };
  await person.get(METHODS.getUsage, input, output, session);
  const byHour = { ...output, from_day: "2026-11-20", results: [{ hour: A_TIME, calls: 3, failed: 0, counted: 3 }] };
  await person.get(METHODS.getUsage, { group_by: ["USAGE_DIMENSION_HOUR"] }, byHour, session);
}

// The times come from the call log, which may leave some of several calls in one second out. They are written once a minute,
// for which a test waits only if its clock moves timers.
async function readLatency(person: Person, session: Headers, place: Place): Promise<void> {
  if (place.movesTimers !== true) {
    return;
  }
  const input = { measure: "USAGE_MEASURE_LATENCY" };
  const times = { median_ms: A_DURATION, p95_ms: A_DURATION, p99_ms: A_DURATION };
  const calls: unknown = expect.toSatisfy((count: number) => count >= 1 && count <= 3);
  const of = { standings: [], from_day: "2026-11-01", to_day: "2026-11-21", total: 1 };
  const isWritten = async (): Promise<boolean> => {
    place.pass(MINUTE_MS);
    return (await person.take<{ results: object[] }>(METHODS.getUsage, input, session)).results.length > 0;
  };
  await expect.poll(isWritten).toBe(true);
  await person.get(METHODS.getUsage, input, { ...of, results: [{ service: "farkle", calls, ...times }] }, session);
}

// Why the key was refused while it was disabled, and while it was for other services. Retries may add to the counts.
async function readRefusals(person: Person, session: Headers, key: Key): Promise<void> {
  const input = {
    measure: "USAGE_MEASURE_REFUSALS",
    service: "farkle",
    group_by: ["USAGE_DIMENSION_OUTCOME", "USAGE_DIMENSION_KEY"],
  };
  const areAllIn = (told: number): boolean => told >= 3;
  // Each thread writes its own counts.
  const whole = async (): Promise<number> => {
    const { results } = await person.take<{ results: { calls: number }[] }>(METHODS.getUsage, input, session);
    return results.filter(({ calls }) => areAllIn(calls)).length;
  };
  await expect.poll(whole).toBe(2);
  const calls = expect.toSatisfy(areAllIn);
  const output = {
    standings: [],
    from_day: "2026-11-01",
    to_day: "2026-11-21",
    total: 2,
    results: [
      { outcome: "KEY_REVOKED", key_id: key.id, calls },
      { outcome: "KEY_SERVICE_REFUSED", key_id: key.id, calls },
    ],
  };
  await person.get(METHODS.getUsage, input, output, session);
  const byHour = { ...input, group_by: [...input.group_by, "USAGE_DIMENSION_HOUR"] };
  const results = output.results.map((row) => ({ ...row, hour: A_TIME }));
  await person.get(METHODS.getUsage, byHour, { ...output, from_day: "2026-11-20", results }, session);
}

async function changeKey(person: Person, session: Headers, key: Key, secret: string): Promise<void> {
  const change = (changes: object, shown: object): Promise<unknown> =>
    person.get(
      METHODS.updateKey,
      { key_id: key.id, ...changes },
      { key: { ...key, name: "kitchen", last_used_at: A_TIME, ...shown } },
      session,
    );
  await change({ name: "kitchen" }, {});
  await change({ disabled: true }, { state: "disabled", refused_everywhere_after_ms: MILLISECONDS });
  await person.failToPlay(
    secret,
    refused(
      `This API key is disabled. Use another one, or enable it: PATCH /account/v1/keys/${key.id} {"disabled":false}.`,
      "KEY_REVOKED",
    ),
  );
  await change({ disabled: false }, {});
  await person.play(secret);
  await change({ services: { names: ["radio", "bitcoin"] } }, { services: ["radio", "bitcoin"] });
  await person.failToPlay(
    secret,
    refused("This API key may call radio and bitcoin, not farkle. Use a key that may call farkle.", "KEY_SERVICE_REFUSED"),
  );
  await change({ services: {} }, { services: [] });
  await person.play(secret);
}

async function followKey(person: Person, session: Headers, key: Key, secret: string): Promise<void> {
  const old = { ...key, name: "kitchen", services: [], expires_at: A_TIME, last_used_at: A_TIME, replaced_by: AN_ID };
  const next = { ...key, name: "kitchen", services: [], id: AN_ID, last_four: expect.any(String), created_at: A_TIME };
  const input = { key_id: key.id, grace_seconds: 3600 };
  const rotated = await person.get<{ old: Key; next: Key; secret: string }>(
    METHODS.rotateKey,
    input,
    { old, next, secret: A_KEY },
    session,
  );
  await person.play(secret);
  await person.play(rotated.secret);
  await isUsed(person, session, rotated.next);
  const ended = { state: "revoked", revoked_at: A_TIME, last_used_at: A_TIME };
  const revoked = { ...rotated.next, ...ended, refused_everywhere_after_ms: MILLISECONDS };
  const revoke = { key_id: rotated.next.id };
  const {
    key: { refused_everywhere_after_ms: _, ...gone },
  } = await person.get<{ key: Key }>(METHODS.revokeKey, revoke, { key: revoked }, session);
  await person.failToPlay(
    rotated.secret,
    refused("This API key has been revoked. Use another one, or create a new one: POST /account/v1/keys.", "KEY_REVOKED"),
  );
  await person.play(secret);
  // If the clock stands still, all keys have the same age.
  const used = [rotated.old, gone].map((each) => ({ ...each, last_used_at: A_TIME }));
  const results = used.toSorted((a, b) => ageOf(a) - ageOf(b) || (a.id < b.id ? -1 : 1));
  await person.get(METHODS.listKeys, {}, { results }, session);
  const final = `The key ${gone.id} is revoked, which is final; create a new one.`;
  await person.fail(METHODS.revokeKey, revoke, forbidden("key_id", final), session);
}

// Servers write it with a delay.
async function isUsed(person: Person, session: Headers, { id }: Key): Promise<void> {
  const lastUse = async (): Promise<unknown> => {
    const { results } = await person.take<{ results: (Key & { last_used_at?: string })[] }>(METHODS.listKeys, {}, session);
    return results.find((each) => each.id === id)?.last_used_at;
  };
  await expect.poll(lastUse).toEqual(A_TIME);
}

const ageOf = ({ created_at }: Key): number => Date.parse(created_at);

async function changePlan(person: Person, session: Headers, subscription: Subscription, secret: string): Promise<void> {
  const name = { service: "farkle" };
  const waiting = { ...subscription, requested_plan: "pro" };
  await person.get(METHODS.setSubscription, { ...name, plan: "pro" }, { subscription: waiting }, session);
  await person.get(METHODS.listSubscriptions, {}, { results: [{ ...waiting, ...AND_PRO_REQUESTED }] }, session);
  await person.get(METHODS.setSubscription, { ...name, plan: "free" }, { subscription }, session);
  await person.play(secret);
  const cancelled = { ...subscription, state: "cancelled" };
  await person.get(METHODS.cancelSubscription, name, { subscription: cancelled }, session);
  const message =
    'This account has no active subscription to farkle. PUT /account/v1/subscriptions/farkle {"plan":"free"} starts a free plan.';
  await person.failToPlay(secret, refused(message, "SUBSCRIPTION_REQUIRED"));
  await person.get(METHODS.listSubscriptions, {}, { results: [] }, session);
  const listed = { results: [{ ...cancelled, ...ON_FREE }] };
  await person.get(METHODS.listSubscriptions, { include_cancelled: true }, listed, session);
}

async function changePassword(person: Person, session: Headers, email: string, account: Account): Promise<void> {
  const started = { session: { token: A_TOKEN, expires_at: A_TIME, account } };
  const signIn = async (password: string): Promise<Headers> => {
    const { session: next } = await person.get<{ session: Session }>(METHODS.signIn, { email, password }, started);
    return bearing(next.token);
  };
  const other = await signIn(PASSWORD);
  const wrong = { current_password: NEXT_PASSWORD, new_password: PASSWORD };
  const isWrong = { field: "current_password", description: "is wrong" };
  await person.fail(METHODS.changePassword, wrong, badInput(isWrong), session);
  await person.get(METHODS.getAccount, {}, { account, settings: SETTINGS }, other);
  await person.get(METHODS.changePassword, { current_password: PASSWORD, new_password: NEXT_PASSWORD }, {}, session);
  await person.fail(METHODS.getAccount, {}, SESSION_ENDED, other);
  await person.fail(
    METHODS.signIn,
    { email, password: PASSWORD },
    { reason: "SIGN_IN_FAILED", message: "The e-mail address or the password is wrong. Check both, and try again." },
  );
  await person.get(METHODS.getAccount, {}, { account, settings: SETTINGS }, await signIn(NEXT_PASSWORD));
}

async function endSessions(person: Person, session: Headers, email: string): Promise<void> {
  const shown = (current: boolean): object => ({
    id: AN_ID,
    created_at: A_TIME,
    last_used_at: A_TIME,
    expires_at: A_TIME,
    address: "127.0.0.1",
    current,
  });
  const signIn = async (): Promise<Headers> => {
    const started = await person.take<{ session: Session }>(METHODS.signIn, { email, password: NEXT_PASSWORD });
    return bearing(started.session.token);
  };
  await person.get(METHODS.endSessions, { others: true }, { count: 1 }, session);
  const other = await signIn();
  const profile = {
    passkeys: [],
    sessions: expect.toSatisfy((each: readonly object[]) => each.length === 2),
    memberships: [],
  };
  const { sessions } = await person.get<{ sessions: { id: string; current: boolean }[] }>(METHODS.getProfile, {}, profile, session);
  expect(sessions.toSorted((a, b) => Number(a.current) - Number(b.current))).toEqual([
    expect.objectContaining(shown(false)),
    expect.objectContaining(shown(true)),
  ]);
  const session_id = sessions.find(({ current }) => !current)?.id ?? "";
  await person.get(METHODS.endSessions, { session_id }, { count: 1 }, session);
  await person.fail(METHODS.getAccount, {}, SESSION_ENDED, other);
  const message = `The account has no session with the ID ${session_id}.`;
  await person.fail(METHODS.endSessions, { session_id }, { reason: "NOT_FOUND", message }, session);
}

async function deleteAccount(person: Person, session: Headers, email: string): Promise<void> {
  await person.take(METHODS.setSubscription, { service: "farkle", plan: "free" }, session);
  const { secret } = await person.take<{ secret: string }>(METHODS.createKey, {}, session);
  await person.play(secret);
  const isWrong = { field: "password", description: "is wrong" };
  await person.fail(METHODS.deleteAccount, { password: PASSWORD }, badInput(isWrong), session);
  const deleted = { refused_everywhere_after_ms: MILLISECONDS };
  await person.get(METHODS.deleteAccount, { password: NEXT_PASSWORD }, deleted, session);
  await person.fail(METHODS.getAccount, {}, SESSION_ENDED, session);
  const unknown = "The API key is unknown. Check that it was copied completely, or create a new one: POST /account/v1/keys.";
  await person.failToPlay(secret, { reason: "KEY_INVALID", message: unknown });
  await person.fail(
    METHODS.signIn,
    { email, password: NEXT_PASSWORD },
    { reason: "SIGN_IN_FAILED", message: "The e-mail address or the password is wrong. Check both, and try again." },
  );
}

// The address is free again.
async function signOut(person: Person, email: string): Promise<void> {
  const session = await person.begin(email);
  await person.get(METHODS.endSessions, { current: true }, { count: 1 }, session);
  await person.fail(METHODS.getAccount, {}, SESSION_ENDED, session);
}
