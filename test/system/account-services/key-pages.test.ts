// The pages of the list of keys, in every protocol: together they are the whole list, and invalid page tokens are refused.
import type { JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ACCOUNT_KEYS_MAX } from "../../../src/store/repositories/key-caps.ts";
import { type Gateway, startGateway } from "../../fixtures/gateway.ts";
import { CLIENTS, rest } from "./clients.ts";
import { PLANS } from "./life.ts";
import { type Headers, METHODS, Person, placeOf } from "./person.ts";
import { badInput } from "./responses.ts";

interface Page {
  readonly results: readonly { readonly id: string; readonly name: string }[];
  readonly next_page_token?: string;
}

const NAMES = ["one", "two", "three", "four", "five"];
const NO_TOKEN = "must be the next_page_token of an earlier page";

let gateway: Gateway;
let session: Headers;
beforeAll(async () => {
  gateway = await startGateway({ plans: PLANS });
  const person = new Person(placeOf(gateway), rest);
  session = await person.begin("eve@example.com");
  for (const name of NAMES) {
    await person.take(METHODS.createKey, { name }, session);
  }
});
afterAll(() => gateway.close());

describe.each(CLIENTS)("by $name", (client) => {
  const person = () => new Person(placeOf(gateway), client);
  const list = (input: JsonObject) => person().take<Page>(METHODS.listKeys, input, session);

  test.each([1, 2, 5, 6, ACCOUNT_KEYS_MAX])("pages of %i make the whole list", async (page_size) => {
    const pages: Page[] = [];
    let token: string | undefined = "";
    while (token !== undefined) {
      const page: Page = await list({ page_size, page_token: token });
      pages.push(page);
      token = page.next_page_token;
    }
    expect(pages.flatMap(({ results }) => results)).toEqual((await list({})).results);
    expect(pages.map(({ results }) => results.length)).toEqual(
      Array.from({ length: Math.ceil(NAMES.length / page_size) }, (_, index) =>
        Math.min(page_size, NAMES.length - index * page_size),
      ),
    );
  });

  test("without a size all keys after the token are listed", async () => {
    const { results } = await list({});
    expect(results.map(({ name }) => name)).toEqual(NAMES);
    const { next_page_token = "" } = await list({ page_size: 3 });
    expect((await list({ page_token: next_page_token })).results).toEqual(results.slice(3));
  });

  test.each<readonly [string, JsonObject, { field: string; description: string }]>([
    [
      "a negative size",
      { page_size: -1 },
      { field: "page_size", description: `must be a whole number from 0 to ${ACCOUNT_KEYS_MAX}, not -1` },
    ],
    [
      "a size beyond the limit",
      { page_size: ACCOUNT_KEYS_MAX + 1 },
      { field: "page_size", description: `must be a whole number from 0 to ${ACCOUNT_KEYS_MAX}, not ${ACCOUNT_KEYS_MAX + 1}` },
    ],
    ["a token that is made up", { page_token: "2" }, { field: "page_token", description: NO_TOKEN }],
    ["a token of something else", { page_token: "MTIzNCA1Njc4" }, { field: "page_token", description: NO_TOKEN }],
  ])("%s is refused", async (_, input, violation) => {
    await person().fail(METHODS.listKeys, input, badInput(violation), session);
  });
});
