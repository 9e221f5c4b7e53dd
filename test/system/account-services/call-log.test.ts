// The call log, in every protocol: what a customer finds in it, what they can search by, and what is refused.
import type { JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, startGateway } from "../../fixtures/gateway.ts";
import { temporaryDirectory } from "../../fixtures/temporary-directory.ts";
import { CLIENTS, rest } from "./clients.ts";
import { PLANS } from "./life.ts";
import { type Headers, METHODS, Person, placeOf } from "./person.ts";
import { badInput, SETTINGS } from "./responses.ts";

interface LoggedCall {
  readonly id: string;
  readonly protocol: string;
  readonly outcome: string;
  readonly request_id: string;
  readonly key_id: string;
  readonly parameters?: string;
}

interface Page {
  readonly results: readonly LoggedCall[];
  readonly next_page_token?: string;
  readonly includes_parameters: boolean;
}

let gateway: Gateway;
let session: Headers;
let key: { readonly key: { readonly id: string }; readonly secret: string };

// Also waits until the log is written, which nobody else waits for.
async function score(query: string, secret = key.secret): Promise<string> {
  const { headers } = await fetch(`${gateway.origin}/farkle/v1/score?${query}`, { headers: { "x-gateway-key": secret } });
  const id = headers.get("x-request-id") ?? "";
  const person = new Person(placeOf(gateway), rest);
  gateway.clock.advance(1000);
  await expect.poll(async () => (await person.take<Page>(METHODS.listCalls, { request_id: id }, session)).results.length).toBe(1);
  return id;
}

beforeAll(async () => {
  gateway = await startGateway({ plans: PLANS });
  const person = new Person(placeOf(gateway), rest);
  session = await person.begin("eve@example.com");
  await person.take(METHODS.setSubscription, { service: "farkle", plan: "free" }, session);
  key = await person.take<typeof key>(METHODS.createKey, { name: "table" }, session);
});
afterAll(() => gateway.close());

describe.each(CLIENTS)("by $name", (client) => {
  const person = () => new Person(placeOf(gateway), client);
  const change = (input: JsonObject, logs_parameters: boolean) =>
    person().get(METHODS.updateAccount, input, { settings: { ...SETTINGS, logs_parameters } }, session);
  const list = (input: JsonObject) => person().take<Page>(METHODS.listCalls, input, session);

  test("a call is found by its request id, with its parameters once the account wants them", async () => {
    const without = await score("dice=1,5");
    await change({ settings: { logs_parameters: true } }, true);
    await change({}, true);
    const withThem = await score("dice=2,2,2");
    const wrong = await score("dice=0");
    const found = async (id: string) => {
      const { results, includes_parameters } = await list({ request_id: id });
      return results.map(({ outcome, parameters }) => ({ outcome, parameters, includes_parameters }));
    };
    expect([await found(without), await found(withThem), await found(wrong)]).toEqual([
      [{ outcome: "OK", parameters: undefined, includes_parameters: true }],
      [{ outcome: "OK", parameters: '{"dice":[2,2,2]}', includes_parameters: true }],
      [{ outcome: "INVALID_ARGUMENT", parameters: '{"dice":[0]}', includes_parameters: true }],
    ]);
    await change({ update_mask: "logsParameters" }, false);
    expect(await found(withThem)).toEqual([{ outcome: "OK", parameters: undefined, includes_parameters: false }]);
  });

  test("it has every protocol's calls, including refused ones, newest first and in pages", async () => {
    const before = new Set((await list({ page_size: 200 })).results.map(({ id }) => id));
    await person().play(key.secret);
    await score("dice=1", key.secret);
    const isNew = ({ id }: LoggedCall) => !before.has(id);
    const all = (await list({ page_size: 200 })).results.filter(isNew);
    expect(all.map(({ outcome, key_id }) => [outcome, key_id])).toEqual(Array(4).fill(["OK", key.key.id]));
    const pages: LoggedCall[] = [];
    let token: string | undefined = "";
    while (token !== undefined && pages.length < 4) {
      const page: Page = await list({ page_size: 1, page_token: token });
      pages.push(...page.results);
      token = page.next_page_token;
    }
    expect(pages.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    const failed = await list({ result: "failed", outcome: "INVALID_ARGUMENT", service: "farkle" });
    expect(failed.results.every(({ outcome }) => outcome === "INVALID_ARGUMENT") && failed.results.length > 0).toBe(true);
    expect((await list({ key_id: "0b6bd9a2-5f5e-4e4e-9d53-3c1b3f6a7c11" })).results.length).toBe(0);
  });

  test("another account finds none of it", async () => {
    const stranger = await person().begin(`stranger-${client.name.replaceAll(/\W/g, "")}@example.com`);
    expect(await person().take<Page>(METHODS.listCalls, {}, stranger)).toEqual({
      ...{ results: [], includes_parameters: false, kept_days: 7 },
    });
  });

  test.each<readonly [string, JsonObject, { field: string; description: string }]>([
    [
      "a page that is too large",
      { page_size: 201 },
      { field: "page_size", description: "must be a whole number from 0 to 200, not 201" },
    ],
    [
      "a made-up token",
      { page_token: "2" },
      { field: "page_token", description: "must be the next_page_token of an earlier page" },
    ],
    [
      "an unknown outcome",
      { outcome: "NOT_FOUNT" },
      { field: "outcome", description: "must be OK or a reason; did you mean NOT_FOUND?" },
    ],
    ["an outcome like nothing", { outcome: "x" }, { field: "outcome", description: "must be OK or a reason, such as NOT_FOUND" }],
    [
      "a span that ends before it begins",
      { since: "2026-11-21T12:00:00Z", until: "2026-11-21T11:00:00Z" },
      { field: "until", description: "must be after since" },
    ],
  ])("%s is refused", async (_, input, violation) => {
    await person().fail(METHODS.listCalls, input, badInput(violation), session);
  });
});

test("the calls of the last second are in the log after a clean stop", async () => {
  const dataDir = temporaryDirectory();
  const first = await startGateway({ plans: PLANS, dataDir });
  const person = new Person(placeOf(first), rest);
  const someone = await person.begin("eve@example.com");
  await person.take(METHODS.setSubscription, { service: "farkle", plan: "free" }, someone);
  const { secret } = await person.take<typeof key>(METHODS.createKey, {}, someone);
  await fetch(`${first.origin}/farkle/v1/score?dice=1`, { headers: { "x-gateway-key": secret } });
  await first.close();
  const second = await startGateway({ plans: PLANS, dataDir });
  expect((await new Person(placeOf(second), rest).take<Page>(METHODS.listCalls, {}, someone)).results.length).toBe(1);
  await second.close();
});
