// The authorisation table: every caller tries every method of the account services in every protocol. Callers name their own account in
// `x-quintet-account`, and are refused if they name another, unless they are a member of it with the method's role. The results are
// written to build/authorisation.md.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StatementSync } from "node:sqlite";
import type { DescMethod, DescMethodUnary, JsonObject } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { rulesOf } from "@quintet/transcoding";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { accountMethodOf, needsSession } from "../../../src/account/account-methods.ts";
import { Sessions } from "../../../src/account/sessions.ts";
import { systemRandomness } from "../../../src/runtime/randomness.ts";
import { MEMBER_ROLES, type MemberRole } from "../../../src/store/owner-records.ts";
import { ACCOUNT_SERVICES, OPERATOR_SERVICES } from "../../fixtures/data-services.ts";
import { type Gateway, startGateway } from "../../fixtures/gateway.ts";
import { quickPasswords } from "../../fixtures/quick-passwords.ts";
import { ROOT } from "../../fixtures/root.ts";
import type { Seen } from "../matrix/seen.ts";
import { AUTHORISATION, type AuthorisationRow, CALLERS, type CallerName, type OwnedThings } from "./authorisation-table.ts";
import { CLIENTS, rest } from "./clients.ts";
import { PLANS } from "./life.ts";
import { bearing, type Headers, PASSWORD, Person, placeOf } from "./person.ts";

const METHODS = new Map<string, DescMethod>(
  [...ACCOUNT_SERVICES, ...OPERATOR_SERVICES].flatMap(({ name, methods }) =>
    methods.map((method) => [`${name}/${method.name}`, method]),
  ),
);

const DAY_MS = 86_400_000;
const NO_SESSION = { token: "" };

let gateway: Gateway;
let passwordHash: string;
let people = 0;
// Somebody who is an owner of the team's account too.
let own: Awaited<ReturnType<typeof makeOwner>>;
let team: Awaited<ReturnType<typeof makeTeam>> & { readonly removed: { token: string }; readonly suspended: { token: string } };
beforeAll(async () => {
  gateway = await startGateway({ plans: PLANS });
  passwordHash = await quickPasswords.hash(PASSWORD);
  const [made, removed, suspended] = [await makeTeam(MEMBER_ROLES), await makePerson(), await makePerson()];
  await joinAs("owner", made.owned.accountId, removed);
  await gateway.store.removeMember(made.owned.accountId, removed.id);
  await joinAs("owner", made.owned.accountId, suspended);
  await gateway.store.setSuspended(suspended.id, true);
  team = { ...made, removed, suspended };
  own = await makeOwner();
  await joinAs("owner", made.owned.accountId, { id: own.owned.accountId, email: own.owned.email });
});
afterAll(() => gateway.close());

// Somebody with an account, signed in.
async function makePerson(isOperator = false) {
  const { store, clock } = gateway;
  people += 1;
  const email = `person${people}@example.com`;
  const id = systemRandomness.uuid();
  await store.createOwnedAccount({ id, name: `person${people}`, email }, passwordHash);
  if (isOperator) {
    await store.setOperator(id, true);
  }
  const passwords = { hash: () => Promise.reject(new Error("unused")), matches: () => Promise.reject(new Error("unused")) };
  const sessions = new Sessions({ store, passwords, clock, randomness: systemRandomness });
  const started = await sessions.begin({ accountId: id, passwordHash });
  return { id, email, sessions, token: started?.token ?? "" };
}

// A delivery that has failed, so that it can be replayed.
async function sentTest(accountId: string, endpointId: string): Promise<string> {
  const { store } = gateway;
  const { id } = await store.addWebhookTest(accountId, endpointId, systemRandomness.uuid());
  for (const webhook of await store.claimWebhooks({ limit: 16, leaseMs: 60_000, perAccountMax: 16, exceptAccountIds: [] })) {
    const response = { atMs: 0, durationMs: 1, httpStatus: undefined, response: "", error: "The connection was refused." };
    await store.endWebhookAttempt(webhook, { ...response, state: "failed", isGone: false }, { mails: false });
  }
  return id;
}

