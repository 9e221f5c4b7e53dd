// WatchCalls in every protocol, with real clients: what it reports about calls in every protocol, and how a stream ends.

import type { JsonObject } from "@bufbuild/protobuf";
import { hashSecret } from "@quintet/guard";
import { describe, expect, onTestFinished, test } from "vitest";
import { FarkleService } from "../../../gen/quintet/farkle/v1/farkle_pb.js";
import type { MemberRole } from "../../../src/store/owner-records.ts";
import { advanceTime, type Gateway, START_MS, startGateway } from "../../fixtures/gateway.ts";
import { CLIENTS, type Client, rest } from "../account-services/clients.ts";
import { bearing, type Headers, METHODS, PASSWORD, Person, placeOf } from "../account-services/person.ts";
import { CALL_WATCHERS, type CallWatch, type CallWatcherClient, type WatchedCalls } from "./call-watchers.ts";

// A number over REST, text in the JSON of the other protocols.
const BYTES: unknown = expect.toSatisfy((bytes: unknown) => /^\d+$/.test(String(bytes)));

const UUID = /^[0-9a-f-]{36}$/;

interface Scene {
  readonly gateway: Gateway;
  readonly ada: Person;
  readonly session: Headers;
  readonly keyId: string;
  readonly secret: string;
  /** Starts watching, and reads the first message, which it returns together with the rest. */
  watch(
    client: CallWatcherClient,
    request?: CallWatch["request"],
    headers?: Headers,
  ): Promise<[first: WatchedCalls, rest: AsyncGenerator<WatchedCalls>]>;
  /** Scores a roll. */
  play(client: Client, input?: JsonObject): Promise<unknown>;
  /** Advances the time until there is a next message. Skips heartbeats. */
  next(messages: AsyncGenerator<WatchedCalls>): Promise<WatchedCalls>;
}

async function open(): Promise<Scene> {
  const gateway = await startGateway({ plans: { farkle: [{ name: "free", callsPerMonth: 1000, requestsPerSecond: 500 }] } });
  onTestFinished(() => gateway.close());
  const ada = new Person(placeOf(gateway), rest);
  const session = await ada.begin("ada@example.com");
  await ada.take(METHODS.setSubscription, { service: "farkle", plan: "free" }, session);
  const { key, secret } = await ada.take<{ key: { id: string }; secret: string }>(METHODS.createKey, {}, session);
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const scene: Scene = {
    gateway,
    ada,
    session,
    keyId: key.id,
    secret,
    async watch(client, request = {}, headers = session) {
      gateway.clock.advance(1000);
      const messages = client.watch({ origin: gateway.origin, headers, request, signal: controller.signal });
      const { value } = await messages.next();
      return [value, messages];
    },
    play: (client, input = { dice: [1] }) =>
      client.call({ origin: gateway.origin, method: FarkleService.method.score, input, headers: { "x-gateway-key": secret } }),
    async next(messages) {
      const next = messages.next();
      let isThere = false;
      const note = (): void => {
        isThere = true;
      };
      next.then(note, note);
      while (!isThere) {
        gateway.clock.advance(10);
        await new Promise(setImmediate);
      }
      const { value } = await next;
      return value.calls.length === 0 ? scene.next(messages) : value;
    },
  };
  return scene;
}

// Reads a stream to its end, including heartbeats. It may end before anything awaits it.
function lastOf(messages: AsyncGenerator<WatchedCalls>): Promise<unknown> {
  const all = Array.fromAsync(messages);
  all.catch(() => {});
  return all;
}

const PROTOCOLS = { rest: "REST", connect: "CONNECT", grpc: "GRPC", "grpc-web": "GRPC_WEB" };

const told = (scene: Scene, { protocol }: Pick<Client, "protocol">, other: JsonObject = {}): object => ({
  id: expect.stringMatching(/^[0-9a-f-]{36}-\d+$/),
  started_at: expect.stringMatching(new RegExp(`^${new Date(START_MS).toISOString().slice(0, 15)}.*Z$`)),
  service: "farkle",
  method: "quintet.farkle.v1.FarkleService/Score",
  protocol: expect.stringMatching(new RegExp(`^(CALL_PROTOCOL_${PROTOCOLS[protocol]}|${PROTOCOLS[protocol].toLowerCase()})$`)),
  open: false,
  http_status: 200,
  code: "ok",
  outcome: "OK",
  refused: false,
  dry_run: false,
  duration_ms: expect.any(Number),
  request_bytes: BYTES,
  response_bytes: BYTES,
  request_id: expect.stringMatching(UUID),
  key_id: scene.keyId,
  key_last_four: scene.secret.slice(-4),
  ...other,
});

