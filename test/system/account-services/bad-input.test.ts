// Bad input to the account services: each field's one error, the same in every protocol.

import type { DescMethodUnary, JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, onTestFinished, test } from "vitest";
import { SERVICE_NAMES } from "../../../src/catalogue/service-names.ts";
import { type Gateway, startGateway } from "../../fixtures/gateway.ts";
import { CLIENTS, rest } from "./clients.ts";
import { PLANS } from "./life.ts";
import { type Headers, METHODS, PASSWORD, Person, placeOf } from "./person.ts";
import { badInput } from "./responses.ts";

type Row = readonly [
  called: string,
  method: DescMethodUnary,
  input: JsonObject,
  ...violations: readonly (readonly [string, string])[],
];

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";
const AN_EMAIL = "must be an e-mail address like name@example.com";
const EMAIL = "ada@example.com";
const REQUIRED = "is required";
const aUuid = (given: string): string => `must be a UUID such as 5b0c3a2e-7f0e-4a51-9b7c-0d6f5a3e9c11, not "${given}"`;
const UNIQUE = "must not contain a value twice";
const A_SERVICE = `one of ${SERVICE_NAMES.join(", ")}`;
const mustBeService = (given: string): string => `must be ${A_SERVICE}, not "${given}"`;
const NOT_BY_KEY = "cannot be key for this measure, only day, service, hour, month";
const DIMENSIONS = "day, service, method, outcome, key, hour, month";
const PASSWORD_LENGTH = "must be 12 to 128 characters long";
const fromTo = (least: number, most: number, given: number): string =>
  `must be a whole number from ${least} to ${most}, not ${given}`;

