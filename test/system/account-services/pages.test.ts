// Every list of the account services and of operators that has pages, with each of its filters: short pages have together what a long one
// has. The lists are found in the protos, so a new list, or a new filter, fails until it has a value here.
import type { DescMethodUnary, JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OperatorService } from "../../../gen/quintet/operator/v1/operator_pb.js";
import { SESSION_METHODS } from "../../fixtures/data-services.ts";
import { type Gateway, START_MS, startGateway } from "../../fixtures/gateway.ts";
import { newBatch } from "../../fixtures/new-batch.ts";
import { rest } from "./clients.ts";
import { PLANS } from "./life.ts";
import { type Headers, METHODS, Person, placeOf } from "./person.ts";

interface Page {
  readonly results: readonly object[];
  readonly next_page_token?: string;
  readonly next_offset?: number;
}

const PAGING = new Set(["page_size", "page_token", "limit", "offset"]);
const EACH = ["1", "2", "3", "4", "5"];
const DAY_MS = 86_400_000;
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

let gateway: Gateway;
let session: Headers;
let accountId: string;
let endpointId: string;
let keyId: string;

const person = () => new Person(placeOf(gateway), rest);

// A value of each filter with which there is more than one result.
const filtersOf = (name: string): JsonObject | undefined => {
  const span = { since: new Date(START_MS - DAY_MS).toISOString(), until: new Date(START_MS + DAY_MS).toISOString() };
  const lists: Readonly<Record<string, JsonObject>> = {
    ListActivity: { ...span, actions: ["key"], include_short_lived_keys: true },
    ListAlerts: {},
    ListKeys: {},
    GetUsage: {
      measure: "refusals",
      service: "radio",
      from_day: dayOf(START_MS - 9 * DAY_MS),
      to_day: dayOf(START_MS),
      group_by: ["day", "key"],
    },
    ListCalls: {
      ...span,
      request_id: "same",
      key_id: keyId,
      service: "radio",
      method: "quintet.radio.v1.RadioService/SearchStations",
      outcome: "OK",
      result: "succeeded",
    },
    ListWebhookDeliveries: { endpoint_id: endpointId },
    ListAccounts: { search: "customer", only_suspended: true, only_operators: true },
    ListWaitingSubscriptions: {},
    ListIncidents: {},
    ListAuditEntries: {
      ...{ ...span, account_id: accountId, actor_account_id: accountId, actions: ["key"], actor_kinds: ["owner"] },
      ...{ command_line_user: "alice", without_short_lived_keys: true },
    },
  };
  return lists[name];
};
// What a list needs to have more than one result.
const ALWAYS: Readonly<Record<string, readonly string[]>> = {
  ListWebhookDeliveries: ["endpoint_id"],
  GetUsage: ["from_day", "group_by"],
};

beforeAll(async () => {
  gateway = await startGateway({ plans: PLANS });
  const { store } = gateway;
  session = await person().begin("operator@example.com");
  const { account } = await person().take<{ account: { id: string } }>(METHODS.getAccount, {}, session);
  accountId = account.id;
  await store.setOperator(accountId, true);
  session = await person().signIn("operator@example.com");
  const { endpoint } = await person().take<{ endpoint: { id: string } }>(
    METHODS.createWebhookEndpoint,
    { url: "https://example.com/hook" },
    session,
  );
  endpointId = endpoint.id;
  for (const each of EACH) {
    const { key } = await person().take<{ key: { id: string } }>(METHODS.createKey, { name: each }, session);
    keyId = key.id;
    await store.addWebhookTest(accountId, endpointId, `event-${each}`);
    await person().take(OperatorService.method.createIncident, { title: each, impact: "degraded", text: "It is slow." }, session);
    const other = await gateway.makeCustomer({});
    await store.createSubscription({
      id: `waiting-${each}`,
      accountId: other.key.accountId,
      service: "farkle",
      plan: "pro",
      state: "requested",
    });
    const operator = await gateway.makeCustomer({});
    await store.setOperator(operator.key.accountId, true);
    const suspended = await gateway.makeCustomer({});
    await store.by({ kind: "operator", name: "alice", origin: "" }).setSuspended(suspended.key.accountId, true);
  }
  const count = (each: string) => ({
    ...({ accountId, keyId, service: "radio", method: "quintet.radio.v1.RadioService/SearchStations", hour: 11 } as const),
    ...{ day: dayOf(START_MS - Number(each) * DAY_MS), outcome: "OK", calls: 1 },
  });
  await store.addUsage(EACH.map(count), newBatch());
  await store.addRefusals(
    EACH.map((each) => ({ ...count(each), reason: "RATE_LIMITED", rateNeeded: 1 })),
    newBatch(),
  );
  await store.addAlerts(
    EACH.map((each) => ({
      ...{
        accountId,
        type: "quota.threshold",
        subject: "radio",
        period: each,
        level: 80,
        isMailed: false,
        details: { resets_at: "2026-12-01T00:00:00Z" },
      },
    })),
    { mails: false },
  );
  await store.logCalls(
    EACH.map((each) => ({
      ...{
        accountId,
        id: `0c000000-0000-4000-8000-00000000000${each}`,
        startedAtMs: START_MS + Number(each),
        service: "radio",
        keyId,
        keyLastFour: "wxyz",
        requestId: "same",
      },
      ...{
        method: "quintet.radio.v1.RadioService/SearchStations",
        protocol: "rest",
        httpStatus: 200,
        outcome: "OK",
        isRefused: false,
      },
      ...{ isDryRun: false, durationMs: 1, requestBytes: 0, responseBytes: 1, leftOut: 0, parameters: "{}" },
    })),
  );
});
afterAll(() => gateway.close());

async function read(
  method: DescMethodUnary,
  input: JsonObject,
  size: number,
): Promise<{ results: readonly object[]; pages: number }> {
  const sizeName = method.input.fields.some(({ name }) => name === "page_size") ? "page_size" : "limit";
  const results: object[] = [];
  let following: JsonObject = {};
  for (let pages = 1; pages <= 100; pages += 1) {
    const page: Page = await person().take<Page>(method, { ...input, ...following, [sizeName]: size }, session);
    results.push(...page.results);
    if (page.next_page_token !== undefined) {
      following = { page_token: page.next_page_token };
    } else if (page.next_offset !== undefined) {
      following = { offset: page.next_offset };
    } else {
      return { results, pages };
    }
  }
  throw new Error(`${method.name} has no end`);
}

const CASES = SESSION_METHODS.filter(({ desc }) =>
  desc.input.fields.some(({ name }) => name === "page_token" || name === "offset"),
).flatMap(({ desc }) => {
  const filters = desc.input.fields.map(({ name }) => name).filter((name) => !PAGING.has(name));
  return ["", ...filters].map((filter) => ({ name: desc.name, filter, method: desc as DescMethodUnary }));
});

test.each(CASES)("$name is read to its end by $filter", async ({ name, filter, method }) => {
  const values = filtersOf(name);
  const used = [filter, ...(ALWAYS[name] ?? [])].filter((one) => one !== "");
  expect(used.filter((one) => values?.[one] === undefined)).toEqual([]);
  const input = Object.fromEntries(used.map((one) => [one, values?.[one] ?? null]));
  const whole = await read(method, input, 100);
  const short = await read(method, input, 2);
  expect(short.results).toEqual(whole.results);
  expect({ whole: whole.pages, isSeveral: short.pages > 1 }).toEqual({ whole: 1, isSeveral: true });
});
