// The published service config, used by @grpc/grpc-js: which failed calls it retries, and which it does not. The handler belongs to the
// test, everything else is the product.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { credentials, Client as GrpcClient, Metadata, type ServiceError, status as Status } from "@grpc/grpc-js";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  GetPricesRequestSchema,
  GetPricesResponseSchema,
  TokenPriceService,
  WatchPricesRequestSchema,
  WatchPricesResponseSchema,
} from "../../gen/quintet/tokenprice/v1/token_price_pb.js";
import type { Plan } from "../../src/catalogue/plan.ts";
import { Failure } from "../../src/problem/failure.ts";
import type { Problem } from "../../src/problem/problem.ts";
import type { DataService } from "../../src/services/service.ts";
import { startGateway } from "../fixtures/gateway.ts";
import { ROOT } from "../fixtures/root.ts";
import { createStack } from "../fixtures/stack.ts";
import { createScene, credentialOf, radioPlan } from "../guard/scene.ts";

const SERVICE_CONFIG = readFileSync(join(ROOT, "gen/grpc-service-config.json"), "utf8");
const REQUESTS_PER_SECOND = 50;
// The wait after which a used-up rate admits another request.
const WAIT_MS = 20;

interface Stage {
  /** How many attempts have arrived. */
  readonly attempts: () => number;
  /** Uses up the plan's requests of this second. */
  useUpSecond(): Promise<void>;
  /** Calls GetPrices for a token whose name has this many extra letters. */
  getPrices(padding?: number): Promise<Outcome>;
  /** Calls WatchPrices in the same way, and reads it to its end. */
  watchPrices(padding?: number): Promise<Outcome>;
}

const tokenOf = (padding: number): string => `coingecko:bitcoin${"n".repeat(padding)}`;

interface Outcome {
  readonly code: string | undefined;
  readonly messages: number;
  readonly pushback: unknown;
}

// `failures`: what the handler throws, one per call; after that it succeeds. The server's clock advances after each response.
async function serve({ plan = {}, failures = [] }: { plan?: Partial<Plan>; failures?: readonly Problem[] } = {}): Promise<Stage> {
  const scene = createScene({
    plans: [{ ...radioPlan("free", 100, REQUESTS_PER_SECOND), service: "token-price", ...plan }],
  });
  scene.change(credentialOf({ subscription: { service: "token-price" } }));
  const { clock, log, guard, key } = scene;
  const left = [...failures];
  const failOnce = (): void => {
    const problem = left.shift();
    if (problem !== undefined) {
      throw new Failure(problem);
    }
  };
  const implementation = {
    getPrices() {
      failOnce();
      return { count: 1 };
    },
    async *watchPrices() {
      failOnce();
      yield { missing: ["a"] };
      yield { missing: ["b"] };
    },
  };
  let attempts = 0;
  const listener = createStack({
    services: [{ name: "token-price", desc: TokenPriceService, implementation, close: async () => {} } as unknown as DataService],
    guard,
    clock,
    log,
    before: (next) => (exchange) => {
      attempts += 1;
      exchange.onEnd(() => clock.advance(WAIT_MS));
      next(exchange);
    },
  });
  onTestFinished(() => listener.close());
  const { port } = await listener.listen("127.0.0.1", 0);
  const client = new GrpcClient(`127.0.0.1:${port}`, credentials.createInsecure(), { "grpc.service_config": SERVICE_CONFIG });
  onTestFinished(() => client.close());
  const metadata = new Metadata();
  metadata.set("x-gateway-key", key.secret);
  const pathOf = (method: string): string => `/${TokenPriceService.typeName}/${method}`;
  const outcomeOf = (error: ServiceError | null, messages: number): Outcome => ({
    code: error === null ? undefined : Status[error.code],
    messages,
    pushback: error?.metadata.get("grpc-retry-pushback-ms")[0],
  });
  return {
    attempts: () => attempts,
    async useUpSecond() {
      for (let count = 0; count < REQUESTS_PER_SECOND; count++) {
        await guard.admit({ key: key.secret, address: "203.0.113.7", service: "token-price", method: "GetPrices" });
      }
    },
    getPrices: (padding = 0) =>
      new Promise((resolve) => {
        client.makeUnaryRequest(
          pathOf("GetPrices"),
          (bytes: Uint8Array) => Buffer.from(bytes),
          (bytes: Buffer) => fromBinary(GetPricesResponseSchema, bytes),
          toBinary(GetPricesRequestSchema, create(GetPricesRequestSchema, { tokens: [tokenOf(padding)] })),
          metadata,
          (error, response) => resolve(outcomeOf(error, response === undefined ? 0 : 1)),
        );
      }),
    watchPrices: (padding = 0) =>
      new Promise((resolve) => {
        const stream = client.makeServerStreamRequest(
          pathOf("WatchPrices"),
          (bytes: Uint8Array) => Buffer.from(bytes),
          (bytes: Buffer) => fromBinary(WatchPricesResponseSchema, bytes),
          toBinary(WatchPricesRequestSchema, create(WatchPricesRequestSchema, { tokens: [tokenOf(padding)] })),
          metadata,
        );
        let messages = 0;
        stream.on("data", () => {
          messages += 1;
        });
        stream.on("end", () => resolve(outcomeOf(null, messages)));
        stream.on("error", (error: ServiceError) => resolve(outcomeOf(error, messages)));
      }),
  };
}