const ROWS: readonly Row[] = [
  ["signing up with nothing", METHODS.signUp, {}, ["email", REQUIRED]],
  ["signing up without a password", METHODS.signUp, { email: "ada@example.com" }, ["password", REQUIRED]],
  ["signing up without an @", METHODS.signUp, { email: "ada", password: PASSWORD }, ["email", AN_EMAIL]],
  [
    "signing up with a bad address and a short password",
    METHODS.signUp,
    { email: "ada", password: "short" },
    ["email", AN_EMAIL],
    ["password", PASSWORD_LENGTH],
  ],
  [
    "signing up with a bad address and a blank password",
    METHODS.signUp,
    { email: "ada@localhost", password: " ".repeat(12) },
    ["email", AN_EMAIL],
    ["password", "must not be blank"],
  ],
  [
    "signing up with a bad address and no password",
    METHODS.signUp,
    { email: "ada@localhost" },
    ["email", AN_EMAIL],
    ["password", REQUIRED],
  ],
  [
    "signing up with a host that cannot receive mail",
    METHODS.signUp,
    { email: "ada@localhost", password: PASSWORD },
    ["email", "must be an e-mail address like name@example.com"],
  ],
  [
    "signing up with a long address",
    METHODS.signUp,
    { email: `${"a".repeat(60)}@${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(60)}.${"e".repeat(20)}`, password: PASSWORD },
    ["email", "must be 1 to 254 characters long, not 264"],
  ],
  ["signing up with a short password", METHODS.signUp, { email: EMAIL, password: "eleven char" }, ["password", PASSWORD_LENGTH]],
  ["signing up with a long password", METHODS.signUp, { email: EMAIL, password: "x".repeat(129) }, ["password", PASSWORD_LENGTH]],
  [
    "signing up with a blank password",
    METHODS.signUp,
    { email: EMAIL, password: " ".repeat(12) },
    ["password", "must not be blank"],
  ],
  [
    "signing up with a common password",
    METHODS.signUp,
    { email: EMAIL, password: "Password1234" },
    [
      "password",
      "is too easy to guess: it consists of common passwords, simple patterns or words from the e-mail address; use several unrelated words instead",
    ],
  ],
  [
    "signing up with the address for a password",
    METHODS.signUp,
    { email: EMAIL, password: EMAIL.toUpperCase() },
    ["password", "must not be the e-mail address, or the part before its @"],
  ],
  [
    "signing in with nothing",
    METHODS.signIn,
    {},
    ["password", "is required, unless code, credential_json or provider_response is given"],
  ],
  ["signing in without an address", METHODS.signIn, { password: PASSWORD }, ["email", REQUIRED]],
  [
    "signing in with an address and a code",
    METHODS.signIn,
    { email: EMAIL, code: "123456" },
    ["email", "goes only with password"],
    ["challenge", REQUIRED],
  ],
  [
    "signing in with a challenge and a passkey",
    METHODS.signIn,
    { challenge: "x", credential_json: "{}" },
    ["challenge", "goes only with code"],
  ],
  [
    "signing in with a long password",
    METHODS.signIn,
    { email: EMAIL, password: "x".repeat(129) },
    ["password", "must be 1 to 128 characters long"],
  ],
  ["a key with a long name", METHODS.createKey, { name: "x".repeat(65) }, ["name", "must be 1 to 64 characters long, not 65"]],
  [
    "a key with a name of two lines",
    METHODS.createKey,
    { name: "a\nb" },
    ["name", "must be 1 to 64 characters without control characters"],
  ],
  [
    "a key for an unknown service",
    METHODS.createKey,
    { services: ["radio", "weather"] },
    ["services[1]", mustBeService("weather")],
  ],
  ["a key for one service twice", METHODS.createKey, { services: ["radio", "radio"] }, ["services", UNIQUE]],
  ["a key that has expired", METHODS.createKey, { expires_at: "2020-01-01T00:00:00Z" }, ["expires_at", "must be in the future"]],
  [
    "a key for eleven years",
    METHODS.createKey,
    { expires_at: "2037-11-21T12:00:00Z" },
    ["expires_at", "must be in the future, at most ten years away"],
  ],
  ["changing a key by its name", METHODS.updateKey, { key_id: "table", name: "kitchen" }, ["key_id", aUuid("table")]],
  [
    "changing a key's services",
    METHODS.updateKey,
    { key_id: UNKNOWN_ID, services: { names: ["dice"] } },
    ["services.names[0]", mustBeService("dice")],
  ],
  [
    "a negative grace period",
    METHODS.rotateKey,
    { key_id: UNKNOWN_ID, grace_seconds: -1 },
    ["grace_seconds", fromTo(0, 604_800, -1)],
  ],
  [
    "a grace period of eight days",
    METHODS.rotateKey,
    { key_id: UNKNOWN_ID, grace_seconds: 691_200 },
    ["grace_seconds", fromTo(0, 604_800, 691_200)],
  ],
  ["revoking a key by its name", METHODS.revokeKey, { key_id: "table" }, ["key_id", aUuid("table")]],
  ["the plans of an unknown service", METHODS.listPlans, { service: "weather" }, ["service", mustBeService("weather")]],
  [
    "subscribing to an unknown service",
    METHODS.setSubscription,
    { service: "dice", plan: "free" },
    ["service", mustBeService("dice")],
  ],
  [
    "subscribing to an unknown plan",
    METHODS.setSubscription,
    { service: "farkle", plan: "gold" },
    ["plan", 'must be one of free, pro for farkle, not "gold"'],
  ],
  ["subscribing to no plan", METHODS.setSubscription, { service: "farkle" }, ["plan", REQUIRED]],
  ["cancelling an unknown service", METHODS.cancelSubscription, { service: "dice" }, ["service", mustBeService("dice")]],
  ["the usage of an unknown service", METHODS.getUsage, { service: "weather" }, ["service", mustBeService("weather")]],
  [
    "the usage of an invalid day",
    METHODS.getUsage,
    { from_day: "yesterday" },
    ["from_day", 'must be written like 2026-11-01, not "yesterday"'],
  ],
  [
    "the usage up to a day that does not exist",
    METHODS.getUsage,
    { to_day: "2026-02-30" },
    ["to_day", 'must be a day such as 2026-11-21, not "2026-02-30"'],
  ],
  [
    "the usage from a day after its end",
    METHODS.getUsage,
    { from_day: "2026-11-22" },
    ["from_day", "must not be after 2026-11-21"],
  ],
  [
    "the usage of more than a year",
    METHODS.getUsage,
    { from_day: "2025-11-20" },
    ["from_day", "must not be before 2025-11-21: at most 366 days are reported"],
  ],
  ["the usage grouped by the same thing twice", METHODS.getUsage, { group_by: ["day", "day"] }, ["group_by", UNIQUE]],
  [
    "the usage grouped by nothing",
    METHODS.getUsage,
    { group_by: ["unspecified"] },
    ["group_by[0]", `must be one of ${DIMENSIONS}, not 0`],
  ],
  ["the usage with a row limit of 0", METHODS.getUsage, { limit: 0 }, ["limit", fromTo(1, 1000, 0)]],
  ["the usage with too high a row limit", METHODS.getUsage, { limit: 1001 }, ["limit", fromTo(1, 1000, 1001)]],
  ["the usage from an offset below 0", METHODS.getUsage, { offset: -1 }, ["offset", fromTo(0, 1_000_000, -1)]],
  [
    "the usage by hours that are no longer kept",
    METHODS.getUsage,
    { group_by: ["hour"], from_day: "2026-11-13" },
    ["from_day", "must not be before 2026-11-14: hours are kept for 7 days; group by day to see further back"],
  ],
  ["response times grouped by key", METHODS.getUsage, { measure: "latency", group_by: ["key"] }, ["group_by[0]", NOT_BY_KEY]],
  [
    "changing the password without the current one",
    METHODS.changePassword,
    { new_password: PASSWORD },
    ["current_password", REQUIRED],
  ],
  [
    "changing to a short password",
    METHODS.changePassword,
    { current_password: PASSWORD, new_password: "short" },
    ["new_password", PASSWORD_LENGTH],
  ],
  [
    "completing a sign-in with a long code",
    METHODS.signIn,
    { challenge: "x", code: "1".repeat(33) },
    ["code", "must be 1 to 32 characters long"],
  ],
  ["generating a secret without the password", METHODS.beginTwoFactor, {}, ["password", REQUIRED]],
  ["confirming a secret without a code", METHODS.confirmTwoFactor, {}, ["code", REQUIRED]],
  ["ending two-factor authentication with nothing", METHODS.endTwoFactor, {}, ["password", REQUIRED], ["code", REQUIRED]],
  ["replacing recovery codes with nothing", METHODS.replaceRecoveryCodes, {}, ["password", REQUIRED], ["code", REQUIRED]],
  ["requesting a new password without an address", METHODS.requestPasswordReset, {}, ["email", REQUIRED]],
  ["requesting a new password with an invalid address", METHODS.requestPasswordReset, { email: "ada" }, ["email", AN_EMAIL]],
  [
    "resetting to a short password",
    METHODS.resetPassword,
    { token: "x", new_password: "short" },
    ["new_password", PASSWORD_LENGTH],
  ],
  [
    "verifying with an unknown token",
    METHODS.verifyEmail,
    { token: "x".repeat(32), password: PASSWORD },
    ["token", "is not valid: the link was used or has expired. Ask for another one"],
  ],
  [
    "signing up with a path elsewhere",
    METHODS.signUp,
    { email: "ada@example.com", password: PASSWORD, next: "//elsewhere.example" },
    ["next", "must be written like /app/subscriptions"],
  ],
  [
    "reading an invitation with an unknown token",
    METHODS.getInvitation,
    { token: "x".repeat(32) },
    ["token", "is not valid: the invitation was used, withdrawn or replaced, or has expired. Ask for another one"],
  ],
  ["verifying without a token", METHODS.verifyEmail, {}, ["token", REQUIRED], ["password", REQUIRED]],
  ["ending a session by its name", METHODS.endSessions, { session_id: "phone" }, ["session_id", aUuid("phone")]],
  ["ending no session", METHODS.endSessions, {}, ["session_id", "is required, unless others or current is given"]],
  ["ending all sessions but others", METHODS.endSessions, { others: false }, ["others", "must equal true"]],
  ["deleting without a password", METHODS.deleteAccount, {}, ["password", REQUIRED]],
  ["deleting with a wrong password", METHODS.deleteAccount, { password: "a wrong password" }, ["password", "is wrong"]],
  [
    "deleting with a long code",
    METHODS.deleteAccount,
    { password: PASSWORD, code: "1".repeat(33) },
    ["code", "must be at most 32 characters long"],
  ],
  ["creating a webhook endpoint with nothing", METHODS.createWebhookEndpoint, {}, ["url", REQUIRED]],
  [
    "creating a webhook endpoint with a long URL",
    METHODS.createWebhookEndpoint,
    { url: `https://example.com/${"x".repeat(481)}`, description: "y".repeat(101) },
    ["url", "must be 1 to 500 characters long, not 501"],
    ["description", "must be at most 100 characters long, not 101"],
  ],
  [
    "creating a webhook endpoint with a zero character in its URL",
    METHODS.createWebhookEndpoint,
    { url: "https://example.com/\u0000" },
    ["url", "must not contain spaces or control characters"],
  ],
  [
    "creating a webhook endpoint with control characters in its description",
    METHODS.createWebhookEndpoint,
    { url: "https://example.com/hook", description: "ours\u001b[31m\u0000" },
    ["description", "must be at most 100 characters without control characters"],
  ],
  [
    "listing calls with zero characters in the filters",
    METHODS.listCalls,
    { request_id: "a\u0000", method: "\u0000Search" },
    ["request_id", "must not contain control characters"],
    ["method", "must not contain control characters"],
  ],
  [
    "creating a webhook endpoint without TLS",
    METHODS.createWebhookEndpoint,
    { url: "http://example.com/hook" },
    ["url", "must be an https URL, such as https://example.com/webhooks"],
  ],
  [
    "creating a webhook endpoint on a private address",
    METHODS.createWebhookEndpoint,
    { url: "https://10.0.0.1/hook" },
    ["url", "must name a host on the public internet"],
  ],
  [
    "creating a webhook endpoint for an alert twice",
    METHODS.createWebhookEndpoint,
    { url: "https://example.com/hook", alert_types: ["ALERT_TYPE_KEY_EXPIRING", "ALERT_TYPE_KEY_EXPIRING"] },
    ["alert_types", UNIQUE],
  ],
  [
    "creating a webhook endpoint for failing webhooks",
    METHODS.createWebhookEndpoint,
    { url: "https://example.com/hook", alert_types: ["ALERT_TYPE_WEBHOOK_FAILING"] },
    ["alert_types[0]", "must not be ALERT_TYPE_WEBHOOK_FAILING, which is sent only by e-mail"],
  ],
  ["testing a webhook endpoint by its name", METHODS.sendWebhookDelivery, { endpoint_id: "ours" }, ["endpoint_id", aUuid("ours")]],
  [
    "listing too many deliveries",
    METHODS.listWebhookDeliveries,
    { endpoint_id: UNKNOWN_ID, limit: 101, offset: 10_001 },
    ["limit", fromTo(1, 100, 101)],
    ["offset", fromTo(0, 10_000, 10_001)],
  ],
  ["replaying a delivery by its name", METHODS.sendWebhookDelivery, { delivery_id: "last" }, ["delivery_id", aUuid("last")]],
  ["sending no delivery", METHODS.sendWebhookDelivery, {}, ["endpoint_id", "is required, unless delivery_id is given"]],
];

