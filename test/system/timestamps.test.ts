// Times in requests: every method that has one accepts it in RFC 3339, as in responses, and in Unix seconds, in every protocol that writes
// it as a string. So each time of a response can be sent back.
import type { DescField, DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { requirementOf, rulesOf } from "@quintet/transcoding";
import { Agent, fetch, type Response } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BillingService } from "../../gen/quintet/account/v1/billing_pb.js";
import { WebhookService } from "../../gen/quintet/account/v1/webhook_pb.js";
import { operationIdOf } from "../../scripts/openapi/recorded-calls.ts";
import { frame } from "../../src/gateway/rpc/envelope.ts";
import { rpcPath } from "../../src/gateway/rpc/rpc-path.ts";
import { isTimestamp, isUnixSeconds } from "../../src/problem/timestamp.ts";
import { DATA_METHODS, DATA_SERVICES, SESSION_METHODS } from "../fixtures/data-services.ts";
import { type Input, sampleInput, stationOf } from "../fixtures/sample-calls.ts";
import { startWorld, type World } from "../fixtures/world.ts";
import { rest } from "./account-services/clients.ts";
import { type Headers, Person, placeOf } from "./account-services/person.ts";
import { createRawClient, type RawClient } from "./oracle/raw-client.ts";

/** A parameter that is a time. */
interface Parameter {
  readonly method: DescMethod;
  readonly field: DescField;
}

const name = ({ method, field }: Parameter): string => `${method.parent.name}/${method.name} ${field.name}`;

const METHODS = [...DATA_METHODS, ...SESSION_METHODS].map(({ desc }) => desc);
const PARAMETERS = METHODS.flatMap((method) => method.input.fields.filter(isTimestamp).map((field) => ({ method, field })));
const ROWS = PARAMETERS.map((parameter) => ({ name: name(parameter), parameter }));

/** The result of a call: the message of a response as JSON, or a failure's message. */
type Outcome = { readonly received: unknown } | { readonly refused: string };

let world: World;
let raw: RawClient;
let session: Headers;
// A connection for each request: the server may close one that is kept as soon as the clock moves.
const dispatcher = new Agent({ pipelining: 0 });

beforeAll(async () => {
  world = await startWorld();
  raw = createRawClient(world.gateway.port);
  const { gateway } = world;
  const person = new Person(placeOf({ origin: gateway.origin, clock: world.clock }), rest);
  const first = await person.begin("ops@example.com");
  const received = await fetch(`${gateway.origin}/account/v1/account`, { headers: first });
  const { data } = (await received.json()) as { data: { account: { id: string } } };
  await gateway.store.setOperator(data.account.id, true);
  session = await person.signIn("ops@example.com");
});

afterAll(async () => {
  raw.close();
  await dispatcher.close();
  await world.close();
});

const isData = (method: DescMethod): boolean => DATA_SERVICES.includes(method.parent);
const headersFor = (method: DescMethod): Headers => (isData(method) ? world.headers : session);

const MAINTENANCE = {
  ...{ title: "New database", impact: "INCIDENT_IMPACT_MAINTENANCE", text: "Calls may fail for a minute." },
  ...{ begins_at: "2027-01-15T07:30:00Z", ends_at: "2027-01-15T09:30:00Z" },
};

// A valid input without the times.
function baseOf(method: DescMethod): Input {
  if (method.name === "CreateIncident") {
    return MAINTENANCE;
  }
  const input = isData(method) ? sampleInput(operationIdOf(method), "") : {};
  return Object.fromEntries(
    Object.entries(input).filter(([key]) => !method.input.fields.some((field) => field.name === key && isTimestamp(field))),
  );
}

// Only the times of a new key or incident are compared, because everything else is random.
function shown(received: unknown): unknown {
  const { key, incident, begins_at, ends_at } = received as Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;
  if (incident !== undefined || begins_at !== undefined) {
    return incident === undefined
      ? [begins_at, ends_at]
      : [incident.begins_at ?? incident.beginsAt, incident.ends_at ?? incident.endsAt];
  }
  return key === undefined ? received : (key.expires_at ?? key.expiresAt);
}

// Calls of a session have a rate limit.
function keepPace(headers: Headers): void {
  if (headers.authorization !== undefined) {
    world.clock.advance(1000);
  }
}