// Makes a person a member of an account.
async function joinAs(role: MemberRole, accountId: string, { id, email }: { readonly id: string; readonly email: string }) {
  const invitation = { id: systemRandomness.uuid(), accountId, email, role, invitedBy: accountId };
  const tokenHash = systemRandomness.uuid();
  await gateway.store.inviteMember({ ...invitation, tokenHash, expiresAtMs: gateway.clock.nowMs() + DAY_MS });
  await gateway.store.acceptInvitation(tokenHash, id);
}

async function makeOwner(): Promise<{ readonly headers: Headers; readonly owned: OwnedThings }> {
  const { id, email, sessions, token } = await makePerson();
  const [keyId, subscriptionId] = [systemRandomness.uuid(), systemRandomness.uuid()];
  const { store } = gateway;
  await store.createKey({
    ...{ id: keyId, accountId: id, name: "theirs", hash: keyId, prefix: "qk_live_", lastFour: "abcd" },
    ...{ services: null, expiresAtMs: null, lifetimeMs: null },
  });
  await store.createSubscription({ id: subscriptionId, accountId: id, service: "farkle", plan: "free", state: "active" });
  const endpointId = systemRandomness.uuid();
  const endpoint = { url: "https://hook.invalid/", description: "", alertTypes: [], secret: "whsec_secret" };
  await store.createWebhookEndpoint({ ...endpoint, id: endpointId, accountId: id });
  const deliveryId = await sentTest(id, endpointId);
  const [session] = await sessions.list(id, token);
  const member = await makePerson();
  await joinAs("developer", id, member);
  const invitationId = systemRandomness.uuid();
  const invitation = { id: invitationId, accountId: id, email: "guest@example.com", role: "reader", invitedBy: id } as const;
  await store.inviteMember({ ...invitation, tokenHash: invitationId, expiresAtMs: gateway.clock.nowMs() + DAY_MS });
  return {
    headers: bearing(token),
    owned: {
      accountId: id,
      email,
      keyId,
      subscriptionId,
      sessionId: session?.id ?? "",
      endpointId,
      deliveryId,
      memberId: member.id,
      invitationId,
    },
  };
}

// An account with a member of each role.
async function makeTeam(roles: readonly MemberRole[]) {
  const { owned } = await makeOwner();
  const members: Partial<Record<MemberRole, Awaited<ReturnType<typeof makePerson>>>> = {};
  for (const role of roles) {
    const member = await makePerson();
    await joinAs(role, owned.accountId, member);
    members[role] = member;
  }
  return { owned, members };
}

const naming = (accountId: string): Headers => ({ "x-quintet-account": accountId });

const reasonOf = ({ code, body, details }: Seen): string => {
  if (code === "ok") {
    return "OK";
  }
  const inRest = (body as { readonly error?: { readonly reason: string } } | undefined)?.error?.reason;
  return inRest ?? (details as readonly { readonly reason: string }[] | undefined)?.[0]?.reason ?? code;
};

function methodNamed(name: string): DescMethod {
  const method = METHODS.get(name);
  if (method === undefined) {
    throw new Error(`There is no ${name}`);
  }
  return method;
}

// A stream has started once its head has arrived. It is always opened over REST, whatever the client.
async function openStream(method: DescMethod, input: JsonObject, headers: Headers): Promise<string> {
  const query = new URLSearchParams(Object.entries(input).map(([name, value]) => [name, String(value)]));
  const ended = new AbortController();
  const { origin } = gateway;
  const response = await fetch(`${origin}${rulesOf(method)[0]?.template.source}?${query}`, { headers, signal: ended.signal });
  const outcome = response.ok ? "OK" : ((await response.json()) as { readonly error: { readonly reason: string } }).error.reason;
  ended.abort();
  return outcome;
}

// Whether a method names, by its ID, something of the account that members can share.
const isOfShareable = ({ method, outcomes, input }: AuthorisationRow): boolean =>
  input.length > 0 &&
  outcomes.owner === "OK" &&
  outcomes.stranger === "NOT_FOUND" &&
  accountMethodOf(methodNamed(method)).role !== "self";

