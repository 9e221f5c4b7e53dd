// The operators' service: who may call it, and what operators do with it, with every client.
import type { DescMethodUnary, JsonObject } from "@bufbuild/protobuf";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OperatorService } from "../../../gen/quintet/operator/v1/operator_pb.js";
import { generateKey } from "../../../src/guard/keys/key.ts";
import { systemRandomness } from "../../../src/runtime/randomness.ts";
import { type Gateway, startGateway } from "../../fixtures/gateway.ts";
import { newBatch } from "../../fixtures/new-batch.ts";
import { CLIENTS, rest } from "./clients.ts";
import { AND_PRO_REQUESTED, ON_FREE, PLANS } from "./life.ts";
import { type Headers, METHODS, Person, placeOf } from "./person.ts";
import { A_TIME, AN_ID, badInput, type Expected, forbidden, MILLISECONDS, SETTINGS } from "./responses.ts";

const { method: OPERATOR } = OperatorService;
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

const UNKNOWN_KEY = generateKey(systemRandomness).secret;
const KEY_SHAPE = "qk_live_ or qk_test_ followed by 38 or 40 letters and digits, the last 6 of which are a checksum";

const NO_OPERATOR: Expected = {
  reason: "OPERATOR_REQUIRED",
  message: "Only operators of this server may call this, and this account is not an operator's.",
};
const MISSING_SESSION: Expected = {
  reason: "SESSION_MISSING",
  message: "Sign in, and send the session's token as authorization: Bearer TOKEN.",
};
const SESSION_ENDED: Expected = {
  reason: "SESSION_INVALID",
  message: "The session is not known or has ended. Sign in again.",
};
const SUSPENDED: Expected = {
  reason: "ACCOUNT_SUSPENDED",
  message: "This account is suspended. Ask the operator to lift the suspension.",
};
const KEY_REFUSED: Expected = {
  reason: "SUBSCRIPTION_REQUIRED",
  message: "This account is suspended. Ask the operator to lift the suspension.",
  metadata: { service: "farkle" },
};

const logged: string[] = [];
let gateway: Gateway;
let operator: Headers;
let operatorId: string;
let stranger: Headers;
let strangersId: string;

const idOf = async (session: Headers): Promise<string> => {
  const { account } = await new Person(placeOf(gateway), rest).take<{ account: { id: string } }>(METHODS.getAccount, {}, session);
  return account.id;
};

beforeAll(async () => {
  const log = pino({ level: "trace" }, { write: (line) => logged.push(line) });
  gateway = await startGateway({ plans: PLANS, log });
  const person = new Person(placeOf(gateway), rest);
  operator = await person.begin("ops@example.com");
  stranger = await person.begin("ada@example.com");
  [operatorId, strangersId] = [await idOf(operator), await idOf(stranger)];
  await gateway.store.setOperator(operatorId, true);
  operator = await person.signIn("ops@example.com");
});
afterAll(() => gateway.close());

// Each method with a valid input.
const INPUTS: Readonly<Record<keyof typeof OPERATOR, () => JsonObject>> = {
  listAccounts: () => ({}),
  getAccount: () => ({ account_id: strangersId }),
  findKeys: () => ({ last_four: "none" }),
  updateAccount: () => ({ account_id: strangersId, suspended: false }),
  resetTwoFactor: () => ({ account_id: strangersId }),
  listWaitingSubscriptions: () => ({}),
  decideSubscription: () => ({ subscription_id: UNKNOWN_ID, decision: "decline" }),
  creditQuota: () => ({ subscription_id: UNKNOWN_ID, calls: 5, reason: "an outage" }),
  getUsage: () => ({}),
  getServerState: () => ({}),
  listIncidents: () => ({}),
  createIncident: () => ({ title: "Slow", impact: "degraded", text: "Soon." }),
  updateIncident: () => ({ incident_id: UNKNOWN_ID, new_update: { text: "It is over." } }),
  deleteIncident: () => ({ incident_id: UNKNOWN_ID }),
  listAuditEntries: () => ({}),
};
const ROWS = Object.values(OPERATOR).map((method) => ({ method, input: INPUTS[method.localName as keyof typeof OPERATOR] }));

