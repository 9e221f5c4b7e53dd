// The examples of the OpenAPI documents: each operation has one of a request and of its response. They are real responses of the sandbox to
// a fresh account, recorded in scripts/openapi/recorded/ and compared with it here; `npm test -- test/system/openapi-examples.test.ts -u`
// records them again, and `npm run generate` publishes them.

import { hashSecret } from "@quintet/guard";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ownEntitlements } from "../../src/catalogue/entitlements.ts";
import { loadPlans } from "../../src/catalogue/plans.ts";
import { SERVICE_NAMES } from "../../src/catalogue/service-names.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { codeAt } from "../fixtures/authenticator.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { type Schema, schemaFaults } from "../fixtures/json-schema.ts";
import {
  ACCOUNT_OPERATIONS,
  CHANGING_OPERATIONS,
  DATA_OPERATIONS,
  DOCUMENT,
  documentedResponse,
  fetchJson,
  OPERATOR_OPERATIONS,
  OPERATORS_DOCUMENT,
  type Operation,
  responseFaults,
} from "../fixtures/openapi-document.ts";
import type { TestPlans } from "../fixtures/plan-file.ts";
import { quickPasswords } from "../fixtures/quick-passwords.ts";
import { expectRecorded, REQUEST_ID, type Recorded, recordedResponse, steady, textOf } from "../fixtures/recorded-examples.ts";
import { type Input, queryOf, sampleInput, stationOf } from "../fixtures/sample-calls.ts";
import { withSteadyOrigins } from "../fixtures/sandbox-origins.ts";
import { providerVariables, startIdentityProvider } from "../fixtures/servers/identity-provider.ts";
import { linkOf, type SmtpServer, startSmtp } from "../fixtures/servers/smtp.ts";
import { payAt, startStripe, stripeVariables } from "../fixtures/servers/stripe.ts";
import { challengeOf, createSoftwarePasskey } from "../fixtures/software-passkey.ts";
import { startWorld, type World } from "../fixtures/world.ts";

// Every server publishes the examples, whatever its plans cost, so none has a price of the built-in plans.
const EXAMPLE_PLANS: TestPlans = Object.fromEntries(
  SERVICE_NAMES.map((service) => [
    service,
    loadPlans(undefined)
      .of(service)
      .map(({ id: _id, service: _, entitlements, priceMinor, ...plan }) => ({
        ...plan,
        ...ownEntitlements(service, entitlements),
        priceMinor: priceMinor === 0 ? 0 : 500 * Math.ceil(priceMinor / 500) - 1,
      })),
  ]),
);

const serviceOf = ({ operationId }: Operation): string => operationId.replace(/Service_.*$/, "").toLowerCase();

// What a fresh account has: the built-in free plans, at a rate that delays no test.
const FREE_PLANS: TestPlans = Object.fromEntries(
  Object.entries(EXAMPLE_PLANS).map(([service, plans = []]) => [
    service,
    plans
      .filter(({ priceMinor }) => priceMinor === 0)
      .map((plan) => ({ ...plan, callsPerMonth: 1_000_000, requestsPerSecond: 100_000 })),
  ]),
);

interface MediaType {
  readonly schema: Schema;
  readonly example?: unknown;
}

describe("the data services", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld(FREE_PLANS);
  });
  afterAll(() => world.close());

  const headers = (): Record<string, string> => ({ ...world.headers, "x-request-id": REQUEST_ID });

  async function record({ path, get }: (typeof DATA_OPERATIONS)[number]): Promise<readonly [string, Recorded]> {
    const request = sampleInput(get.operationId, await stationOf(world.gateway.origin, world.headers));
    const { status, body } = await fetchJson(`${world.gateway.origin}${path}?${new URLSearchParams(queryOf(request))}`, {
      headers: headers(),
    });
    expect({ status, faults: responseFaults(get, { status, body }) }).toEqual({ status: 200, faults: [] });
    return [get.operationId, { request, response: body }];
  }

  async function recordChange({ path, post }: (typeof CHANGING_OPERATIONS)[number]): Promise<readonly [string, Recorded]> {
    const request = sampleInput(post.operationId, await stationOf(world.gateway.origin, world.headers));
    const { status, body } = await fetchJson(`${world.gateway.origin}${path}`, {
      method: "POST",
      headers: { ...headers(), "content-type": "application/json" },
      body: JSON.stringify(request),
    });
    expect({ status, faults: responseFaults(post, { status, body }) }).toEqual({ status: 200, faults: [] });
    return [post.operationId, { request, response: body }];
  }

  const services = [...new Set(DATA_OPERATIONS.map(({ get }) => serviceOf(get)))];

  test.each(services)("%s responds as the examples show", async (service) => {
    const recorded: [string, Recorded][] = [];
    for (const operation of DATA_OPERATIONS.filter(({ get }) => serviceOf(get) === service)) {
      const [id, one] = await record(operation);
      recorded.push([id, one]);
    }
    for (const operation of CHANGING_OPERATIONS.filter(({ post }) => serviceOf(post) === service)) {
      const [id, one] = await recordChange(operation);
      recorded.push([id, one]);
    }
    const text = withSteadyOrigins(JSON.stringify(Object.fromEntries(recorded)), world.sandbox);
    // The world of the sandbox is the same at every start.
    await expectRecorded(service, textOf(JSON.parse(text) as Readonly<Record<string, Recorded>>));
  });
});