async function request(method: string, path: string, headers: Headers, body?: string | Uint8Array<ArrayBuffer>): Promise<Response> {
  keepPace(headers);
  return fetch(`${world.gateway.origin}${path}`, { method, headers, dispatcher, ...(body !== undefined && { body }) });
}

async function restOutcome(response: Response): Promise<Outcome> {
  const { success, message, data } = (await response.json()) as { success: boolean; message: string; data: unknown };
  return success ? { received: shown(data) } : { refused: message };
}

async function connectOutcome(response: Response): Promise<Outcome> {
  const json = (await response.json()) as { message?: string };
  return response.ok ? { received: shown(json) } : { refused: json.message ?? "" };
}

const framedOutcome = (status: string | null | undefined, message: string, body: Uint8Array): Outcome =>
  status === "0" || status === undefined || status === null
    ? { received: shown(JSON.parse(Buffer.from(body.subarray(5, 5 + Buffer.from(body).readUInt32BE(1))).toString())) }
    : { refused: decodeURIComponent(message) };

type Way = readonly [name: string, call: (input: Input) => Promise<Outcome>];

const queryOf = (input: Input): string =>
  new URLSearchParams(Object.entries(input).map(([key, value]) => [key, String(value)])).toString();

/** All ways of calling a method that write its input as text. */
function waysOf(method: DescMethod): readonly Way[] {
  const headers = headersFor(method);
  const json = { ...headers, "content-type": "application/json" };
  const path = rpcPath(method);
  const byRest = rulesOf(method).flatMap(({ httpMethod, template: { source }, body }): Way[] =>
    body === ""
      ? [["REST, query", async (input) => restOutcome(await request(httpMethod, `${source}?${queryOf(input)}`, headers))]]
      : [
          ["REST, JSON", async (input) => restOutcome(await request(httpMethod, source, json, JSON.stringify(input)))],
          [
            "REST, form",
            async (input) =>
              restOutcome(
                await request(
                  httpMethod,
                  source,
                  { ...headers, "content-type": "application/x-www-form-urlencoded" },
                  queryOf(input),
                ),
              ),
          ],
        ],
  );
  const mayGet = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  const get: Way = [
    "Connect, GET",
    async (input) => {
      const query = new URLSearchParams({ connect: "v1", encoding: "json", message: JSON.stringify(input) });
      return connectOutcome(await request("GET", `${path}?${query}`, headers));
    },
  ];
  return [
    ...byRest,
    ["Connect", async (input) => connectOutcome(await request("POST", path, json, JSON.stringify(input)))],
    ...(mayGet ? [get] : []),
    [
      "gRPC-Web",
      async (input) => {
        const response = await request(
          "POST",
          path,
          { ...headers, "content-type": "application/grpc-web+json" },
          new Uint8Array(frame(0, Buffer.from(JSON.stringify(input)))),
        );
        const body = new Uint8Array(await response.arrayBuffer());
        return framedOutcome(response.headers.get("grpc-status"), response.headers.get("grpc-message") ?? "", body);
      },
    ],
    [
      "gRPC",
      async (input) => {
        keepPace(headers);
        const {
          headers: head,
          trailers,
          body,
        } = await raw.send({
          httpVersion: 2,
          method: "POST",
          path,
          headers: Object.entries({ ...headers, te: "trailers", "content-type": "application/grpc+json" }),
          body: frame(0, Buffer.from(JSON.stringify(input))),
        });
        const status = head["grpc-status"] ?? trailers["grpc-status"];
        return framedOutcome(status, head["grpc-message"] ?? trailers["grpc-message"] ?? "", body);
      },
    ],
  ];
}

const PAST = {
  seconds: 1_760_000_000,
  others: [
    "1760000000",
    "2025-10-09T08:53:20Z",
    "2025-10-09T08:53:20.000Z",
    "2025-10-09T10:53:20+02:00",
    "2025-10-09T03:23:20.000000000-05:30",
    "2025-10-09t08:53:20z",
  ],
};
const FUTURE = { seconds: 1_800_000_000, others: ["2027-01-15T08:00:00Z", "2027-01-15T09:00:00.0+01:00"] };

