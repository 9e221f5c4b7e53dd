// The examples of the OpenAPI document: each operation has one of a request and of its answer. They are what the sandbox and a fresh account
// are really answered, recorded in scripts/openapi/recorded/ and compared with it here; `npm test -- test/system/openapi-examples.test.ts -u` records
// them anew, and `npm run generate` publishes them.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createPasswords } from "../../src/account/passwords.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { startGateway } from "../fixtures/gateway.ts";
import { type Schema, schemaFaults } from "../fixtures/json-schema.ts";
import {
  ACCOUNT_OPERATIONS,
  ask,
  DATA_OPERATIONS,
  DOCUMENT,
  documentedAnswer,
  type Operation,
  responseFaults,
  SCHEMAS,
} from "../fixtures/openapi-document.ts";
import { type Input, queryOf, sampleInput, stationOf } from "../fixtures/sample-calls.ts";
import { withSteadyOrigins } from "../fixtures/sandbox-origins.ts";
import { linkOf, type SmtpServer, startSmtp } from "../fixtures/servers/smtp.ts";
import { startWorld, type World } from "../fixtures/world.ts";

interface Recorded {
  readonly request: Input;
  readonly answer: unknown;
}

const REQUEST_ID = "54d99148-4e23-4170-8179-f6733c30f169";
const FOLDER = join(import.meta.dirname, "../../scripts/openapi/recorded");

const serviceOf = ({ operationId }: Operation): string => operationId.replace(/Service_.*$/, "").toLowerCase();

interface MediaType {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly $ref: string }>>;
}

