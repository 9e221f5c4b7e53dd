// The customer's life in each protocol, at one gateway.
import { afterAll, beforeAll, test } from "vitest";
import { type Gateway, startGateway } from "../../fixtures/gateway.ts";
import { CLIENTS } from "./clients.ts";
import { PLANS, runLife } from "./life.ts";
import { placeOf } from "./person.ts";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ plans: PLANS });
});
afterAll(() => gateway.close());

test.each(CLIENTS)("a customer's whole life, from sign-up to sign-out, by $name", async (client) => {
  await runLife(placeOf(gateway), client);
});