const PROVIDER_ORIGIN = "https://login.example.com";

const mailVariables = (url: string): Readonly<Record<string, string>> => ({
  QUINTET_SMTP_URL: url,
  QUINTET_MAIL_FROM: "no-reply@example.com",
  QUINTET_PUBLIC_URL: "https://api.example.com",
});

// Notices that change nothing may arrive before the link.
async function mailedToken(smtp: SmtpServer, email: string): Promise<string> {
  for (;;) {
    const token = /#token=(\w+)/.exec(linkOf(await smtp.nextMail(email)))?.[1];
    if (token !== undefined) {
      return token;
    }
  }
}

// Instead of the server, so that nothing is sent to anybody.
async function sendWebhooks({ store, clock }: Gateway): Promise<void> {
  for (const webhook of await store.claimWebhooks({ limit: 1, leaseMs: 60_000, perAccountMax: 1, exceptAccountIds: [] })) {
    const response = { atMs: clock.nowMs(), durationMs: 184, httpStatus: 204, response: "", error: undefined };
    await store.endWebhookAttempt(webhook, { ...response, state: "delivered", isGone: false }, { mails: false });
  }
}

// Challenges, keys and signatures are random.
const withSteadyPasskeys = (text: string): string =>
  text
    .replaceAll(
      /(\\"(?:challenge|signature|attestationObject|clientDataJSON|authenticatorData|userHandle)\\":\\")[\w-]+/g,
      "$1c3RlYWR5",
    )
    .replaceAll(/(\\"user\\":\{\\"id\\":\\")[\w-]+/g, "$1c3RlYWR5");

test("the account services respond as the examples show", async () => {
  const gateway = await startGateway({ plans: EXAMPLE_PLANS });
  onTestFinished(() => gateway.close());
  const recorded: Record<string, Recorded> = {};
  let token = "";
  let current = gateway;
  const call = async <Data>(id: string, request: Input = {}, account?: string): Promise<Data> => {
    const found = ACCOUNT_OPERATIONS.find((one) => one.operation.operationId === id);
    if (found === undefined) {
      throw new Error(`${id} is not documented`);
    }
    const response = await recordedResponse({ gateway: current, token, account }, found, request, DOCUMENT);
    recorded[id] = { request, response };
    return response.data as Data;
  };
  const signIn = async (credentials: Input): Promise<string> =>
    (await call<{ session: { token: string } }>("SignInService_SignIn", credentials)).session.token;
  const person = { email: "ada@example.com", password: "seven green bicycles" };
  await call("SignInService_SignUp", person);
  token = await signIn(person);
  const first = recorded.SignInService_SignIn as Recorded;
  await call("AccountService_GetAccount");
  await call("StatusService_ListPlans", { service: "farkle" });
  const latency = [900, 95, 5, 1];
  await gateway.store.addHealth([
    { service: "farkle", part: "calls", hour: "2026-11-20T09", calls: 1001, failed: 1, refused: 0, latency },
    { service: "radio", part: "source", hour: "2026-11-21T12", calls: 40, failed: 0, refused: 0, latency: [0, 0, 0, 30, 9, 1] },
  ]);
  await call("StatusService_GetStatus");
  await call("AccountService_SetSubscription", { service: "farkle", plan: "free" });
  await call("AccountService_ListSubscriptions");
  const created = await call<{ key: { id: string }; secret: string }>("KeyService_CreateKey", {
    name: "website",
    services: ["farkle"],
  });
  const { key, secret } = created;
  const key_id = key.id;
  await call("KeyService_ListKeys");
  await call("KeyService_UpdateKey", { key_id, name: "web shop", services: { names: ["farkle", "radio"] } });
  await call("AccountService_UpdateAccount", { settings: { logs_parameters: true } });
  // Watched calls are remembered for a while, so that the recorded stream begins with a call.
  gateway.clock.advance(1000);
  const watch = await fetch(`${gateway.origin}/account/v1/watch-calls`, { headers: { authorization: `Bearer ${token}` } });
  await fetch(`${gateway.origin}/farkle/v1/score?dice=1,5`, { headers: { "x-gateway-key": secret, "x-request-id": REQUEST_ID } });
  await watch.body?.cancel();
  await call("UsageService_WatchCalls", { service: "farkle", backlog: 10 });
  const [{ id: caller } = { id: "" }] = await gateway.store.accountsAfter("", 1);
  const measured = { accountId: caller, service: "farkle", latency: [900, 95, 5, 1] } as const;
  await gateway.store.addLatency([{ ...measured, hour: "2026-11-20T09" }]);
  await call("UsageService_GetUsage", {
    measure: "latency",
    group_by: ["day", "service"],
    from_day: "2026-11-01",
    to_day: "2026-11-20",
  });
  const listCalls = (): Promise<{ results: object[] }> =>
    call("UsageService_ListCalls", { request_id: REQUEST_ID, result: "succeeded", page_size: 10 });
  await expect.poll(async () => (await listCalls()).results.length).toBe(1);
  // The key may not call this service.
  await fetchJson(`${gateway.origin}/bitcoin/v1/mayer`, { headers: { "x-gateway-key": secret } });
  const listRefusals = (): Promise<{ total: number }> =>
    call("UsageService_GetUsage", {
      measure: "refusals",
      group_by: ["outcome", "service"],
      from_day: "2026-11-01",
      to_day: "2026-11-21",
    });
  // It is counted once a second.
  await expect.poll(async () => (await listRefusals()).total).toBe(1);
  await call("UsageService_GetUsage", { service: "farkle", from_day: "2026-11-01", to_day: "2026-11-21" });
  await call("KeyService_RotateKey", { key_id, grace_seconds: 3600 });
  await call("KeyService_RevokeKey", { key_id });
  const [{ id: accountId } = { id: "" }] = await gateway.store.accountsAfter("", 1);
  const month = { service: "farkle", plan: "free", month: "2026-11" };
  const used = { percent: 80, used: 521, calls_per_month: 650, resets_at: "2026-12-01T00:00:00Z" };
  const alert = { type: "quota.threshold", subject: "farkle", period: "2026-11/free", level: 80, isMailed: true } as const;
  await gateway.store.addAlerts([{ ...alert, accountId, details: { ...month, ...used } }], { mails: false });
  await call("AccountService_ListAlerts");
  await call("AccountService_ListActivity", { page_size: 3, actions: ["key", "account.sign_in"] });
  await call("AccountService_UpdateAccount", { settings: { alerts: { mailed: ["quota_threshold", "key_expiring"] } } });
  const url = "https://example.com/hooks/quintet";
  const hook = await call<{ endpoint: { id: string } }>("WebhookService_CreateWebhookEndpoint", { url, description: "Our chat" });
  const endpoint_id = hook.endpoint.id;
  const types = ["quota_threshold", "calls_failing"];
  await call("WebhookService_UpdateWebhookEndpoint", { endpoint_id, alert_types: { types } });
  await call("WebhookService_RotateWebhookSecret", { endpoint_id });
  await call("WebhookService_ListWebhookEndpoints");
  await gateway.store.addAlerts([{ ...alert, level: 95, accountId, details: { ...month, ...used, percent: 95 } }], {
    mails: false,
  });
  await sendWebhooks(gateway);
  const sent = await call<{ results: { id: string }[] }>("WebhookService_ListWebhookDeliveries", { endpoint_id });
  await call("WebhookService_SendWebhookDelivery", { delivery_id: sent.results[0]?.id });
  await call("WebhookService_DeleteWebhookEndpoint", { endpoint_id });
  await call("AccountService_SetSubscription", { service: "farkle", plan: "pro" });
  await call("AccountService_CancelSubscription", { service: "farkle" });
  const grace = { email: "grace@example.com", password: "eleven silver kettles" };
  const own = token;
  const signUp = recorded.SignInService_SignUp as Recorded;
  const { session: graces } = await call<{ session: { token: string } }>("SignInService_SignUp", grace);
  recorded.SignInService_SignUp = signUp;
  const invite = (): Promise<{ link: string; invitation: { id: string } }> =>
    call("MemberService_InviteMember", { email: grace.email, role: "developer" });
  const { invitation } = await invite();
  await call("MemberService_ListMembers");
  const listed = recorded.MemberService_ListMembers as Recorded;
  await call("MemberService_WithdrawInvitation", { invitation_id: invitation.id });
  const { link } = await invite();
  token = graces.token;
  await call("SignInService_GetInvitation", { token: new URLSearchParams(link.split("#")[1]).get("token") });
  await call("ProfileService_AcceptInvitation", { token: new URLSearchParams(link.split("#")[1]).get("token") });
  token = own;
  const { results: members } = await call<{ results: { id: string }[] }>("MemberService_ListMembers");
  recorded.MemberService_ListMembers = listed;
  const member_id = members[1]?.id;
  await call("MemberService_ChangeMemberRole", { member_id, role: "reader" });
  await call("MemberService_RemoveMember", { member_id });
  const again = await invite();
  token = graces.token;
  await call("ProfileService_AcceptInvitation", { token: new URLSearchParams(again.link.split("#")[1]).get("token") });
  const removed = recorded.MemberService_RemoveMember as Recorded;
  await call("MemberService_RemoveMember", { member_id: "me" }, accountId);
  recorded.MemberService_RemoveMember = removed;
  token = own;
  await call("ProfileService_ChangePassword", { current_password: person.password, new_password: "nine quiet lighthouses" });
  const profile = await call<{ sessions: { id: string }[] }>("ProfileService_GetProfile");
  await call("ProfileService_EndSessions", { session_id: profile.sessions[0]?.id });
  token = await signIn({ ...person, password: "nine quiet lighthouses" });
  await call("ProfileService_EndSessions", { others: true });
  await call("ProfileService_EndSessions", { current: true });
  token = await signIn({ ...person, password: "nine quiet lighthouses" });
  const password = "nine quiet lighthouses";
  const drawn = await call<{ secret: string }>("ProfileService_BeginTwoFactor", { password });
  // The code at the time when it arrives.
  const code = (): string => codeAt(drawn.secret, gateway.clock.nowMs() + 1000);
  const nextCode = (): string => {
    gateway.clock.advance(30_000);
    return code();
  };
  await call("ProfileService_ConfirmTwoFactor", { code: code() });
  const signedInBefore = recorded.SignInService_SignIn as Recorded;
  const { challenge } = await call<{ challenge: string }>("SignInService_SignIn", { ...person, password });
  await call("SignInService_SignIn", { challenge, code: nextCode() });
  recorded.SignInService_SignIn = signedInBefore;
  await call("ProfileService_ReplaceRecoveryCodes", { password, code: nextCode() });
  await call("ProfileService_EndTwoFactor", { password, code: nextCode() });
  await call("ProfileService_DeleteAccount", { password });
  const smtp = await startSmtp();
  onTestFinished(() => smtp.close());
  current = await startGateway({ variables: mailVariables(smtp.url) });
  const mailing = current;
  onTestFinished(() => mailing.close());
  const passwordHash = await quickPasswords.hash(person.password);
  await current.store.createOwnedAccount({ id: systemRandomness.uuid(), name: "ada-1", email: person.email }, passwordHash);
  token = "";
  token = await signIn(person);
  recorded.SignInService_SignIn = first;
  await call("ProfileService_SendVerification");
  await call("SignInService_VerifyEmail", { token: await mailedToken(smtp, person.email), password: person.password });
  await call("ProfileService_ChangeEmail", { new_email: "ada@example.org", password: person.password });
  const started = await call<{ options_json: string }>("ProfileService_BeginPasskey", { password: person.password });
  const { user } = JSON.parse(started.options_json) as { user: { id: string } };
  const passkey = createSoftwarePasskey("api.example.com", Buffer.from(user.id, "base64url").toString());
  const signing = (options: string) => ({ challenge: challengeOf(options), origin: "https://api.example.com" });
  const credential = passkey.created(signing(started.options_json));
  const { passkey: laptop } = await call<{ passkey: { id: string } }>("ProfileService_CreatePasskey", {
    credential_json: credential,
    name: "Laptop",
  });
  const { options_json } = await call<{ options_json: string }>("SignInService_BeginPasskeySignIn");
  await call("SignInService_SignIn", { credential_json: passkey.signed(signing(options_json)) });
  recorded.SignInService_SignIn = first;
  await call("ProfileService_UpdatePasskey", { passkey_id: laptop.id, name: "Work laptop" });
  await call("ProfileService_DeletePasskey", { passkey_id: laptop.id, password: person.password });
  await call("SignInService_RequestPasswordReset", { email: person.email });
  const next = { token: await mailedToken(smtp, person.email), new_password: "eleven warm lanterns" };
  await call("SignInService_ResetPassword", next);
  const returnUrl = "https://api.example.com/app/signed-in";
  const provider = await startIdentityProvider(returnUrl);
  onTestFinished(() => provider.close());
  token = "";
  current = await startGateway({ variables: providerVariables(provider, "https://api.example.com") });
  const trusting = current;
  onTestFinished(() => trusting.close());
  await call("SignInService_BeginProviderSignIn", { provider: "oidc" });
  const stripe = await startStripe();
  onTestFinished(() => stripe.close());
  token = "";
  current = await startGateway({ plans: EXAMPLE_PLANS, variables: stripeVariables(stripe) });
  const selling = current;
  onTestFinished(() => selling.close());
  await current.store.createOwnedAccount({ id: systemRandomness.uuid(), name: "ada-2", email: person.email }, passwordHash);
  token = await signIn(person);
  recorded.SignInService_SignIn = first;
  const checkout = await call<{ url: string }>("BillingService_CreateCheckout", { service: "farkle", plan: "starter" });
  await payAt(stripe, checkout.url, selling.origin);
  await call("BillingService_PreviewChange", { service: "farkle", plan: "pro" });
  await call("BillingService_CreatePortalSession");
  expect(Object.keys(recorded).toSorted()).toEqual(ACCOUNT_OPERATIONS.map(({ operation }) => operation.operationId).toSorted());
  await expectRecorded(
    "account",
    steady(withSteadyPasskeys(textOf(recorded)))
      .replaceAll(stripe.origin, "https://stripe.example.com")
      .replaceAll(encodeURIComponent(provider.origin), encodeURIComponent(PROVIDER_ORIGIN))
      .replaceAll(provider.origin, PROVIDER_ORIGIN)
      // As long as they are.
      .replaceAll(/("ticket": ")\w{32}/g, `$1${"c3RlYWR5".repeat(4)}`)
      .replaceAll(/\b(state|nonce|code_challenge)=[\w-]{43}/g, `$1=${"c3RlYWR5".repeat(6).slice(0, 43)}`),
  );
});

test("the operators' service responds as the examples show", async () => {
  const gateway = await startGateway({ plans: EXAMPLE_PLANS });
  onTestFinished(() => gateway.close());
  const { store, origin } = gateway;
  const recorded: Record<string, Recorded> = {};
  let token = "";
  const call = async <Data>(id: string, request: Input = {}): Promise<Data> => {
    const operators = OPERATOR_OPERATIONS.find((one) => one.operation.operationId === `OperatorService_${id}`);
    const found = operators ?? ACCOUNT_OPERATIONS.find((one) => one.operation.operationId === id);
    if (found === undefined) {
      throw new Error(`${id} is not documented`);
    }
    const document = operators === undefined ? DOCUMENT : OPERATORS_DOCUMENT;
    const response = await recordedResponse({ gateway, token }, found, request, document);
    if (operators !== undefined) {
      recorded[found.operation.operationId] = { request, response };
    }
    return response.data as Data;
  };
  const signIn = async (name: string, isOperator: boolean): Promise<string> => {
    const [email, password] = [`${name}@example.com`, "seven green bicycles"];
    const id = systemRandomness.uuid();
    await store.createOwnedAccount({ id, name, email }, await quickPasswords.hash(password));
    await store.setOperator(id, isOperator);
    token = "";
    const { session } = await call<{ session: { token: string } }>("SignInService_SignIn", { email, password });
    token = session.token;
    return id;
  };
  const account_id = await signIn("ada", false);
  const { secret } = await call<{ secret: string }>("KeyService_CreateKey", { name: "website" });
  await call("AccountService_SetSubscription", { service: "farkle", plan: "free" });
  const subscribe = async (service: string, plan: string): Promise<string> =>
    (await call<{ subscription: { id: string } }>("AccountService_SetSubscription", { service, plan })).subscription.id;
  const subscription_id = await subscribe("radio", "pro");
  const bitcoinId = await subscribe("bitcoin", "starter");
  await fetchJson(`${origin}/farkle/v1/score?dice=1,5`, { headers: { "x-gateway-key": secret } });
  const operator_id = await signIn("operator", true);
  // It is counted once a second.
  gateway.clock.advance(1000);
  await expect.poll(async () => (await store.keyUses(account_id)).size).toBe(1);
  const days = { from_day: "2026-11-01", to_day: "2026-11-21" };
  await call("GetUsage", { account_id, ...days });
  await call("ListAccounts", { search: "ada" });
  await call("ListWaitingSubscriptions", { limit: 1 });
  await call("DecideSubscription", { subscription_id: bitcoinId, decision: "decline" });
  await call("DecideSubscription", { subscription_id, decision: "activate", plan: "pro" });
  await store.prepareTwoFactor(account_id, "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
  const recoveryHashes = ["one", "two", "three"].map(hashSecret);
  const lost = { secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", step: 1, recoveryHashes, currentTokenHash: "" };
  await store.turnOnTwoFactor(account_id, lost);
  await call("GetAccount", { account_id });
  await call("ResetTwoFactor", { account_id });
  await call("FindKeys", { key: secret });
  await call("CreditQuota", { subscription_id, calls: 500, reason: "outage on 2026-11-20" });
  const { incident } = await call<{ incident: { id: string } }>("CreateIncident", {
    title: "Searches are slow",
    impact: "degraded",
    services: ["radio"],
    text: "One of the directory's mirrors does not respond in time.",
  });
  const incident_id = incident.id;
  await call("UpdateIncident", { incident_id, correction: { title: "Searches were slow" } });
  const corrected_update = { number: 1, text: "A mirror of the directory does not respond in time." };
  await call("UpdateIncident", { incident_id, corrected_update });
  await call("UpdateIncident", { incident_id, new_update: { state: "resolved", text: "The mirror is back." } });
  await call("ListIncidents");
  await call("DeleteIncident", { incident_id });
  await call("UpdateAccount", { account_id, suspended: false });
  await call("UpdateAccount", { account_id, suspended: true });
  await call("ListAuditEntries", {
    account_id,
    actor_account_id: operator_id,
    actions: ["account", "subscription.activate"],
    since: "2026-11-21T00:00:00Z",
    until: "2026-11-22T00:00:00Z",
    page_size: 3,
  });
  await store.addHealth([
    { service: "farkle", part: "calls", hour: "2026-11-21T11", calls: 12, failed: 1, refused: 3, latency: [9, 3] },
  ]);
  await call("GetUsage", { breakdown: "hour" });
  await call("GetUsage", days);
  await call("GetServerState");
  const documented = OPERATOR_OPERATIONS.map(({ operation }) => operation.operationId);
  expect(Object.keys(recorded).toSorted()).toEqual(documented.toSorted());
  await expectRecorded("operator", steady(textOf(recorded)));
});

const DOCUMENTED = [DOCUMENT, OPERATORS_DOCUMENT].flatMap((document) =>
  Object.values<Readonly<Record<string, Operation>>>(document.paths)
    .flatMap((verbs) => Object.values(verbs))
    .map((operation) => ({ operation, document })),
);

test.each(DOCUMENTED)("$operation.operationId has examples that match its schemas", ({ operation, document }) => {
  const { schemas } = document.components;
  const { parameters = [], requestBody } = operation;
  const given = parameters.filter(({ example }) => example !== undefined);
  const needed = parameters.filter(({ required, example }) => required && example === undefined);
  expect(needed).toEqual([]);
  const ofParameters = given.flatMap(({ name, schema, example }) => schemaFaults(schema, example, name, schemas));
  const media = [
    ...Object.values<MediaType>((requestBody?.content ?? {}) as never),
    // Of two operations with the same response, the first shows it.
    ...("x-internal" in operation
      ? []
      : Object.values<MediaType>((documentedResponse(operation, 200, document).content ?? {}) as never)),
  ];
  const ofBodies = media.flatMap(({ schema, example }) =>
    example === undefined ? ["has no example"] : schemaFaults(schema, example, "body", schemas),
  );
  expect(media).not.toEqual([]);
  expect([...ofParameters, ...ofBodies]).toEqual([]);
});