// Whatever is random, as it is in every recording.
function steady(text: string): string {
  const seen = new Map<string, string>();
  const steadyOf =
    (kind: string, length: number) =>
    (given: string): string => {
      const digest = createHash("sha512").update(`${kind} ${seen.size}`).digest("hex");
      const known = seen.get(given) ?? digest.slice(0, length);
      seen.set(given, known);
      return known;
    };
  const uuidOf = (given: string): string => {
    const hex = steadyOf("uuid", 32)(given);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  };
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (given) => (given === REQUEST_ID ? given : uuidOf(given)))
    .replaceAll(/"qk_live_[0-9A-Za-z]{38}"/g, (given) => `"qk_live_${steadyOf("key", 38)(given)}"`)
    .replaceAll(/(?<="(?:key_)?last_four": ")\w{4}/g, steadyOf("end", 4))
    .replaceAll(/(?<="token": ")\w{32}/g, steadyOf("token", 32))
    .replaceAll(/(?<="name": "ada-)[0-9a-f]{8}/g, steadyOf("name", 8));
}

async function expectRecorded(service: string, recorded: Readonly<Record<string, Recorded>>): Promise<void> {
  const text = `${JSON.stringify(recorded, undefined, 2)}\n`;
  // The world of the sandbox is the same at every start.
  await expect(service === "account" ? steady(text) : text).toMatchFileSnapshot(join(FOLDER, `${service}.json`));
}

describe("the data services", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.close());

  const headers = (): Record<string, string> => ({ ...world.headers, "x-request-id": REQUEST_ID });

  async function record({ path, get }: (typeof DATA_OPERATIONS)[number]): Promise<readonly [string, Recorded]> {
    const request = sampleInput(get.operationId, await stationOf(world.gateway.origin, world.headers));
    const { status, body } = await ask(`${world.gateway.origin}${path}?${new URLSearchParams(queryOf(request))}`, {
      headers: headers(),
    });
    expect({ status, faults: responseFaults(get, { status, body }) }).toEqual({ status: 200, faults: [] });
    return [get.operationId, { request, answer: body }];
  }

  const services = [...new Set(DATA_OPERATIONS.map(({ get }) => serviceOf(get)))];

  test.each(services)("%s is answered as the examples show", async (service) => {
    const recorded: [string, Recorded][] = [];
    for (const operation of DATA_OPERATIONS.filter(({ get }) => serviceOf(get) === service)) {
      const [id, one] = await record(operation);
      recorded.push([id, one]);
    }
    const text = withSteadyOrigins(JSON.stringify(Object.fromEntries(recorded)), world.sandbox);
    await expectRecorded(service, JSON.parse(text) as Readonly<Record<string, Recorded>>);
  });
});

const mailVariables = (url: string): Readonly<Record<string, string>> => ({
  QUINTET_SMTP_URL: url,
  QUINTET_MAIL_FROM: "no-reply@example.com",
  QUINTET_PUBLIC_URL: "https://api.example.com",
});

const mailedToken = async (smtp: SmtpServer, email: string): Promise<string> =>
  linkOf(await smtp.nextMail(email)).replace(/.*#token=/, "");

test("the account services are answered as the examples show", async () => {
  const gateway = await startGateway({ variables: { QUINTET_PLANS: "plans/default.json" } });
  onTestFinished(() => gateway.close());
  const recorded: Record<string, Recorded> = {};
  let token = "";
  let current = gateway;
  const call = async <Data>(id: string, request: Input = {}): Promise<Data> => {
    // No pace of the account's holds it up.
    current.clock.advance(1000);
    const { path, verb, operation } = ACCOUNT_OPERATIONS.find((one) => one.operation.operationId === id) ?? {};
    if (path === undefined || verb === undefined || operation === undefined) {
      throw new Error(`${id} is not documented`);
    }
    const place = path.replace(/\{(\w+)\}/, (_, name: string) => String(request[name]));
    const body = Object.fromEntries(Object.entries(request).filter(([name]) => !path.includes(`{${name}}`)));
    const init = {
      headers: { "x-request-id": REQUEST_ID, ...(token !== "" && { authorization: `Bearer ${token}` }) },
    };
    const answered =
      verb === "get"
        ? await ask(`${current.origin}${place}?${new URLSearchParams(queryOf(request))}`, init)
        : await ask(`${current.origin}${place}`, {
            method: verb.toUpperCase(),
            headers: { ...init.headers, "content-type": "application/json" },
            body: JSON.stringify(body),
          });
    expect({ id, status: answered.status, faults: responseFaults(operation, answered) }).toEqual({ id, status: 200, faults: [] });
    recorded[id] = { request, answer: answered.body };
    return answered.body.data as Data;
  };
  const person = { email: "ada@example.com", password: "seven green bicycles" };
  await call("SignInService_SignUp", person);
  ({ token } = await call<{ token: string }>("SignInService_SignIn", person));
  const first = recorded.SignInService_SignIn as Recorded;
  await call("AccountService_GetAccount");
  await call("AccountService_ListPlans", { service: "farkle" });
  const { id: subscription_id } = await call<{ id: string }>("AccountService_CreateSubscription", { service: "farkle" });
  await call("AccountService_ListSubscriptions");
  const created = await call<{ key: { id: string }; secret: string }>("AccountService_CreateKey", {
    name: "website",
    services: ["farkle"],
  });
  const { key, secret } = created;
  const key_id = key.id;
  await call("AccountService_ListKeys");
  await call("AccountService_UpdateKey", { key_id, name: "web shop", services: { names: ["farkle", "radio"] } });
  // What is watched is remembered for a while, so that the recorded stream begins with a call.
  gateway.clock.advance(1000);
  const watch = await fetch(`${gateway.origin}/account/v1/watch-calls`, { headers: { authorization: `Bearer ${token}` } });
  await fetch(`${gateway.origin}/farkle/v1/score?dice=1,5`, { headers: { "x-gateway-key": secret, "x-request-id": REQUEST_ID } });
  await watch.body?.cancel();
  await call("AccountService_WatchCalls", { service: "farkle", backlog: 10 });
  await call("AccountService_GetUsage", { service: "farkle", from_day: "2026-11-01", to_day: "2026-11-21" });
  // The key may not call this service.
  await ask(`${gateway.origin}/bitcoin/v1/mayer`, { headers: { "x-gateway-key": secret } });
  const listRefusals = (): Promise<{ count: number }> =>
    call("AccountService_ListRefusals", { group_by: ["reason", "service"], from_day: "2026-11-01", to_day: "2026-11-21" });
  // It is counted once a second.
  await expect.poll(async () => (await listRefusals()).count).toBe(1);
  await call("AccountService_RotateKey", { key_id, grace_seconds: 3600 });
  await call("AccountService_RevokeKey", { key_id });
  await call("AccountService_RequestPlan", { subscription_id, plan: "pro" });
  await call("AccountService_CancelSubscription", { subscription_id });
  await call("AccountService_ChangePassword", { current_password: person.password, new_password: "nine quiet lighthouses" });
  const sessions = await call<{ results: { id: string }[] }>("AccountService_ListSessions");
  await call("AccountService_EndSession", { session_id: sessions.results[0]?.id });
  ({ token } = await call<{ token: string }>("SignInService_SignIn", { ...person, password: "nine quiet lighthouses" }));
  await call("AccountService_EndOtherSessions");
  await call("AccountService_SignOut");
  ({ token } = await call<{ token: string }>("SignInService_SignIn", { ...person, password: "nine quiet lighthouses" }));
  await call("AccountService_DeleteAccount", { password: "nine quiet lighthouses" });
  const smtp = await startSmtp();
  onTestFinished(() => smtp.close());
  current = await startGateway({ variables: mailVariables(smtp.url) });
  const mailing = current;
  onTestFinished(() => mailing.close());
  const passwordHash = await createPasswords(systemRandomness).hash(person.password);
  await current.store.createOwnedAccount({ id: systemRandomness.uuid(), name: "ada-1", email: person.email }, passwordHash);
  token = "";
  const signedIn = await call<{ token: string }>("SignInService_SignIn", person);
  recorded.SignInService_SignIn = first;
  ({ token } = signedIn);
  await call("AccountService_SendVerification");
  await call("SignInService_VerifyEmail", { token: await mailedToken(smtp, person.email) });
  await call("SignInService_RequestPasswordReset", { email: person.email });
  const next = { token: await mailedToken(smtp, person.email), new_password: "eleven warm lanterns" };
  await call("SignInService_ResetPassword", next);
  expect(Object.keys(recorded).toSorted()).toEqual(ACCOUNT_OPERATIONS.map(({ operation }) => operation.operationId).toSorted());
  await expectRecorded("account", recorded);
});

const OPERATIONS = Object.values<Readonly<Record<string, Operation>>>(DOCUMENT.paths).flatMap((verbs) => Object.values(verbs));

interface Example {
  readonly value: unknown;
}

const exampleOf = ({ $ref }: { readonly $ref: string }): unknown =>
  (DOCUMENT.components.examples[$ref.replace("#/components/examples/", "")] as Example).value;

test.each(OPERATIONS)("$operationId has examples that are as its schemas say", (operation) => {
  const { parameters = [], requestBody } = operation;
  const given = parameters.filter(({ example }) => example !== undefined);
  const needed = parameters.filter(({ required, example }) => required && example === undefined);
  expect(needed).toEqual([]);
  const ofParameters = given.flatMap(({ name, schema, example }) => schemaFaults(schema, example, name, SCHEMAS));
  const media = [
    ...Object.values<MediaType>((requestBody?.content ?? {}) as never),
    ...Object.values<MediaType>((documentedAnswer(operation, 200).content ?? {}) as never),
  ];
  const ofBodies = media.flatMap(({ schema, examples }) => {
    const shown = Object.values(examples ?? {});
    return shown.length === 0 ? ["has no example"] : shown.flatMap((one) => schemaFaults(schema, exampleOf(one), "body", SCHEMAS));
  });
  expect(media).not.toEqual([]);
  expect([...ofParameters, ...ofBodies]).toEqual([]);
});
