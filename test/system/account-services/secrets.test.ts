// No password, token, cookie or key appears in a log at any level, or in the response to a failed call: not in a whole life, not through
// bad input that contains one, and not when the database fails during the call.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Gateway, startGateway } from "../../fixtures/gateway.ts";
import { type Client, grpc, rest } from "./clients.ts";
import { PLANS, runLife } from "./life.ts";
import { type Headers, METHODS, PASSWORD, Person, placeOf } from "./person.ts";

const EMAIL = "eve@example.com";
const SECRET_FIELDS: ReadonlySet<string> = new Set(["password", "current_password", "new_password", "token", "secret"]);

const lines: string[] = [];
const failures: string[] = [];
const secrets = new Set<string>();

let dataDir: string;
let gateway: Gateway;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "quintet-secrets-"));
  const log = pino({ level: "debug", base: null }, { write: (line: string) => void lines.push(line) });
  gateway = await startGateway({ plans: PLANS, log, dataDir });
});
afterAll(async () => {
  await gateway.close();
  await rm(dataDir, { recursive: true });
});

// Collects all secrets, and the responses to failed calls.
function remember(value: unknown): void {
  if (typeof value !== "object" || value === null) {
    return;
  }
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner === "string" && SECRET_FIELDS.has(name)) {
      secrets.add(inner);
    }
    remember(inner);
  }
}

const remembering = (client: Client): Client => ({
  ...client,
  async call(call) {
    remember(call.input);
    const seen = await client.call(call);
    if (seen.code === "ok") {
      remember(seen.body);
      remember({ token: /quintet_session=(\w+)/.exec(seen.headers["set-cookie"] ?? "")?.[1] });
    } else {
      failures.push(JSON.stringify(seen));
    }
    return seen;
  },
});

const leaks = (): readonly string[] =>
  [...lines, ...failures].filter((text) => [...secrets].some((secret) => text.includes(secret)));

const request = async (path: string, headers: Headers, body: string, method = "POST"): Promise<number> => {
  gateway.clock.advance(100);
  const response = await fetch(`${gateway.origin}${path}`, { method, headers, body });
  failures.push(JSON.stringify([...response.headers, await response.text()]));
  return response.status;
};

test.each([rest, grpc])("in a whole life by $name", async (client) => {
  await runLife(placeOf(gateway), remembering(client));
  expect({ leaks: leaks(), secrets: secrets.size > 5, failures: failures.length > 5 }).toEqual({
    leaks: [],
    secrets: true,
    failures: true,
  });
});

test.each(["/account/v1/sign-in", "/quintet.account.v1.SignInService/SignIn"])("in bad input to %s", async (path) => {
  const person = new Person(placeOf(gateway), remembering(rest));
  const session = await person.begin(`${path.length}@example.com`);
  const token = session.authorization ?? "";
  const type = { "content-type": "application/json" };
  const statuses = await Promise.all([
    request(path, type, `{"email":"${EMAIL}","password":"${PASSWORD}`),
    request(path, type, `{"email":"${EMAIL}","password":${PASSWORD}}`),
    request(path, type, `{"email":"${EMAIL}","password":["${PASSWORD}"]}`),
    request(path, type, `{"email":"${PASSWORD}","password":"${PASSWORD}"}`),
    request(path, type, `{"email":{"password":"${PASSWORD}"}}`),
    request(path, type, `{"email":"${EMAIL}","password":"${PASSWORD}","use_cookie":"yes"}`),
    request("/account/v1/keys", { ...type, authorization: `${token}0` }, "{}"),
    request("/account/v1/keys", { ...type, authorization: token.replace("Bearer", "Basic") }, "{}"),
    request("/account/v1/keys", { ...type, ...session, origin: "null", cookie: `quintet_session=${token.slice(7)}` }, "{"),
    request("/farkle/v1/score", { ...type, "x-gateway-key": token.slice(7) }, "{}"),
  ]);
  expect({ statuses, leaks: leaks() }).toEqual({ statuses: [400, 400, 400, 400, 400, 400, 401, 401, 400, 401], leaks: [] });
});