// Another session of the same owner.
async function secondSession({ ada }: Scene): Promise<Headers> {
  const signedIn = await ada.take<{ session: { token: string } }>(METHODS.signIn, { email: "ada@example.com", password: PASSWORD });
  return bearing(signedIn.session.token);
}

describe.each(CALL_WATCHERS)("$name", (watcher) => {
  test("reports the calls of every protocol, including failed and refused ones", async () => {
    const scene = await open();
    const [first, messages] = await scene.watch(watcher);
    expect(first).toEqual({ calls: [], left_out: 0, servers: 1 });
    for (const client of CLIENTS) {
      await scene.play(client);
      expect(await scene.next(messages)).toEqual({ calls: [told(scene, client)], left_out: 0 });
    }
    await scene.play(rest, { dice: [7] });
    const invalid = { http_status: 400, code: "invalid_argument", outcome: "INVALID_ARGUMENT" };
    expect(await scene.next(messages)).toEqual({ calls: [told(scene, rest, invalid)], left_out: 0 });
    await scene.ada.take(METHODS.revokeKey, { key_id: scene.keyId }, scene.session);
    await scene.play(rest);
    const revoked = { http_status: 401, code: "unauthenticated", outcome: "KEY_REVOKED", refused: true };
    expect(await scene.next(messages)).toEqual({ calls: [told(scene, rest, revoked)], left_out: 0 });
  });

  test("ends with SESSION_INVALID at once when somebody ends the session, with SHUTTING_DOWN when the server stops", async () => {
    const scene = await open();
    const headers = await secondSession(scene);
    const [, ending] = await scene.watch(watcher, {}, headers);
    const [, going] = await scene.watch(watcher);
    const ended = lastOf(ending);
    const stopped = lastOf(going);
    await scene.ada.take(METHODS.endSessions, { current: true }, headers);
    await expect(ended).rejects.toMatchObject({ reason: "SESSION_INVALID" });
    await scene.gateway.close();
    await expect(stopped).rejects.toMatchObject({ reason: "SHUTTING_DOWN" });
  });

  test("is refused without a session, and with bad input", async () => {
    const scene = await open();
    await expect(scene.watch(watcher, {}, {})).rejects.toMatchObject({ reason: "SESSION_MISSING" });
    await expect(scene.watch(watcher, {}, { authorization: `Bearer ${"x".repeat(32)}` })).rejects.toMatchObject({
      reason: "SESSION_INVALID",
    });
    await expect(scene.watch(watcher, { backlog: 101 })).rejects.toMatchObject({ reason: "INVALID_ARGUMENT" });
    await expect(scene.watch(watcher, { keyId: "nonsense" })).rejects.toMatchObject({ reason: "INVALID_ARGUMENT" });
  });
});

describe("a member's stream", () => {
  // Bob, a member of Ada's account, watches it.
  async function openWithBob(role: MemberRole = "reader") {
    const scene = await open();
    const { gateway, ada, session } = scene;
    const bob = await ada.begin("bob@example.com");
    const idOf = async (headers: Headers): Promise<string> =>
      (await ada.take<{ account: { id: string } }>(METHODS.getAccount, {}, headers)).account.id;
    const [accountId, memberId] = [await idOf(session), await idOf(bob)];
    const invitation = { id: "i-1", accountId, email: "bob@example.com", role, tokenHash: "t-1", invitedBy: accountId };
    await gateway.store.inviteMember({ ...invitation, expiresAtMs: gateway.clock.nowMs() + 86_400_000 });
    await gateway.store.acceptInvitation("t-1", memberId);
    return { scene, bob, accountId, memberId, headers: { ...bob, "x-quintet-account": accountId } };
  }
  type Team = Awaited<ReturnType<typeof openWithBob>>;

  test.for(CALL_WATCHERS)("shows the account's calls, and ends once they are removed, by $name", async (watcher) => {
    const { scene, headers, memberId } = await openWithBob();
    const [, messages] = await scene.watch(watcher, {}, headers);
    await scene.play(rest);
    expect(await scene.next(messages)).toEqual({ calls: [told(scene, rest)], left_out: 0 });
    const ended = lastOf(messages);
    await scene.ada.take(METHODS.removeMember, { member_id: memberId }, scene.session);
    await expect(ended).rejects.toMatchObject({ reason: "ACCOUNT_MISMATCH" });
    await expect(scene.watch(watcher, {}, headers)).rejects.toMatchObject({ reason: "ACCOUNT_MISMATCH" });
  });

  const ways: Readonly<Record<string, readonly [reason: string, end: (team: Team) => Promise<unknown>]>> = {
    "leaves the account": [
      "ACCOUNT_MISMATCH",
      ({ scene, headers }) => scene.ada.take(METHODS.removeMember, { member_id: "me" }, headers),
    ],
    "signs out": ["SESSION_INVALID", ({ scene, bob }) => scene.ada.take(METHODS.endSessions, { current: true }, bob)],
    "deletes their own account": [
      "SESSION_INVALID",
      ({ scene, bob }) => scene.ada.take(METHODS.deleteAccount, { password: PASSWORD }, bob),
    ],
    "is suspended": ["ACCOUNT_SUSPENDED", ({ scene, memberId }) => scene.gateway.store.setSuspended(memberId, true)],
    "watches an account that is suspended": [
      "ACCOUNT_SUSPENDED",
      ({ scene, accountId }) => scene.gateway.store.setSuspended(accountId, true),
    ],
    "watches an account that is deleted": [
      "ACCOUNT_MISMATCH",
      ({ scene }) => scene.ada.take(METHODS.deleteAccount, { password: PASSWORD }, scene.session),
    ],
  };

  test.for(Object.entries(ways))("ends promptly when the member %s", async ([, [reason, end]]) => {
    const team = await openWithBob();
    const [, messages] = await team.scene.watch(CALL_WATCHERS[0] as CallWatcherClient, {}, team.headers);
    const ended = lastOf(messages);
    await end(team);
    await expect(ended).rejects.toMatchObject({ reason });
  });

  test("continues when they get another role that may watch", async () => {
    const { scene, headers, memberId } = await openWithBob("owner");
    const [, messages] = await scene.watch(CALL_WATCHERS[0] as CallWatcherClient, {}, headers);
    await scene.ada.take(METHODS.changeMemberRole, { member_id: memberId, role: "MEMBER_ROLE_READER" }, scene.session);
    await scene.play(rest);
    expect(await scene.next(messages)).toMatchObject({ calls: [{ outcome: "OK" }] });
  });
});

