// A call to an account service from a worker to the main thread and back: its message, its caller, and its failures.
import { MessageChannel, type Worker } from "node:worker_threads";
import { create, type DescMethodUnary, type Message, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, onTestFinished, test } from "vitest";
import { AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import { CreateKeyRequestSchema, CreateKeyResponseSchema, KeyService } from "../../gen/quintet/account/v1/key_pb.js";
import { SignInService } from "../../gen/quintet/account/v1/sign_in_pb.js";
import { UsageService, WatchCallsRequestSchema, WatchCallsResponseSchema } from "../../gen/quintet/account/v1/usage_pb.js";
import { storeUnavailable, tooManyCalls } from "../../src/account/refusals.ts";
import type { AccountCaller } from "../../src/account/rpc/bound-method.ts";
import { CallFeed } from "../../src/account/watch/call-feed.ts";
import { rpcPath } from "../../src/gateway/rpc/rpc-path.ts";
import { DEFAULT_GUARD_LIMITS } from "../../src/guard/guard-limits.ts";
import { createLeaseOwner } from "../../src/guard/lease-owner.ts";
import { Failure, problemOf } from "../../src/problem/failure.ts";
import { internalProblem, invalidArgument, type Problem } from "../../src/problem/problem.ts";
import { StoreUnavailable } from "../../src/store/store-errors.ts";
import { MainThreadClient } from "../../src/workers/main-thread-client.ts";
import { AccountStreams, MainThreadServer } from "../../src/workers/main-thread-server.ts";
import { createAccountRpcProxy } from "../../src/workers/remote-sources.ts";
import { WorkerHandle } from "../../src/workers/worker-handle.ts";
import { CUSTOMER_SERVICES } from "../fixtures/account-clients.ts";
import { asAccountRpc, inMessages, type MessageRpc } from "../fixtures/account-messages.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";
import { MemoryStore } from "../guard/memory-store.ts";
import { createMemoryLog, NOON_MS } from "../guard/scene.ts";

const requestContext: AccountCaller = { peer: "203.0.113.9", token: "x".repeat(32) };
const methods = [...CUSTOMER_SERVICES.flatMap((service) => service.methods), ...SignInService.methods].filter(
  ({ methodKind }) => methodKind === "unary",
) as readonly DescMethodUnary[];

// A worker's account RPC, with the given one in the main thread.
function far(accountRpc: Partial<MessageRpc>) {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  const clock = createManualClock({ nowMs: NOON_MS });
  const log = createMemoryLog();
  const store = new MemoryStore();
  const limits = { ...DEFAULT_GUARD_LIMITS, subscriptionsMax: 4 };
  const owner = createLeaseOwner({ store, clock, log, limits, threads: 1 });
  const mainThreadServer = new MainThreadServer({
    store,
    leaseOwner: owner,
    accountRpc: asAccountRpc(accountRpc),
    callFeed: new CallFeed(clock),
    callLog: { add() {} },
    clock,
    limits,
  });
  // A message port sends and receives like a worker.
  new WorkerHandle({ thread: 0, worker: port2 as unknown as Worker, mainThreadServer, clock, log });
  return { log, accountRpc: inMessages(createAccountRpcProxy(new MainThreadClient(port1, () => {}))) };
}

// The error that a worker's caller gets when the account RPC fails with this one.
async function seenOf(error: unknown): Promise<{ problem: Problem; lines: readonly string[] }> {
  const { log, accountRpc } = far({ call: () => Promise.reject(error) });
  const method = KeyService.method.createKey;
  const thrown = await accountRpc.call(method, create(CreateKeyRequestSchema), requestContext).catch((error: unknown) => error);
  return { problem: problemOf(thrown), lines: log.lines };
}

test("a call's message, its caller and its response arrive as they were sent", async () => {
  const input = create(CreateKeyRequestSchema, { name: "🗝", services: ["radio", "farkle"], expiresAt: timestampFromMs(NOON_MS) });
  const key = {
    id: "k-1",
    name: "🗝",
    services: ["radio"],
    createdAt: timestampFromMs(NOON_MS),
    expiresAt: timestampFromMs(NOON_MS + 1),
  };
  const response = create(CreateKeyResponseSchema, { key, secret: "qk_live_" });
  const calls: unknown[] = [];
  const { accountRpc } = far({
    call(...call) {
      calls.push(call);
      return Promise.resolve(response);
    },
  });
  expect(await accountRpc.call(KeyService.method.createKey, input, requestContext)).toEqual(response);
  const stranger = { peer: "", token: undefined };
  await accountRpc.call(KeyService.method.createKey, create(CreateKeyRequestSchema), stranger);
  expect(calls).toEqual([
    [KeyService.method.createKey, input, requestContext],
    [KeyService.method.createKey, create(CreateKeyRequestSchema), stranger],
  ]);
});

test("every method of the account services can be called through the main thread", async () => {
  const { accountRpc } = far({ call: (method): Promise<Message> => Promise.resolve(create(method.output)) });
  for (const method of methods) {
    expect(await accountRpc.call(method, create(method.input), requestContext)).toEqual(create(method.output));
  }
});

describe("a stream", () => {
  const { watchCalls } = UsageService.method;
  const input = create(WatchCallsRequestSchema, { backlog: 7 });
  const message = (leftOut: number) => create(WatchCallsResponseSchema, { leftOut });
  const never = new AbortController().signal;

  test("delivers its messages one by one, and ends as it does in the main thread", async () => {
    const requested: unknown[] = [];
    let created = 0;
    const { accountRpc } = far({
      async *stream(method, sent, caller) {
        requested.push([method, sent, caller]);
        for (created = 1; created < 3; created++) {
          yield message(created);
        }
        throw new Failure(tooManyCalls(7));
      },
    });
    const messages = accountRpc.stream(watchCalls, input, requestContext, never)[Symbol.asyncIterator]();
    expect(await messages.next()).toEqual({ done: false, value: message(1) });
    // The next message is not created before it is requested.
    expect(created).toBe(1);
    expect(await messages.next()).toEqual({ done: false, value: message(2) });
    await expect(messages.next()).rejects.toThrow(new Failure(tooManyCalls(7)));
    expect(requested).toEqual([[watchCalls, input, requestContext]]);
  });

  test("ends in the main thread when its reader has gone", async () => {
    const ended = Promise.withResolvers<void>();
    const { accountRpc } = far({
      async *stream(_method, _input, _caller, signal) {
        yield message(1);
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        ended.resolve();
      },
    });
    const controller = new AbortController();
    const messages = accountRpc.stream(watchCalls, input, requestContext, controller.signal)[Symbol.asyncIterator]();
    await messages.next();
    const last = messages.next();
    controller.abort();
    expect(await last).toEqual({ done: true, value: undefined });
    await ended.promise;
  });

  test("of a thread that has died ends", async () => {
    let isOver = false;
    const streams = new AccountStreams(
      asAccountRpc({
        async *stream(_method, _input, _caller, signal) {
          signal.addEventListener("abort", () => {
            isOver = true;
          });
          yield message(1);
          yield message(2);
        },
      }),
    );
    const call = { method: rpcPath(watchCalls).slice(1), input: new Uint8Array(), caller: requestContext };
    const [dead, living] = [streams.begin(0, call), streams.begin(1, call)];
    await streams.next(dead);
    await streams.next(living);
    streams.endAll(0);
    expect(isOver).toBe(true);
    expect(await streams.next(dead)).toBeUndefined();
    expect(await streams.next(living)).toEqual(toBinary(WatchCallsResponseSchema, message(2)));
  });
});

describe("the admission of a call", () => {
  const { getAccount } = AccountService.method;

  test("is granted or refused by the account RPC", async () => {
    const admission = { accountId: "a-1", personId: "a-2", role: "reader", atMs: 1.5 } as const;
    const requested: unknown[] = [];
    const { accountRpc } = far({
      admit(...question) {
        requested.push(question);
        return requested.length === 1 ? Promise.resolve(admission) : Promise.reject(new Failure(tooManyCalls(99.5)));
      },
    });
    expect(await accountRpc.admit(getAccount, requestContext)).toEqual(admission);
    await expect(accountRpc.admit(getAccount, requestContext)).rejects.toThrow(new Failure(tooManyCalls(99.5)));
    expect(requested).toEqual(Array(2).fill([getAccount, requestContext]));
  });

  test("fails while the store is unavailable", async () => {
    const { accountRpc, log } = far({ admit: () => Promise.reject(new StoreUnavailable("The store is closed.")) });
    await expect(accountRpc.admit(getAccount, requestContext)).rejects.toThrow(new StoreUnavailable("The store is closed."));
    expect(log.lines).toEqual([]);
  });
});

describe("a failure comes back with its problem", () => {
  test.for<{ problem: Problem }>([
    {
      problem: invalidArgument([
        { field: "name", description: "must be short" },
        { field: "services[1]", description: "must be a service" },
      ]),
    },
    { problem: { ...invalidArgument([{ field: "key_id", description: "The key is revoked." }]), message: "The key is revoked." } },
    { problem: tooManyCalls(99.5) },
    { problem: { reason: "NOT_FOUND", message: "There is none." } },
    {
      problem: {
        reason: "QUOTA_EXCEEDED",
        message: "All is used.",
        quotaSubject: "subscription:radio",
        metadata: { plan: "free" },
      },
    },
  ])("$problem.reason: $problem.message", async ({ problem }) => {
    expect(await seenOf(new Failure(problem))).toEqual({ problem, lines: [] });
  });

  test("without its cause, because not every cause can be sent", async () => {
    const problem = storeUnavailable();
    expect(await seenOf(new Failure({ ...problem, cause: () => "a function" }))).toEqual({ problem, lines: [] });
  });
});

describe("a defect comes back as INTERNAL, and is logged by the main thread", () => {
  test.for<{ error: unknown; text: string }>([
    { error: new TypeError("password hunter2 is undefined"), text: "password hunter2 is undefined" },
    { error: "a string", text: "a string" },
    { error: undefined, text: "undefined" },
    {
      error: new Failure(internalProblem(new Error("hunter2"))),
      text: "[internal] Something went wrong on our side; the call was not counted.",
    },
  ])("$error", async ({ error, text }) => {
    expect(await seenOf(error)).toEqual({
      problem: internalProblem(new Error(text)),
      lines: ["a worker's request failed"],
    });
  });
});