test("these are the times in requests", () => {
  expect(PARAMETERS.map(name)).toEqual([
    "TokenPriceService/GetHistoricalPrices timestamp",
    "TokenPriceService/GetPriceCharts start",
    "TokenPriceService/GetPriceCharts end",
    "TokenPriceService/GetPriceChanges timestamp",
    "AccountService/ListActivity since",
    "AccountService/ListActivity until",
    "KeyService/CreateKey expires_at",
    "UsageService/ListCalls since",
    "UsageService/ListCalls until",
    "OperatorService/CreateIncident begins_at",
    "OperatorService/CreateIncident ends_at",
    "OperatorService/ListAuditEntries since",
    "OperatorService/ListAuditEntries until",
  ]);
});

describe.each(ROWS)("$name", ({ parameter: { method, field } }) => {
  test("means the same in every form, in every protocol that writes it as a string", async () => {
    const { seconds, others } = ["expires_at", "begins_at", "ends_at"].includes(field.name) ? FUTURE : PAST;
    for (const [way, call] of waysOf(method)) {
      const bySeconds = await call({ ...baseOf(method), [field.name]: seconds });
      expect([way, bySeconds]).toEqual([way, { received: expect.anything() }]);
      for (const other of others) {
        expect([way, other, await call({ ...baseOf(method), [field.name]: other })]).toEqual([way, other, bySeconds]);
      }
    }
  });

  test("is refused with one sentence that names both forms", async () => {
    const sentence = `${field.name} must be ${requirementOf(field, isUnixSeconds)}`;
    for (const [way, call] of waysOf(method)) {
      for (const [given, hint] of [
        ["soon", ""],
        ["2025-02-30T00:00:00Z", ""],
        ["2025-10-09", ": needs a date, a time and an offset, such as Z for UTC"],
        ["1760000000000", ": looks like milliseconds; give seconds"],
      ]) {
        const echo = way.startsWith("REST") ? `, not "${given}"` : "";
        expect([way, await call({ ...baseOf(method), [field.name]: given })]).toEqual([way, { refused: sentence + echo + hint }]);
      }
    }
  });
});

test("the wording for both kinds of field", () => {
  expect([...new Set(PARAMETERS.map(({ field }) => requirementOf(field, isUnixSeconds)))]).toEqual([
    "a time in RFC 3339 format from 2009-01-01T00:00:00Z to 2106-02-07T06:28:15Z, or in Unix seconds from 1230768000 to 4294967295",
    "a time in RFC 3339 format such as 2026-01-31T12:00:00Z, or in Unix seconds such as 1769860800",
  ]);
});

const TIME = /"(\d{4}-\d\d-\d\dT[\d:.]+Z)"/g;
const timesOf = (text: string): string[] => [...text.matchAll(TIME)].map(([, time = ""]) => time);

test("each time of a response can be sent back as each parameter", async () => {
  const station = await stationOf(world.gateway.origin, world.headers);
  const { createWebhookEndpoint } = WebhookService.method;
  const hook = { url: "https://hook.invalid/" };
  const created = await request(
    "POST",
    "/account/v1/webhook-endpoints",
    { ...headersFor(createWebhookEndpoint), "content-type": "application/json" },
    JSON.stringify(hook),
  );
  const endpointId = ((await created.json()) as { data: { endpoint: { id: string } } }).data.endpoint.id;
  const texts: string[] = [];
  for (const method of METHODS.filter((one) => one.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS)) {
    const input = isData(method) ? sampleInput(operationIdOf(method), station) : {};
    const [rule] = method.methodKind === "unary" ? rulesOf(method) : [];
    // Operators read the same data as an account's own methods, and nothing is sold by card here.
    if (rule !== undefined && !rule.template.source.includes("{account_id}") && method.parent !== BillingService) {
      const { source } = rule.template;
      const path = source.replace("{uuid}", station).replace("{endpoint_id}", endpointId);
      const response = await request("GET", path === source ? `${path}?${queryOf(input)}` : path, headersFor(method));
      expect([path, response.status]).toEqual([path, 200]);
      texts.push(await response.text());
    }
  }
  const times = [...new Set(texts.flatMap(timesOf))];
  expect(times.length).toBeGreaterThan(20);
  for (const { method, field } of PARAMETERS.filter(({ field }) => field.name !== "expires_at")) {
    const [[, call] = []] = waysOf(method);
    for (const time of times) {
      const seconds = Math.floor(Date.parse(time) / 1000);
      const sent = { ...baseOf(method), [field.name]: time };
      expect([field.name, time, await call?.(sent)]).toEqual([field.name, time, await call?.({ ...sent, [field.name]: seconds })]);
    }
  }
});
