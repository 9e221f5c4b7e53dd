// Server reflection over sockets: by clients of each RPC protocol that has streams in both directions, and by buf curl without our protos.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ServerReflection } from "../../../gen/grpc/reflection/v1/reflection_pb.js";
import { ServerReflection as AlphaServerReflection } from "../../../gen/grpc/reflection/v1alpha/reflection_pb.js";
import { type Gateway, startGateway } from "../../fixtures/gateway.ts";
import { ROOT } from "../../fixtures/root.ts";
import { startWorkerPool } from "../../workers/worker-pool.ts";

const SERVICES = [
  "grpc.health.v1.Health",
  "grpc.reflection.v1.ServerReflection",
  "grpc.reflection.v1alpha.ServerReflection",
  "quintet.account.v1.AccountService",
  "quintet.account.v1.BillingService",
  "quintet.account.v1.KeyService",
  "quintet.account.v1.MemberService",
  "quintet.account.v1.ProfileService",
  "quintet.account.v1.SignInService",
  "quintet.account.v1.StatusService",
  "quintet.account.v1.UsageService",
  "quintet.account.v1.WebhookService",
  "quintet.bitcoin.v1.BitcoinService",
  "quintet.farkle.v1.FarkleService",
  "quintet.operator.v1.OperatorService",
  "quintet.radio.v1.RadioService",
  "quintet.tokenlist.v1.TokenListService",
  "quintet.tokenprice.v1.TokenPriceService",
];

const TRANSPORTS: readonly (readonly [name: string, make: (baseUrl: string) => Transport])[] = [
  ["gRPC", (baseUrl) => createGrpcTransport({ baseUrl })],
  ["gRPC-Web", (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "2" })],
  ["Connect", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "2" })],
];
const VERSIONS = [
  ["v1", ServerReflection],
  ["v1alpha", AlphaServerReflection as unknown as typeof ServerReflection],
] as const;

// Sends one request after another, each after the response to the one before.
async function listAndFind(transport: Transport, service: typeof ServerReflection, symbol: string): Promise<unknown[]> {
  const responded = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const requests = (async function* () {
    yield { messageRequest: { case: "listServices", value: "" } } as const;
    await responded[0].promise;
    yield { messageRequest: { case: "fileContainingSymbol", value: symbol } } as const;
    await responded[1].promise;
  })();
  const seen: unknown[] = [];
  for await (const { messageResponse } of createClient(service, transport).serverReflectionInfo(requests)) {
    const { case: kind, value } = messageResponse;
    seen.push(kind === "listServicesResponse" ? value.service.map(({ name }) => name) : kind);
    responded[seen.length - 1]?.resolve();
  }
  return seen;
}

const run = promisify(execFile);
const buf = async (...args: string[]): Promise<string> => {
  const { stdout } = await run(join(ROOT, "node_modules/.bin/buf"), ["curl", "--http2-prior-knowledge", ...args], { cwd: "/" });
  return stdout;
};

describe("when reflection is on", () => {
  let gateway: Gateway;
  let key: string;
  beforeAll(async () => {
    gateway = await startGateway({
      variables: { QUINTET_REFLECTION: "on" },
      plans: { farkle: [{ name: "free", callsPerMonth: 3, requestsPerSecond: 9 }] },
    });
    key = (await gateway.makeCustomer({ farkle: "free" })).secret;
  });
  afterAll(() => gateway.close());

  describe.each(VERSIONS)("%s", (_, service) => {
    test.each(TRANSPORTS)("responds over %s to one request after another", async (_name, make) => {
      expect(await listAndFind(make(gateway.origin), service, "quintet.farkle.v1.ScoreRequest")).toEqual([
        SERVICES,
        "fileDescriptorResponse",
      ]);
    });
  });

  test.each(["grpc", "grpcweb", "connect"])("buf curl --protocol %s calls without our protos", async (protocol) => {
    const url = `${gateway.origin}/quintet.farkle.v1.FarkleService/Score`;
    const printed = await buf("--protocol", protocol, "-H", `x-gateway-key: ${key}`, "-d", '{"dice":[1,2]}', url);
    expect(JSON.parse(printed)).toEqual({
      score: 100,
      breakdown: [{ combination: "COMBINATION_SINGLE_ONE", dice: [1], points: 100 }],
      deadDice: [2],
    });
  });

  test.each(["grpc-v1", "grpc-v1alpha"])("buf curl --reflect-protocol %s lists all methods", async (version) => {
    const printed = await buf("--reflect-protocol", version, "--list-methods", gateway.origin);
    const services = printed
      .trim()
      .split("\n")
      .map((line) => line.split("/")[0]);
    expect([...new Set(services)]).toEqual(SERVICES);
  });
});

test("each thread responds by itself", async () => {
  const { origin } = await startWorkerPool(2, { variables: { QUINTET_REFLECTION: "on" } });
  const [[, make]] = TRANSPORTS as readonly [(typeof TRANSPORTS)[number]];
  const seen = await Promise.all(
    Array.from({ length: 8 }, () => listAndFind(make(origin), ServerReflection, "google.rpc.ErrorInfo")),
  );
  expect(seen).toEqual(seen.map(() => [SERVICES, "fileDescriptorResponse"]));
});

test("when reflection is off, which is the default, no proto can be read", async () => {
  const gateway = await startGateway();
  const [[, make]] = TRANSPORTS as readonly [(typeof TRANSPORTS)[number]];
  await expect(listAndFind(make(gateway.origin), ServerReflection, "").finally(() => gateway.close())).rejects.toThrow(
    "[unimplemented]",
  );
});