const UPSTREAM_FAILED: Problem = { reason: "UPSTREAM_FAILED", message: "No upstream answered." };
const SERVER_BUSY: Problem = { reason: "SERVER_BUSY", message: "Busy.", retryAfterMs: WAIT_MS };
const SUCCESS: Outcome = { code: undefined, messages: 1, pushback: undefined };

describe("grpc-js with the service config", () => {
  test("waits as long as a rate limit refusal says, and then succeeds", async () => {
    const stage = await serve();
    await stage.useUpSecond();
    expect(await stage.getPrices()).toEqual(SUCCESS);
    expect(stage.attempts()).toBe(2);
  });

  test("does not retry a call when the month is used up", async () => {
    const stage = await serve({ plan: { callsPerMonth: 1 } });
    expect(await stage.getPrices()).toEqual(SUCCESS);
    expect(await stage.getPrices()).toEqual({ code: "RESOURCE_EXHAUSTED", messages: 0, pushback: "-1" });
    expect(stage.attempts()).toBe(2);
  });

  test("does not retry a call that is too large", async () => {
    const stage = await serve();
    const tooLarge = { code: "RESOURCE_EXHAUSTED", messages: 0, pushback: "-1" };
    expect(await stage.getPrices(300_000)).toEqual(tooLarge);
    expect(await stage.watchPrices(300_000)).toEqual(tooLarge);
    expect(stage.attempts()).toBe(2);
  });

  test("retries failures of an upstream or a busy server, at most three times", async () => {
    const stage = await serve({ failures: [SERVER_BUSY, UPSTREAM_FAILED] });
    expect(await stage.getPrices()).toEqual(SUCCESS);
    expect(stage.attempts()).toBe(3);
    const failing = await serve({ failures: Array.from({ length: 9 }, () => SERVER_BUSY) });
    expect(await failing.getPrices()).toEqual({ code: "UNAVAILABLE", messages: 0, pushback: String(WAIT_MS) });
    expect(failing.attempts()).toBe(4);
  });

  test("does not retry bad input", async () => {
    const stage = await serve({ failures: [{ reason: "INVALID_ARGUMENT", message: "no" }] });
    expect(await stage.getPrices()).toEqual({ code: "INVALID_ARGUMENT", messages: 0, pushback: undefined });
    expect(stage.attempts()).toBe(1);
  });

  test("retries a stream that failed before its first message", async () => {
    const stage = await serve({ failures: [SERVER_BUSY, SERVER_BUSY] });
    expect(await stage.watchPrices()).toEqual({ ...SUCCESS, messages: 2 });
    expect(stage.attempts()).toBe(3);
  });
});

test("the service config is served as committed, without a key", async () => {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  const response = await fetch(`${gateway.origin}/grpc-service-config.json`);
  expect([response.status, response.headers.get("content-type"), await response.text()]).toEqual([
    200,
    "application/json",
    SERVICE_CONFIG,
  ]);
});

test("the service config retries reading methods, and none with side effects", () => {
  type Config = { readonly name: readonly object[]; readonly timeout?: string; readonly retryPolicy?: object };
  const { methodConfig } = JSON.parse(SERVICE_CONFIG) as { methodConfig: readonly Config[] };
  const names = methodConfig.flatMap(({ name, timeout, retryPolicy }) =>
    name.map((one) => [...Object.values(one), timeout ?? "none", ...(retryPolicy === undefined ? ["once"] : [])].join(" ")),
  );
  expect(names).toEqual([
    "quintet.radio.v1.RadioService 30s",
    "quintet.tokenprice.v1.TokenPriceService 30s",
    "quintet.tokenlist.v1.TokenListService 30s",
    "quintet.bitcoin.v1.BitcoinService 30s",
    "quintet.farkle.v1.FarkleService 5s",
    "quintet.radio.v1.RadioService ReportPlay 30s once",
    "quintet.tokenprice.v1.TokenPriceService WatchPrices none",
    "quintet.account.v1.UsageService WatchCalls none",
    "quintet.account.v1.AccountService GetAccount 10s",
    "quintet.account.v1.AccountService ListSubscriptions 10s",
    "quintet.account.v1.AccountService ListActivity 10s",
    "quintet.account.v1.AccountService ListAlerts 10s",
    "quintet.account.v1.BillingService PreviewChange 10s",
    "quintet.account.v1.KeyService ListKeys 10s",
    "quintet.account.v1.UsageService GetUsage 10s",
    "quintet.account.v1.UsageService ListCalls 10s",
    "quintet.account.v1.WebhookService ListWebhookEndpoints 10s",
    "quintet.account.v1.WebhookService ListWebhookDeliveries 10s",
    "quintet.account.v1.MemberService ListMembers 10s",
    "quintet.account.v1.ProfileService GetProfile 10s",
    "quintet.account.v1.StatusService ListPlans 10s",
    "quintet.account.v1.StatusService GetStatus 10s",
    "quintet.operator.v1.OperatorService ListAccounts 10s",
    "quintet.operator.v1.OperatorService GetAccount 10s",
    "quintet.operator.v1.OperatorService ListWaitingSubscriptions 10s",
    "quintet.operator.v1.OperatorService GetUsage 10s",
    "quintet.operator.v1.OperatorService GetServerState 10s",
    "quintet.operator.v1.OperatorService ListIncidents 10s",
    "quintet.operator.v1.OperatorService ListAuditEntries 10s",
  ]);
});