/** Optional strings that are empty, which REST reads as left out. */
const EMPTY_ROWS: readonly Row[] = [
  ["a key without a name", METHODS.createKey, { name: "" }, ["name", "must be 1 to 64 characters long, not 0"]],
  [
    "changing a key's name to none",
    METHODS.updateKey,
    { key_id: UNKNOWN_ID, name: "" },
    ["name", "must be 1 to 64 characters long, not 0"],
  ],
];

describe.each(CLIENTS)("by $name", (client) => {
  const rows = client === rest ? ROWS : [...ROWS, ...EMPTY_ROWS];
  // Each client has a gateway, because the clock advances with every call: over the rows of another client, the connections of this one
  // would become idle and be closed.
  let gateway: Gateway;
  let session: Headers;
  beforeAll(async () => {
    gateway = await startGateway({ plans: PLANS });
    session = await new Person(placeOf(gateway), rest).begin("eve@example.com");
  });
  afterAll(() => gateway.close());

  test.each(rows.map(([called, method, input, ...violations]) => ({ called, method, input, violations })))(
    "$called names the field",
    async ({ method, input, violations }) => {
      const expected = badInput(...violations.map(([field, description]) => ({ field, description })));
      await new Person(placeOf(gateway), client).fail(method, input, expected, session);
    },
  );

  test("an e-mail address that already has an account cannot have another, in any spelling", async () => {
    // A network gets this response three times at once, and then once every ten minutes. Advancing the clock would close the idle
    // connections of the gateway that the other tests use.
    const own = await startGateway({ plans: PLANS });
    onTestFinished(() => own.close());
    const person = new Person(placeOf(own), client);
    await person.begin("eve@example.com");
    const input = { email: "EVE@example.com", password: "another long password" };
    const description = "cannot be used to sign up. If it is yours, sign in, or ask the operator for another password";
    await person.fail(METHODS.signUp, input, badInput({ field: "email", description }));
  });

  test("a wrong password and an unknown address get the same response", async () => {
    const person = new Person(placeOf(gateway), client);
    const message = "The e-mail address or the password is wrong. Check both, and try again.";
    for (const email of ["eve@example.com", "nobody@example.com"]) {
      await person.fail(METHODS.signIn, { email, password: "a wrong password" }, { reason: "SIGN_IN_FAILED", message });
    }
  });
});
