// Bad input to the account services: each field's one error, the same in every protocol.
import type { DescMethodUnary, JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, test } from "vitest";
import { type Gateway, startGateway } from "../gateway.ts";
import { badInput, forbidden } from "./answers.ts";
import { CLIENTS, rest } from "./clients.ts";
import { PLANS } from "./life.ts";
import { type Headers, METHODS, PASSWORD, Person, placeOf } from "./person.ts";

type Row = readonly [
  called: string,
  method: DescMethodUnary,
  input: JsonObject,
  ...violations: readonly (readonly [string, string])[],
];

const NOBODY = "00000000-0000-4000-8000-000000000000";
const AN_EMAIL = "must be a valid email address";
const EMAIL = "ada@example.com";
const AN_EMPTY_EMAIL = "is empty, which is not a valid email address";
const A_UUID = "must be a valid UUID";
const UNIQUE = "repeated value must contain unique items";
const ONE_OF_FIVE = "must be in list [radio, token-price, token-list, bitcoin, farkle]";
const ONE_OF_FIVE_OR_ALL = "must be in list [, radio, token-price, token-list, bitcoin, farkle]";
const atLeast = (count: number): string => `must be at least ${count} character${count === 1 ? "" : "s"}`;
const atMost = (count: number): string => `must be at most ${count} characters`;
const fromTo = (least: number, most: number): string =>
  `must be greater than or equal to ${least} and less than or equal to ${most}`;

const ROWS: readonly Row[] = [
  ["signing up with nothing", METHODS.signUp, {}, ["email", AN_EMPTY_EMAIL], ["password", atLeast(12)]],
  ["signing up without an @", METHODS.signUp, { email: "ada", password: PASSWORD }, ["email", AN_EMAIL]],
  [
    "signing up with no host that mail goes to",
    METHODS.signUp,
    { email: "ada@localhost", password: PASSWORD },
    ["email", "must be an e-mail address such as ada@example.com"],
  ],
  [
    "signing up with a long address",
    METHODS.signUp,
    { email: `${"a".repeat(60)}@${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(60)}.${"e".repeat(20)}`, password: PASSWORD },
    ["email", atMost(254)],
  ],
  ["signing up with a short password", METHODS.signUp, { email: EMAIL, password: "eleven char" }, ["password", atLeast(12)]],
  ["signing up with a long password", METHODS.signUp, { email: EMAIL, password: "x".repeat(129) }, ["password", atMost(128)]],
  ["signing in with nothing", METHODS.signIn, {}, ["email", AN_EMPTY_EMAIL], ["password", atLeast(1)]],
  ["signing in with a long password", METHODS.signIn, { email: EMAIL, password: "x".repeat(129) }, ["password", atMost(128)]],
  ["a key with a long name", METHODS.createKey, { name: "x".repeat(65) }, ["name", atMost(64)]],
  [
    "a key with a name of two lines",
    METHODS.createKey,
    { name: "a\nb" },
    ["name", "must be 1 to 64 characters without control characters"],
  ],
  ["a key for an unknown service", METHODS.createKey, { services: ["radio", "weather"] }, ["services[1]", ONE_OF_FIVE]],
  ["a key for one service twice", METHODS.createKey, { services: ["radio", "radio"] }, ["services", UNIQUE]],
  ["a key that has expired", METHODS.createKey, { expires_at: "2020-01-01T00:00:00Z" }, ["expires_at", "must be greater than now"]],
  [
    "a key for eleven years",
    METHODS.createKey,
    { expires_at: "2037-11-21T12:00:00Z" },
    ["expires_at", "must be in the future, at most ten years away"],
  ],
  ["changing a key by its name", METHODS.updateKey, { key_id: "table", name: "kitchen" }, ["key_id", A_UUID]],
  [
    "changing a key's services",
    METHODS.updateKey,
    { key_id: NOBODY, services: { names: ["dice"] } },
    ["services.names[0]", ONE_OF_FIVE],
  ],
  ["a grace before now", METHODS.rotateKey, { key_id: NOBODY, grace_seconds: -1 }, ["grace_seconds", fromTo(0, 604_800)]],
  ["a grace of eight days", METHODS.rotateKey, { key_id: NOBODY, grace_seconds: 691_200 }, ["grace_seconds", fromTo(0, 604_800)]],
  ["revoking a key by its name", METHODS.revokeKey, { key_id: "table" }, ["key_id", A_UUID]],
  ["the plans of an unknown service", METHODS.listPlans, { service: "weather" }, ["service", ONE_OF_FIVE_OR_ALL]],
  ["subscribing to nothing", METHODS.createSubscription, {}, ["service", ONE_OF_FIVE]],
  [
    "subscribing to an unknown plan",
    METHODS.createSubscription,
    { service: "farkle", plan: "gold" },
    ["plan", 'must be one of free, pro for farkle, not "gold"'],
  ],
  ["asking for no plan", METHODS.requestPlan, { subscription_id: NOBODY }, ["plan", atLeast(1)]],
  ["asking for a service's plan", METHODS.requestPlan, { subscription_id: "farkle", plan: "pro" }, ["subscription_id", A_UUID]],
  ["cancelling a service", METHODS.cancelSubscription, { subscription_id: "farkle" }, ["subscription_id", A_UUID]],
  ["the usage of an unknown service", METHODS.getUsage, { service: "weather" }, ["service", ONE_OF_FIVE_OR_ALL]],
  [
    "the usage of no day",
    METHODS.getUsage,
    { from_day: "yesterday" },
    ["from_day", "does not match regex pattern `^[0-9]{4}-[0-9]{2}-[0-9]{2}$`"],
  ],
  [
    "the usage up to a day that is not",
    METHODS.getUsage,
    { to_day: "2026-02-30" },
    ["to_day", 'must be a day such as 2026-11-21, not "2026-02-30"'],
  ],
  ["the usage from after to before", METHODS.getUsage, { from_day: "2026-11-22" }, ["from_day", "must not be after 2026-11-21"]],
  [
    "the usage of more than a year",
    METHODS.getUsage,
    { from_day: "2025-11-20" },
    ["from_day", "must not be before 2025-11-21, for at most 366 days are reported"],
  ],
  [
    "the usage by one thing twice",
    METHODS.getUsage,
    { group_by: ["USAGE_DIMENSION_DAY", "USAGE_DIMENSION_DAY"] },
    ["group_by", UNIQUE],
  ],
  [
    "the usage by nothing",
    METHODS.getUsage,
    { group_by: ["USAGE_DIMENSION_UNSPECIFIED"] },
    ["group_by[0]", "must not be in list [0]"],
  ],
  ["the usage in no rows", METHODS.getUsage, { limit: 0 }, ["limit", fromTo(1, 1000)]],
  ["the usage in too many rows", METHODS.getUsage, { limit: 1001 }, ["limit", fromTo(1, 1000)]],
  ["the usage from before its first row", METHODS.getUsage, { offset: -1 }, ["offset", fromTo(0, 1_000_000)]],
  ["changing no password", METHODS.changePassword, { new_password: PASSWORD }, ["current_password", atLeast(1)]],
  [
    "changing to a short password",
    METHODS.changePassword,
    { current_password: PASSWORD, new_password: "short" },
    ["new_password", atLeast(12)],
  ],
];