test("every method has a row", () => {
  expect([...new Set(AUTHORISATION.map(({ method }) => method))].toSorted()).toEqual([...METHODS.keys()].toSorted());
});

describe.each(CLIENTS)("by $name", (client) => {
  const seen: string[] = [];
  afterAll(() => {
    const head = [`| method | ${CALLERS.join(" | ")} |`, `| --- | ${CALLERS.map(() => "---").join(" | ")} |`];
    mkdirSync(join(ROOT, "build"), { recursive: true });
    writeFileSync(join(ROOT, "build/authorisation.md"), `${[...head, ...seen].join("\n")}\n`);
  });

  test.each(AUTHORISATION.filter(({ method }) => needsSession(accountMethodOf(methodNamed(method)))))(
    "$method, for members of an account",
    async ({ method: name, input, outcomes, byMember = outcomes.owner, role }: AuthorisationRow) => {
      const method = methodNamed(name);
      const { access, role: needed = undefined } = { ...accountMethodOf(method), ...(role !== undefined && { role }) };
      const person = new Person(placeOf(gateway), client);
      const call = async (owned: OwnedThings, { token }: { readonly token: string }): Promise<string> => {
        const headers = { ...bearing(token), ...naming(owned.accountId) };
        return method.methodKind === "unary"
          ? reasonOf(await person.call(method as DescMethodUnary, input(owned), headers))
          : await openStream(method, input(owned), headers);
      };
      const isReading = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
      const isAllowed = (role: MemberRole): boolean =>
        needed !== undefined && needed !== "self" && MEMBER_ROLES.indexOf(role) >= MEMBER_ROLES.indexOf(needed);
      // A call that changes something gets an account of its own.
      const seen: Record<string, string> = {};
      for (const role of MEMBER_ROLES) {
        const { owned, members } = isAllowed(role) && !isReading ? await makeTeam([role]) : team;
        seen[role] = await call(owned, members[role] ?? NO_SESSION);
      }
      seen.removed = await call(team.owned, team.removed);
      seen.suspended = await call(team.owned, team.suspended);
      // Within the rate that everybody has.
      gateway.clock.advance(1000);
      const isOwnOnly = access === "operator" || needed === "self";
      const expected = (role: MemberRole): string => {
        if (isOwnOnly) {
          return "ACCOUNT_MISMATCH";
        }
        return isAllowed(role) ? byMember : "ROLE_REQUIRED";
      };
      expect(seen).toEqual({
        ...{ reader: expected("reader"), developer: expected("developer"), owner: expected("owner"), removed: "ACCOUNT_MISMATCH" },
        suspended: isOwnOnly ? "ACCOUNT_MISMATCH" : "ACCOUNT_SUSPENDED",
      });
    },
  );

  test.each(AUTHORISATION.filter(isOfShareable))(
    "$method does not reach what another account has, also for an owner of both",
    async ({ method: name, input }) => {
      const method = methodNamed(name) as DescMethodUnary;
      const person = new Person(placeOf(gateway), client);
      const outcomes = [
        await person.call(method, input(own.owned), { ...own.headers, ...naming(team.owned.accountId) }),
        await person.call(method, input(team.owned), { ...own.headers, ...naming(own.owned.accountId) }),
        await person.call(method, input(team.owned), own.headers),
      ];
      expect(outcomes.map(reasonOf)).toEqual(["NOT_FOUND", "NOT_FOUND", "NOT_FOUND"]);
    },
  );

  test.each(["", "*", "a-1", `${"0".repeat(8)}-0000-0000-0000-${"0".repeat(12)}`])(
    "the account '%s', which nobody has, is refused to everybody",
    async (named) => {
      const person = new Person(placeOf(gateway), client);
      const seen = await person.call(
        accountMethodOf("quintet.account.v1.KeyService/ListKeys").desc as DescMethodUnary,
        {},
        {
          ...own.headers,
          ...naming(named),
        },
      );
      expect(reasonOf(seen)).toBe("ACCOUNT_MISMATCH");
    },
  );

  test.each(AUTHORISATION)("$method", async ({ method: name, input, outcomes }: AuthorisationRow) => {
    const method = methodNamed(name);
    const { headers, owned } = await makeOwner();
    const [stranger, operator] = [await makePerson(), await makePerson(true)];
    const headersOf: Readonly<Record<CallerName, Headers>> = {
      nobody: {},
      stranger: { ...bearing(stranger.token), ...naming(stranger.id) },
      operator: { ...bearing(operator.token), ...naming(operator.id) },
      owner: { ...headers, ...naming(owned.accountId) },
    };
    const person = new Person(placeOf(gateway), client);
    const ended = new Map<CallerName, string>();
    const call = async (requested: JsonObject, given: Headers): Promise<string> =>
      method.methodKind === "unary"
        ? reasonOf(await person.call(method as DescMethodUnary, requested, given))
        : await openStream(method, requested, given);
    if (needsSession(accountMethodOf(method))) {
      const misled = { stranger: naming(owned.accountId), operator: naming(owned.accountId), owner: naming(stranger.id) };
      for (const [caller, named] of Object.entries(misled)) {
        const outcome = await call(input(owned), { ...headersOf[caller as CallerName], ...named });
        expect({ caller, outcome }).toEqual({ caller, outcome: "ACCOUNT_MISMATCH" });
      }
    }
    // The owner comes last, because some calls leave nothing for others to try.
    for (const caller of ["nobody", "stranger", "operator", "owner"] as const) {
      const unique = name.endsWith("/SignUp") ? { email: `${caller}.${client.protocol}.${owned.email}` } : {};
      ended.set(caller, await call({ ...input(owned), ...unique }, headersOf[caller]));
      // A network may sign up once every ten seconds.
      gateway.clock.advance(name.endsWith("/SignUp") ? 10_000 : 0);
    }
    seen.push(`| ${name} | ${CALLERS.map((caller) => ended.get(caller)).join(" | ")} |`);
    expect(Object.fromEntries(ended)).toEqual(outcomes);
  });
});