describe("a stream ends promptly", () => {
  const [watcher] = CALL_WATCHERS as [CallWatcherClient];
  const accountIdOf = async ({ ada, session }: Scene): Promise<string> =>
    (await ada.take<{ account: { id: string } }>(METHODS.getAccount, {}, session)).account.id;
  const ways: Readonly<Record<string, (scene: Scene, watching: Headers) => Promise<unknown>>> = {
    async "its session is ended from another session"({ ada, session }) {
      const { sessions } = await ada.take<{ sessions: { id: string; current: boolean }[] }>(METHODS.getProfile, {}, session);
      await ada.take(METHODS.endSessions, { session_id: sessions.find((each) => !each.current)?.id ?? "" }, session);
    },
    "all other sessions are ended": ({ ada, session }) => ada.take(METHODS.endSessions, { others: true }, session),
    "the password is changed": ({ ada, session }) =>
      ada.take(METHODS.changePassword, { current_password: PASSWORD, new_password: "five loaded dice" }, session),
    "an operator sets the password": async (scene) => scene.gateway.store.setOwnerPassword(await accountIdOf(scene), "hash"),
    async "the password is set with a link from an e-mail"(scene) {
      const { store, clock } = scene.gateway;
      const accountId = await accountIdOf(scene);
      const token = "0123456789abcdefghijABCDEFGHIJxy";
      const link = { purpose: "reset", email: "ada@example.com", accountId, passwordHash: null } as const;
      await store.addMailToken({ ...link, tokenHash: hashSecret(token), expiresAtMs: clock.nowMs() + 60_000 });
      await scene.ada.take(METHODS.resetPassword, { token, new_password: "five loaded dice" });
    },
    "the account is deleted": ({ ada, session }) => ada.take(METHODS.deleteAccount, { password: PASSWORD }, session),
    "the account is suspended": async (scene) => scene.gateway.store.setSuspended(await accountIdOf(scene), true),
  };

  test.for(Object.keys(ways))("when %s", async (way) => {
    const scene = await open();
    const watching = await secondSession(scene);
    const [, messages] = await scene.watch(watcher, {}, watching);
    const ended = lastOf(messages);
    await ways[way]?.(scene, watching);
    await expect(ended).rejects.toMatchObject({ reason: way.endsWith("suspended") ? "ACCOUNT_SUSPENDED" : "SESSION_INVALID" });
  });

  test("while that of another session continues", async () => {
    const scene = await open();
    const [, going] = await scene.watch(watcher);
    await scene.ada.take(METHODS.endSessions, { current: true }, await secondSession(scene));
    await scene.play(rest);
    expect(await scene.next(going)).toMatchObject({ calls: [{ outcome: "OK" }] });
  });

  test("within 5 seconds when its session has expired unused", async () => {
    const scene = await open();
    const [, messages] = await scene.watch(watcher);
    const ended = lastOf(messages);
    scene.gateway.clock.advance(7 * 86_400_000);
    // The stream may not have started waiting earlier.
    await advanceTime(scene.gateway.clock, expect(ended).rejects.toMatchObject({ reason: "SESSION_INVALID" }));
  });
});