/** What REST takes for left out: an optional text that is empty. */
const EMPTY_ROWS: readonly Row[] = [
  ["a key without a name", METHODS.createKey, { name: "" }, ["name", atLeast(1)]],
  ["changing a key's name to none", METHODS.updateKey, { key_id: NOBODY, name: "" }, ["name", atLeast(1)]],
  ["subscribing to a plan without a name", METHODS.createSubscription, { service: "radio", plan: "" }, ["plan", atLeast(1)]],
];

let gateway: Gateway;
let session: Headers;
beforeAll(async () => {
  gateway = await startGateway({ plans: PLANS });
  session = await new Person(placeOf(gateway), rest).begin("eve@example.com");
});
afterAll(() => gateway.close());

describe.each(CLIENTS)("by $name", (client) => {
  const rows = client === rest ? ROWS : [...ROWS, ...EMPTY_ROWS];

  test.each(rows.map(([called, method, input, ...violations]) => ({ called, method, input, violations })))(
    "$called names the field",
    async ({ method, input, violations }) => {
      const expected = badInput(...violations.map(([field, description]) => ({ field, description })));
      await new Person(placeOf(gateway), client).fail(method, input, expected, session);
    },
  );

  test("an e-mail address that has an account already cannot have another, however it is written", async () => {
    const person = new Person(placeOf(gateway), client);
    const input = { email: "EVE@example.com", password: "another long password" };
    const message = "The e-mail address eve@example.com has an account already.";
    await person.fail(METHODS.signUp, input, forbidden("email", message));
  });

  test("a wrong password and an unknown address are answered alike", async () => {
    const person = new Person(placeOf(gateway), client);
    const message = "The e-mail address or the password is wrong. Check both, and try again.";
    for (const email of ["eve@example.com", "nobody@example.com"]) {
      await person.fail(METHODS.signIn, { email, password: "a wrong password" }, { reason: "SIGN_IN_FAILED", message });
    }
  });
});