test("wherever a session's token, a key or a recovery code is put by mistake, and when a password is given as a name", async () => {
  const person = new Person(placeOf(gateway), remembering(rest));
  const session = await person.begin("names@example.com");
  const { secret: key } = await person.take<{ secret: string }>(METHODS.createKey, {}, session);
  const headers = { "content-type": "application/json", ...session };
  const types = { "content-type": "application/json", "x-gateway-key": key };
  const mcp = { ...types, accept: "application/json, text/event-stream" };
  const rpc = (method: string, params: object) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const bodies = (given: string) => [
    `{"${given}":1}`,
    `{"${given}":{"${given}":1}}`,
    `{"key_id":"${given}","member_id":"${given}","role":"${given}","email":"${given}","services":["${given}"],"expires_at":"${given}"}`,
    `{"email":["${given}"],"password":{"${given}":1},"use_cookie":"${given}"}`,
    `"${given}"`,
    `[${given}]`,
    given,
  ];
  const recoveryCode = "k4v7-0q2m-x9ta-83hd";
  for (const given of [String(session.authorization).slice(7), key, recoveryCode, PASSWORD, "correcthorsebattery"]) {
    secrets.add(given);
    const encoded = encodeURIComponent(given);
    for (const body of bodies(given)) {
      for (const path of ["sign-in", "sign-up", "change-password", "invitations", "members/x", "verify-email"]) {
        await request(`/account/v1/${path}`, headers, body);
      }
      for (const method of ["SignIn", "SignUp", "ResetPassword"]) {
        await request(`/quintet.account.v1.SignInService/${method}`, headers, body);
      }
      await request("/quintet.account.v1.ProfileService/ChangePassword", headers, body);
    }
    await request(`/account/v1/sign-in?${encoded}=1`, headers, "{}");
    if (given === PASSWORD || given === "correcthorsebattery") {
      continue;
    }
    for (const body of bodies(given)) {
      for (const path of ["keys", "webhook-endpoints", "alerts/preferences"]) {
        await request(`/account/v1/${path}`, headers, body);
      }
      await request("/account/v1/subscriptions/farkle", headers, body, "PUT");
      await request("/farkle/v1/score", types, body);
      await request("/quintet.farkle.v1.FarkleService/Score", types, body);
      await request("/mcp", mcp, body);
    }
    await request("/account/v1/keys", headers, JSON.stringify({ allowed_addresses: [given] }));
    await request("/account/v1/subscriptions/farkle", headers, JSON.stringify({ plan: given }), "PUT");
    for (const path of ["", "/x", "?dice=", "?dice=1&dice=", "?"]) {
      await request(`/farkle/v1/score${path}${encoded}`, types, "");
      await request(`/account/v1/keys${path}${encoded}`, headers, "");
    }
    for (const path of [
      `/${encoded}`,
      `/account/v1/keys/${encoded}`,
      `/account/v1/keys/${encoded}/rotate`,
      `/account/v1/members/${encoded}`,
    ]) {
      await request(path, headers, "{}");
    }
    await request("/mcp", mcp, rpc("tools/call", { name: given, arguments: { [given]: given } }));
    await request("/mcp", mcp, rpc("tools/call", { name: "farkle_score", arguments: { [given]: given, dice: given } }));
    await request("/mcp", mcp, rpc(given, {}));
    const modern = { ...mcp, "mcp-protocol-version": "2026-07-28" };
    const versioned = (version: string) => ({ _meta: { "io.modelcontextprotocol/protocolVersion": version } });
    for (const body of [rpc(given, versioned("2026-07-28")), rpc("tools/list", versioned(given))]) {
      await request("/mcp", modern, body);
      await request("/mcp", { ...modern, "mcp-method": given, "mcp-name": given }, body);
    }
    await request("/mcp", { ...mcp, "mcp-protocol-version": given }, rpc("tools/list", {}));
    for (const header of [
      "accept",
      "content-type",
      "content-encoding",
      "x-quintet-account",
      "grpc-timeout",
      "connect-protocol-version",
    ]) {
      await request("/account/v1/keys", { ...headers, [header]: given }, "{}");
    }
  }
  expect([...new Set(leaks())]).toEqual([]);
});

test("when the database fails during a call, which is logged as a defect", async () => {
  const person = new Person(placeOf(gateway), remembering(rest));
  const wish = { email: EMAIL, password: PASSWORD };
  const session = await person.begin(EMAIL);
  const { secret } = await person.take<{ secret: string }>(METHODS.createKey, {}, session);
  const database = new DatabaseSync(join(dataDir, "quintet.db"), { enableForeignKeyConstraints: false });
  const calls = [
    { lost: "api_keys", make: () => person.call(METHODS.createKey, {}, session) },
    { lost: "owner_sessions", make: () => person.call(METHODS.getAccount, {}, session) },
    { lost: "owner_sessions", make: () => person.call(METHODS.signIn, wish) },
    { lost: "owners", make: () => person.call(METHODS.signIn, wish) },
    { lost: "owners", make: () => person.call(METHODS.signUp, { ...wish, email: "bob@example.com" }) },
  ];
  const logged = lines.length;
  const codes: string[] = [];
  for (const { lost, make } of calls) {
    database.exec(`DROP TABLE IF EXISTS ${lost}`);
    codes.push((await make()).code);
  }
  database.close();
  const response = await fetch(`${gateway.origin}/farkle/v1/score?dice=1`, { headers: { "x-gateway-key": secret } });
  failures.push(await response.text());
  expect({ codes, leaks: leaks(), logged: lines.length > logged }).toEqual({
    codes: calls.map(() => "INTERNAL"),
    leaks: [],
    logged: true,
  });
});
