// Other customers' data is invisible: every response is the same as for an id that does not exist.
import type { DescMethodUnary, JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, startGateway } from "../../fixtures/gateway.ts";
import { CLIENTS, rest } from "./clients.ts";
import { PLANS } from "./life.ts";
import { type Headers, METHODS, Person, placeOf } from "./person.ts";

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

interface Row {
  readonly method: DescMethodUnary;
  readonly what: "key" | "session";
  readonly input: JsonObject;
}

const ROWS: readonly Row[] = [
  { method: METHODS.updateKey, what: "key", input: { disabled: true } },
  { method: METHODS.updateKey, what: "key", input: {} },
  { method: METHODS.rotateKey, what: "key", input: {} },
  { method: METHODS.revokeKey, what: "key", input: {} },
  { method: METHODS.endSessions, what: "session", input: {} },
];

let gateway: Gateway;
let session: Headers;
let neighbour: Headers;
let ids: Readonly<Record<Row["what"], string>>;
let before: unknown;

const ofNeighbour = async (): Promise<unknown> => {
  const person = new Person(placeOf(gateway), rest);
  const keys = await person.take<{ results: { id: string }[] }>(METHODS.listKeys, {}, neighbour);
  const subscriptions = await person.take(METHODS.listSubscriptions, {}, neighbour);
  const { sessions } = await person.take<{ sessions: { id: string }[] }>(METHODS.getProfile, {}, neighbour);
  ids = {
    key: keys.results[0]?.id ?? "",
    session: sessions[0]?.id ?? "",
  };
  return { keys, subscriptions, sessions: sessions.map(({ id }) => id) };
};

beforeAll(async () => {
  gateway = await startGateway({ plans: PLANS });
  const person = new Person(placeOf(gateway), rest);
  session = await person.begin("ada@example.com");
  neighbour = await person.begin("bob@example.com");
  await person.take(METHODS.createKey, {}, neighbour);
  await person.take(METHODS.setSubscription, { service: "farkle", plan: "free" }, neighbour);
  before = await ofNeighbour();
});
afterAll(() => gateway.close());

describe.each(CLIENTS)("by $name", (client) => {
  test.each(ROWS)("$method.name finds no $what of another customer with $input", async ({ method, what, input }) => {
    const person = new Person(placeOf(gateway), client);
    for (const id of [ids[what], UNKNOWN_ID]) {
      const message = `The account has no ${what} with the ID ${id}.`;
      await person.fail(method, { ...input, [`${what}_id`]: id }, { reason: "NOT_FOUND", message }, session);
    }
  });

  test("cancelSubscription finds no subscription of another customer", async () => {
    const person = new Person(placeOf(gateway), client);
    const message = "The account has no subscription to farkle.";
    await person.fail(METHODS.cancelSubscription, { service: "farkle" }, { reason: "NOT_FOUND", message }, session);
  });

  test("lists contain only the caller's own things", async () => {
    const person = new Person(placeOf(gateway), client);
    await person.get(METHODS.listKeys, {}, { results: [] }, session);
    await person.get(METHODS.listSubscriptions, { include_cancelled: true }, { results: [] }, session);
  });
});

test("the other customer's things are unchanged", async () => {
  expect(await ofNeighbour()).toEqual(before);
});