// Method → how many statements of an owner's call return rows: one for the session with its account, and those of the method. Written to
// build/account-reads.md.
test("a call reads the session and the account once, and then only what it returns", async () => {
  const all = vi.spyOn(StatementSync.prototype, "all");
  onTestFinished(() => all.mockRestore());
  const reads: Record<string, number> = {};
  for (const { method: name, input, outcomes } of AUTHORISATION) {
    const method = methodNamed(name);
    const { access } = accountMethodOf(method);
    if (method.methodKind === "unary" && access === "session" && outcomes.owner === "OK") {
      const { headers, owned } = await makeOwner();
      all.mockClear();
      // Without any time that passes, so that only the call reads.
      const seen = await rest.call({ origin: gateway.origin, method: method as DescMethodUnary, input: input(owned), headers });
      expect(reasonOf(seen)).toBe("OK");
      reads[method.name] = all.mock.contexts.length;
    }
  }
  writeFileSync(
    join(ROOT, "build/account-reads.md"),
    Object.entries(reads)
      .map(([name, count]) => `| ${name} | ${count} |`)
      .join("\n"),
  );
  expect(reads).toEqual(READS);
});

const READS = {
  BeginTwoFactor: 5,
  CancelSubscription: 4,
  ChangeMemberRole: 6,
  ChangePassword: 4,
  CreateKey: 4,
  CreateWebhookEndpoint: 4,
  DeleteAccount: 14,
  DeleteWebhookEndpoint: 3,
  EndSessions: 2,
  GetAccount: 4,
  GetProfile: 5,
  GetUsage: 7,
  InviteMember: 11,
  ListActivity: 2,
  ListAlerts: 2,
  ListCalls: 4,
  ListKeys: 4,
  ListMembers: 4,
  ListSubscriptions: 2,
  ListWebhookDeliveries: 4,
  ListWebhookEndpoints: 2,
  RemoveMember: 5,
  RevokeKey: 5,
  RotateKey: 8,
  RotateWebhookSecret: 5,
  SendWebhookDelivery: 8,
  SetSubscription: 7,
  UpdateAccount: 3,
  UpdateKey: 5,
  UpdateWebhookEndpoint: 3,
  WithdrawInvitation: 2,
};