describe.each(CLIENTS)("by $name", (client) => {
  const person = () => new Person(placeOf(gateway), client);

  test.each(ROWS)("$method.name is only for operators", async ({ method, input }) => {
    await person().fail(method, input(), NO_OPERATOR, stranger);
    await person().fail(method, input(), MISSING_SESSION);
  });

  test("an account that is no longer an operator's is refused from the next call on", async () => {
    const email = `former.${client.name.toLowerCase().replaceAll(/[^a-z]/g, "")}@example.com`;
    const customer = await person().begin(email);
    const id = await idOf(customer);
    await gateway.store.setOperator(id, true);
    await person().fail(OPERATOR.listAccounts, {}, SESSION_ENDED, customer);
    const session = await person().signIn(email);
    await person().take(OPERATOR.listAccounts, {}, session);
    await gateway.store.setSuspended(id, true);
    await person().fail(OPERATOR.listAccounts, {}, SUSPENDED, session);
    await gateway.store.setSuspended(id, false);
    await gateway.store.setOperator(id, false);
    await person().fail(OPERATOR.listAccounts, {}, NO_OPERATOR, session);
  });

  test("an account is found, suspended and resumed: its keys and sessions are refused and admitted again", async () => {
    const email = `bob.${client.name.toLowerCase().replaceAll(/[^a-z]/g, "")}@example.com`;
    const owner = await person().begin(email);
    const id = await idOf(owner);
    await person().take(METHODS.setSubscription, { service: "farkle", plan: "free" }, owner);
    const { secret } = await person().take<{ secret: string }>(METHODS.createKey, {}, owner);
    await person().play(secret);
    const name = expect.stringMatching(/^bob\.\w+-[0-9a-f]{8}$/);
    const account = { id, name, email, suspended: false, created_at: A_TIME };
    const found = { total: 1, results: [account] };
    await person().get(OPERATOR.listAccounts, { search: email.toUpperCase() }, found, operator);
    const output = { account: { ...account, suspended: true }, refused_everywhere_after_ms: MILLISECONDS };
    await person().get(OPERATOR.updateAccount, { account_id: id, suspended: true }, output, operator);
    await person().failToPlay(secret, KEY_REFUSED);
    await person().fail(METHODS.listKeys, {}, SUSPENDED, owner);
    await person().fail(METHODS.createKey, {}, SUSPENDED, owner);
    await person().get(METHODS.getAccount, {}, { account: { ...account, suspended: true }, settings: SETTINGS }, owner);
    await person().get(
      OPERATOR.listAccounts,
      { only_suspended: true, search: id },
      { ...found, results: [output.account] },
      operator,
    );
    await person().get(OPERATOR.updateAccount, { account_id: id, suspended: false }, { account }, operator);
    await person().play(secret);
    await person().take(METHODS.listKeys, {}, owner);
    const actor = {
      kind: "operator",
      name: operatorId,
      account_name: expect.stringMatching(/^ops-/),
      account_email: "ops@example.com",
      origin: "127.0.0.1",
    };
    const entry = {
      number: expect.any(Number),
      at: A_TIME,
      actor,
      account_id: id,
      account_name: name,
      account_email: email,
      details: [],
    };
    const resumed = { ...entry, action: "account.resume" };
    const suspended = { ...entry, action: "account.suspend" };
    const listed = (results: readonly object[], next?: unknown) => ({
      results,
      ...(next !== undefined && { next_page_token: next }),
    });
    const ofAccount = { account_id: id };
    const both = listed([resumed, suspended]);
    await person().get(OPERATOR.listAuditEntries, { ...ofAccount, actor_account_id: operatorId }, both, operator);
    const ofOperators = { ...ofAccount, actor_kinds: ["operator", "command_line"] };
    await person().get(OPERATOR.listAuditEntries, ofOperators, both, operator);
    await person().get(
      OPERATOR.listAuditEntries,
      { ...ofOperators, page_size: 1 },
      listed([resumed], expect.stringMatching(/^\d+$/)),
      operator,
    );
    await person().get(OPERATOR.listAuditEntries, { ...ofAccount, command_line_user: "alice" }, listed([]), operator);
    const days = { since: "2026-11-21T00:00:00Z", until: "2026-11-22T00:00:00Z" };
    await person().get(OPERATOR.listAuditEntries, { ...ofOperators, ...days }, both, operator);
    await person().get(OPERATOR.listAuditEntries, { ...ofOperators, until: days.since }, listed([]), operator);
  });

  test("a waiting plan is listed, activated and declined, with the operator's name in the audit trail", async () => {
    const email = `eve.${client.name.toLowerCase().replaceAll(/[^a-z]/g, "")}@example.com`;
    const owner = await person().begin(email);
    const account = { id: await idOf(owner), name: expect.stringMatching(/^eve\./), email, suspended: false, created_at: A_TIME };
    const { subscription } = await person().take<{ subscription: { id: string } }>(
      METHODS.setSubscription,
      { service: "farkle", plan: "pro" },
      owner,
    );
    const waiting = {
      id: subscription.id,
      service: "farkle",
      plan: "free",
      requested_plan: "pro",
      state: "active",
      created_at: A_TIME,
    };
    await person().get(
      OPERATOR.listWaitingSubscriptions,
      {},
      {
        total: 1,
        results: [{ account, subscription: { ...waiting, ...AND_PRO_REQUESTED }, waiting_plan: "pro" }],
      },
      operator,
    );
    const activate = { subscription_id: subscription.id, decision: "activate" };
    const decline = { subscription_id: subscription.id, decision: "decline" };
    const { requested_plan: _, ...subscribed } = waiting;
    const active = { ...subscribed, plan: "pro" };
    const gold = { field: "plan", description: 'must be one of free, pro for farkle, not "gold"' };
    await person().fail(OPERATOR.decideSubscription, { ...activate, plan: "gold" }, badInput(gold), operator);
    await person().get(OPERATOR.decideSubscription, activate, { subscription: active }, operator);
    const none = "No plan of farkle is waiting for activation; pro is active.";
    const more = `${none} To activate another plan, name it.`;
    await person().fail(OPERATOR.decideSubscription, activate, forbidden("subscription_id", more), operator);
    await person().fail(OPERATOR.decideSubscription, decline, forbidden("subscription_id", none), operator);
    await person().get(
      OPERATOR.decideSubscription,
      { ...activate, plan: "free" },
      { subscription: { ...active, plan: "free" } },
      operator,
    );
    await person().take(METHODS.setSubscription, { service: "farkle", plan: "pro" }, owner);
    await person().get(OPERATOR.decideSubscription, decline, { subscription: { ...active, plan: "free" } }, operator);
    const { results } = await person().take<{ results: { action: string; actor: object; details: object[] }[] }>(
      OPERATOR.listAuditEntries,
      { account_id: account.id, actions: ["subscription"], page_size: 3 },
      operator,
    );
    expect(results.map(({ action, actor }) => [action, actor])).toEqual([
      ["subscription.decline", expect.objectContaining({ name: operatorId })],
      ["subscription.request", expect.objectContaining({ name: account.id })],
      ["subscription.activate", expect.objectContaining({ name: operatorId })],
    ]);
  });

  test.each<{ method: DescMethodUnary; input: () => JsonObject; expected: () => Expected }>([
    {
      method: OPERATOR.updateAccount,
      input: () => ({ account_id: operatorId, suspended: true }),
      expected: () => forbidden("account_id", "This is your own account. Another operator can suspend it."),
    },
    {
      method: OPERATOR.resetTwoFactor,
      input: () => ({ account_id: operatorId }),
      expected: () => forbidden("account_id", "This is your own account. Turn two-factor authentication off at /app/account."),
    },
    {
      method: OPERATOR.resetTwoFactor,
      input: () => ({ account_id: strangersId }),
      expected: () => forbidden("account_id", "The account has neither two-factor authentication nor passkeys."),
    },
    ...[OPERATOR.getAccount, OPERATOR.getUsage, OPERATOR.updateAccount, OPERATOR.resetTwoFactor].map((method) => ({
      method,
      input: () => ({ account_id: UNKNOWN_ID, ...(method === OPERATOR.updateAccount && { suspended: true }) }),
      expected: (): Expected => ({ reason: "NOT_FOUND", message: `There is no account with the ID ${UNKNOWN_ID}.` }),
    })),
    ...[
      { method: OPERATOR.decideSubscription, more: { decision: "activate" } },
      { method: OPERATOR.decideSubscription, more: { decision: "decline" } },
      { method: OPERATOR.creditQuota, more: { calls: 5, reason: "an outage" } },
    ].map(({ method, more }) => ({
      method,
      input: () => ({ subscription_id: UNKNOWN_ID, ...more }),
      expected: (): Expected => ({ reason: "NOT_FOUND", message: `There is no subscription with the ID ${UNKNOWN_ID}.` }),
    })),
    {
      method: OPERATOR.updateAccount,
      input: () => ({ account_id: strangersId }),
      expected: () => badInput({ field: "suspended", description: "is required" }),
    },
    {
      method: OPERATOR.decideSubscription,
      input: () => ({ subscription_id: UNKNOWN_ID, decision: "decline", plan: "pro" }),
      expected: () => badInput({ field: "plan", description: "is only for the decision to activate" }),
    },
    ...[
      { input: { key: "qk_live_secret" }, description: `must be ${KEY_SHAPE}; this one is mistyped or incomplete` },
      {
        input: { key: `${UNKNOWN_KEY.slice(0, -1)}${UNKNOWN_KEY.endsWith("x") ? "y" : "x"}` },
        description: `must be ${KEY_SHAPE}; this one is mistyped or incomplete`,
      },
      { input: { key: "x".repeat(65) }, description: "must be at most 64 characters long" },
    ].map(({ input, description }) => ({
      method: OPERATOR.findKeys,
      input: () => input,
      expected: () => badInput({ field: "key", description }),
    })),
    {
      method: OPERATOR.findKeys,
      input: () => ({}),
      expected: () => badInput({ field: "key", description: "is required, unless last_four is given" }),
    },
    // The other clients cannot send both.
    ...(client === rest
      ? [
          {
            method: OPERATOR.findKeys,
            input: () => ({ key: UNKNOWN_KEY, last_four: "wxyz" }),
            expected: () => badInput({ field: "last_four", description: "cannot be given together with key" }),
          },
        ]
      : []),
    ...[
      { account_id: strangersId, breakdown: "USAGE_BREAKDOWN_HOUR", fault: ["breakdown", "one account"] },
      { account_id: strangersId, limit: 3, fault: ["limit", "one account"] },
      { breakdown: "USAGE_BREAKDOWN_HOUR", from_day: "2026-11-20", fault: ["from_day", "the last 24 hours"] },
      { breakdown: "USAGE_BREAKDOWN_HOUR", to_day: "2026-11-20", fault: ["to_day", "the last 24 hours"] },
      { breakdown: "USAGE_BREAKDOWN_HOUR", limit: 3, fault: ["limit", "the last 24 hours"] },
    ].map(({ fault: [field = "", of], ...input }) => ({
      method: OPERATOR.getUsage,
      input: () => ("account_id" in input ? { ...input, account_id: strangersId } : input),
      expected: () => badInput({ field, description: `is not for the usage of ${of}` }),
    })),
    {
      method: OPERATOR.findKeys,
      input: () => ({ last_four: "wxy" }),
      expected: () => badInput({ field: "last_four", description: "must be written like wxyz" }),
    },
    {
      method: OPERATOR.creditQuota,
      input: () => ({ subscription_id: UNKNOWN_ID, calls: 0, reason: "" }),
      expected: () =>
        badInput(
          { field: "calls", description: "must be a whole number from 1 to 1000000000, not 0" },
          { field: "reason", description: "is required" },
        ),
    },
    {
      method: OPERATOR.listAuditEntries,
      input: () => ({ actions: ["key.revok"] }),
      expected: () =>
        badInput({
          field: "actions[0]",
          description: 'is not an action of the audit trail: "key.revok"; did you mean key.revoke?',
        }),
    },
    {
      method: OPERATOR.listAuditEntries,
      input: () => ({ since: "2026-11-21T12:00:00Z", until: "2026-11-21T12:00:00Z" }),
      expected: () => badInput({ field: "until", description: "must be after since" }),
    },
    {
      method: OPERATOR.listAuditEntries,
      input: () => ({ actor_account_id: strangersId, command_line_user: "alice" }),
      expected: () => {
        const description =
          "cannot be given together with actor_account_id: an entry is made either by an account or on the command line";
        return badInput({ field: "command_line_user", description });
      },
    },
    {
      method: OPERATOR.listAuditEntries,
      input: () => ({ command_line_user: "alice\u0000" }),
      expected: () => badInput({ field: "command_line_user", description: "must not contain control characters" }),
    },
    {
      method: OPERATOR.creditQuota,
      input: () => ({ subscription_id: UNKNOWN_ID, calls: 5, reason: "an\u0000 outage" }),
      expected: () => badInput({ field: "reason", description: "must not contain control characters" }),
    },
    {
      method: OPERATOR.listAuditEntries,
      input: () => ({ account_id: "acme" }),
      expected: () =>
        badInput({ field: "account_id", description: 'must be a UUID such as 5b0c3a2e-7f0e-4a51-9b7c-0d6f5a3e9c11, not "acme"' }),
    },
    {
      method: OPERATOR.listAuditEntries,
      input: () => ({ page_size: 201 }),
      expected: () => badInput({ field: "page_size", description: "must be a whole number from 0 to 200, not 201" }),
    },
  ])("$method.name refuses bad input", async ({ method, input, expected }) => {
    await person().fail(method, input(), expected(), operator);
  });

  test("a key is found by itself or its last four characters, with its account, and no secret", async () => {
    const email = `lea.${client.name.toLowerCase().replaceAll(/[^a-z]/g, "")}@example.com`;
    const owner = await person().begin(email);
    const { secret } = await person().take<{ secret: string }>(METHODS.createKey, { name: "leaked" }, owner);
    const key = {
      id: AN_ID,
      name: "leaked",
      prefix: "qk_live_",
      last_four: secret.slice(-4),
      services: [],
      notes: "",
      allowed_addresses: [],
      allowed_origins: [],
      state: "active",
      created_at: A_TIME,
    };
    const account = { id: await idOf(owner), name: expect.stringMatching(/^lea\./), email, suspended: false, created_at: A_TIME };
    const output = { results: [{ key, account }] };
    await person().get(OPERATOR.findKeys, { key: secret }, output, operator);
    await person().get(OPERATOR.findKeys, { last_four: secret.slice(-4) }, output, operator);
    await person().get(OPERATOR.findKeys, { key: UNKNOWN_KEY }, { results: [] }, operator);
    expect(logged.join("")).not.toContain(secret);
  });

  test("calls are credited on top of the plan's, with the reason in the audit trail", async () => {
    const owner = await person().begin(`max.${client.name.toLowerCase().replaceAll(/[^a-z]/g, "")}@example.com`);
    const { subscription } = await person().take<{ subscription: { id: string } }>(
      METHODS.setSubscription,
      { service: "farkle", plan: "free" },
      owner,
    );
    const id = { subscription_id: subscription.id };
    const given = { service: "farkle", month: "2026-11", calls: 500, credited: 500 };
    await person().get(OPERATOR.creditQuota, { ...id, calls: 500, reason: "an outage" }, given, operator);
    const { standings } = await person().take<{ standings: { remaining: number; calls_per_month: number; credited: number }[] }>(
      METHODS.getUsage,
      {},
      owner,
    );
    expect(standings.map((one) => [one.remaining - one.calls_per_month, one.credited])).toEqual([[500, 500]]);
    const { results } = await person().take<{ results: { details: object[] }[] }>(
      OPERATOR.listAuditEntries,
      { account_id: await idOf(owner), actions: ["quota.credit"] },
      operator,
    );
    expect(results.map(({ details }) => details.at(-1))).toEqual([{ name: "reason", value: "an outage" }]);
    const tooMany = "At most 1000000000 calls can be added for a month; with these there would be 1000000500.";
    const most = { ...id, calls: 1_000_000_000, reason: "too many" };
    await person().fail(OPERATOR.creditQuota, most, forbidden("calls", tooMany), operator);
    await person().take(METHODS.cancelSubscription, { service: "farkle" }, owner);
    const ended = "The subscription is cancelled, so credited calls could not be used.";
    await person().fail(OPERATOR.creditQuota, most, forbidden("subscription_id", ended), operator);
  });

  test("returns the usage of one account and of all accounts, and the state of the server", async () => {
    const usage = await person().take<{ services: object[]; from_day: string }>(OPERATOR.getUsage, { service: "radio" }, operator);
    expect(usage).toMatchObject({ from_day: "2026-11-01", to_day: "2026-11-21" });
    const refused = { accountId: strangersId, keyId: client.name, service: "radio", day: "2026-11-20", hour: 9, calls: 3 } as const;
    await gateway.store.addRefusals([{ ...refused, reason: "RATE_LIMITED", rateNeeded: 5 }], newBatch());
    const own = await person().take(OPERATOR.getUsage, { account_id: strangersId, from_day: "2026-11-20" }, operator);
    expect(own).toEqual({
      ...{ services: [], accounts: [], hours: [], standings: [], from_day: "2026-11-20", to_day: "2026-11-21", results: [] },
      refusals: [{ day: "2026-11-20", outcome: "RATE_LIMITED", calls: 3 * (CLIENTS.indexOf(client) + 1) }],
    });
    const state = await person().take<{ upstreams: { service: string }[] }>(OPERATOR.getServerState, {}, operator);
    expect(state).toMatchObject({
      version: expect.stringMatching(/^\d/),
      threads: { configured: 1, running: 1, replaced: 0 },
      database: { kind: "embedded", up: true },
      nodes: [],
    });
    expect(state.upstreams.map(({ service }) => service)).toEqual(["radio", "token-price", "token-list", "bitcoin"]);
  });

  test("returns what all servers counted in the last 24 hours, by hour, service and source", async () => {
    const count = { service: "radio", part: "calls", calls: 10, failed: 1, refused: 2, latency: [0, 10] } as const;
    await gateway.store.addHealth([
      { ...count, hour: `2026-11-20T${String(CLIENTS.indexOf(client)).padStart(2, "0")}` },
      ...(client === CLIENTS[0]
        ? [
            { ...count, hour: "2026-11-21T10" },
            { ...count, hour: "2026-11-21T10", part: "source" as const, latency: [] },
          ]
        : []),
    ]);
    const hourly = { breakdown: "USAGE_BREAKDOWN_HOUR", service: "radio" };
    const { hours } = await person().take<{ hours: { hour: string }[] }>(OPERATOR.getUsage, hourly, operator);
    const row = { hour: "2026-11-21T10:00:00Z", service: "radio", calls: 10, failed: 1, refused: 2 };
    expect(hours.filter(({ hour }) => hour === row.hour)).toEqual([
      { ...row, kind: "calls", median_ms: 7.5 },
      { ...row, kind: "source" },
    ]);
    // What is older than a day is left out.
    expect(hours.filter(({ hour }) => hour.startsWith("2026-11-20T0"))).toEqual([]);
  });

  test("an account is shown with its subscriptions and keys, and no secret", async () => {
    const email = `kim.${client.name.toLowerCase().replaceAll(/[^a-z]/g, "")}@example.com`;
    const owner = await person().begin(email);
    const { secret } = await person().take<{ secret: string }>(METHODS.createKey, { name: "first", notes: "for tests" }, owner);
    await person().take(METHODS.setSubscription, { service: "farkle", plan: "free" }, owner);
    const id = await idOf(owner);
    const key = {
      id: AN_ID,
      name: "first",
      prefix: "qk_live_",
      last_four: secret.slice(-4),
      services: [],
      notes: "for tests",
      allowed_addresses: [],
      allowed_origins: [],
      state: "active",
      created_at: A_TIME,
    };
    const subscription = { id: AN_ID, service: "farkle", plan: "free", state: "active", created_at: A_TIME };
    const account = { id, name: expect.stringMatching(/^kim\./), email, suspended: false, created_at: A_TIME };
    const members = [{ id, email, role: "owner", primary_owner: true, joined_at: A_TIME }];
    const output = { account, subscriptions: [{ ...subscription, ...ON_FREE }], keys: [key], members, passkeys: 0 };
    await person().get(OPERATOR.getAccount, { account_id: id }, output, operator);
  });
});

