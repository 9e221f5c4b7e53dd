import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { GetAccountRequestSchema } from "../../../gen/quintet/account/v1/account_pb.js";
import { ChangePasswordRequestSchema } from "../../../gen/quintet/account/v1/profile_pb.js";
import { EndSessionsRequestSchema } from "../../../gen/quintet/account/v1/session_pb.js";
import { sessionInvalid, tooManyAttempts } from "../../../src/account/refusals.ts";
import { ALERT_TYPE_MESSAGES } from "../../../src/account/rpc/alert-handlers.ts";
import type { Sessions } from "../../../src/account/sessions.ts";
import { Failure } from "../../../src/problem/failure.ts";
import { invalidArgument } from "../../../src/problem/problem.ts";
import { ALERT_TYPES } from "../../../src/store/alert-records.ts";
import { me, nowMs, openTwoAccounts, other } from "./two-accounts.ts";

describe("the account", () => {
  test("is shown to its owner, with its address if it has one", async () => {
    const { handlers } = await openTwoAccounts();
    const responses = [me, other].map((who) => handlers.getAccount(create(GetAccountRequestSchema), who));
    const createdAt = timestampFromMs(nowMs);
    const settings = { alerts: { mailed: ALERT_TYPES.map((type) => ALERT_TYPE_MESSAGES[type]) }, logsParameters: false };
    expect(await Promise.all(responses)).toEqual([
      { account: { id: "a-1", name: "acme", email: "ops@acme.example", suspended: false, createdAt }, settings },
      { account: { id: "a-2", name: "other", suspended: false, createdAt }, settings },
    ]);
  });

  test("shows that its owner is an operator, from the next call on", async () => {
    const { handlers, store } = await openTwoAccounts();
    const shown = async () => (await handlers.getAccount(create(GetAccountRequestSchema), me)).account?.operator;
    await store.setOperator("a-1", true);
    expect(await shown()).toBe(true);
    await store.setOperator("a-1", false);
    expect(await shown()).toBeUndefined();
  });

  test("is shown while it is suspended", async () => {
    const { handlers, store } = await openTwoAccounts();
    await store.setSuspended("a-2", true);
    expect((await handlers.getAccount(create(GetAccountRequestSchema), other)).account?.suspended).toBe(true);
  });

  test("is not found when it does not exist", async () => {
    const { handlers } = await openTwoAccounts();
    const requested = handlers.getAccount(create(GetAccountRequestSchema), { ...me, accountId: "a-9" });
    await expect(requested).rejects.toThrow(new Failure(sessionInvalid()));
  });
});

describe("a session", () => {
  // Sessions whose password is `right`, and a record of the calls to them.
  function createSessions() {
    const requested: unknown[] = [];
    const sessions: Pick<Sessions, "changePassword" | "end"> = {
      changePassword(accountId, token, change) {
        requested.push([accountId, token, change]);
        return Promise.resolve(change.from === "right");
      },
      end(token) {
        requested.push(token);
        return Promise.resolve();
      },
    };
    return { requested, sessions };
  }

  test("ends at sign-out", async () => {
    const { requested, sessions } = createSessions();
    const { handlers } = await openTwoAccounts(sessions);
    expect(await handlers.endSessions(create(EndSessionsRequestSchema, { which: { case: "current", value: true } }), me)).toEqual({
      count: 1,
    });
    expect(requested).toEqual([me.token]);
  });

  test("changes its owner's password when the current one is right", async () => {
    const { requested, sessions } = createSessions();
    const { handlers } = await openTwoAccounts(sessions);
    const change = (currentPassword: string) =>
      handlers.changePassword(create(ChangePasswordRequestSchema, { currentPassword, newPassword: "next" }), me);
    expect(await change("right")).toEqual({});
    const fault = { field: "current_password", description: "is wrong" };
    await expect(change("wrong")).rejects.toThrow(new Failure(invalidArgument([fault])));
    expect(requested).toEqual([
      [me.accountId, me.token, { from: "right", to: "next", priorityOf: expect.any(Function) }],
      [me.accountId, me.token, { from: "wrong", to: "next", priorityOf: expect.any(Function) }],
    ]);
  });

  test("allows ten guesses at the owner's password at once, then one every ten seconds", async () => {
    const { sessions } = createSessions();
    const { handlers, clock } = await openTwoAccounts(sessions);
    const guess = (who = me) =>
      handlers.changePassword(create(ChangePasswordRequestSchema, { currentPassword: "wrong", newPassword: "next" }), who);
    const reasonOf = (guessed: Promise<unknown>) => guessed.catch((error: unknown) => (error as Failure).problem.reason);
    const reasons = await Promise.all(Array.from({ length: 11 }, () => reasonOf(guess())));
    expect(reasons).toEqual([...new Array(10).fill("INVALID_ARGUMENT"), "RATE_LIMITED"]);
    expect(await reasonOf(guess(other))).toBe("INVALID_ARGUMENT");
    clock.advance(9999);
    await expect(guess()).rejects.toThrow(new Failure(tooManyAttempts(1)));
    clock.advance(1);
    expect(await reasonOf(guess())).toBe("INVALID_ARGUMENT");
  });
});