test("an operator's calls have a separate rate limit, and their changes a lower one", async () => {
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${gateway.origin}/operator/v1${path}`, { ...init, headers: { ...operator, "content-type": "application/json" } });
  const statuses = async (count: number, one: () => Promise<Response>) => {
    const responses = [];
    for (let at = 0; at < count; at++) {
      responses.push((await one()).status);
    }
    return responses;
  };
  gateway.clock.advance(60_000);
  expect(await statuses(21, () => call("/accounts"))).toEqual([...new Array(20).fill(200), 429]);
  gateway.clock.advance(200);
  expect((await call("/accounts")).status).toBe(200);
  gateway.clock.advance(60_000);
  const resume = async () => {
    gateway.clock.advance(200);
    return call(`/accounts/${strangersId}`, { method: "PATCH", body: JSON.stringify({ suspended: false }) });
  };
  const responses = await statuses(60, resume);
  expect(responses.indexOf(429)).toBeGreaterThan(30);
  expect(responses.filter((status) => status === 200).length).toBeLessThan(45);
});

test("a page of another origin cannot use an operator's cookie", async () => {
  const cookie = `quintet_session=${operator.authorization?.replace("Bearer ", "")}`;
  const post = (headers: Record<string, string>) =>
    fetch(`${gateway.origin}/operator/v1/accounts`, { headers: { cookie, ...headers } });
  gateway.clock.advance(60_000);
  expect((await post({ origin: "https://evil.example" })).status).toBe(403);
  expect((await post({ "sec-fetch-site": "same-site" })).status).toBe(403);
  expect((await post({ origin: gateway.origin, "sec-fetch-site": "same-origin" })).status).toBe(200);
});
