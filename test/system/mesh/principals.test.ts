// Mesh principals on a whole server: who becomes one, what it may call, and that it is limited and counted. Also tries everything that a
// stranger might send to become one.
import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { promisify } from "node:util";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { credentials, Client as GrpcClient, type ServiceError } from "@grpc/grpc-js";
import { describe, expect, onTestFinished, test } from "vitest";
import { FarkleService, ScoreRequestSchema, ScoreResponseSchema } from "../../../gen/quintet/farkle/v1/farkle_pb.js";
import type { Certified } from "../../fixtures/certificates.ts";
import { makeAuthority } from "../../fixtures/certificates.ts";
import type { Gateway } from "../../fixtures/gateway.ts";
import { planFile } from "../../fixtures/plan-file.ts";
import { serve } from "../../fixtures/program.ts";
import { temporaryDirectory } from "../../fixtures/temporary-directory.ts";
import { tally } from "../quota/verdict.ts";
import {
  type CallOptions,
  CHECKOUT,
  call,
  type MeshScene,
  PRINCIPALS,
  principalsFile,
  startBehindProxy,
  startMesh,
} from "./mesh-scene.ts";

const RADIO = "/radio/v1/search?tag=jazz";
const FEW = { farkle: [{ name: "free", callsPerMonth: 3, requestsPerSecond: 100 }] };

/** An account's usage, by outcome. */
async function usageOf({ store, clock }: Gateway, name: string): Promise<Record<string, number>> {
  const account = await store.findAccount(name);
  clock.advance(1000);
  const query = { accountId: account?.id ?? "", fromDay: "2026-11-01", toDay: "2026-11-30", groupBy: ["outcome"] } as const;
  const { rows } = await store.usageRows({ ...query, refunded: [], limit: 10, offset: 0, countsMax: 1000 });
  return Object.fromEntries(rows.map(({ outcome, calls }) => [outcome, calls]));
}

describe("a client certificate", () => {
  test("makes its holder a principal, which needs no key and may call what its plans allow", async () => {
    const { gateway, authority, certify } = await startMesh();
    const { secret } = await gateway.makeCustomer({ farkle: "free", radio: "free" });
    const checkout = certify(`URI:${CHECKOUT}`);
    const batch = certify("URI:spiffe://prod.example/ns/batch/sa/nightly");
    const expected: [what: string, options: CallOptions, received: string][] = [
      ["no certificate and no key", {}, "401 KEY_MISSING"],
      ["a SPIFFE ID", { certified: checkout }, "200 OK"],
      ["a DNS name", { certified: certify("DNS:checkout.shop.svc") }, "200 OK"],
      ["a SPIFFE ID below a prefix", { certified: batch }, "200 OK"],
      ["a SPIFFE ID that is nobody's", { certified: certify("URI:spiffe://prod.example/ns/other/sa/x") }, "401 KEY_MISSING"],
      ["a SPIFFE ID of another trust domain", { certified: certify(`URI:${CHECKOUT.replace("prod", "dev")}`) }, "401 KEY_MISSING"],
      ["two SPIFFE IDs", { certified: certify(`URI:${CHECKOUT},URI:spiffe://prod.example/x`) }, "401 KEY_MISSING"],
      [
        "no names, and a principal's name as common name",
        { certified: authority.certify({ commonName: "checkout.shop.svc", days: 9 }) },
        "401 KEY_MISSING",
      ],
      ["a service without a plan", { certified: checkout, path: RADIO }, "402 SUBSCRIPTION_REQUIRED"],
      ["a valid key as well: the key decides", { certified: checkout, headers: { "x-gateway-key": secret } }, "200 OK"],
      [
        "an invalid key as well: the key decides",
        { certified: checkout, headers: { "x-gateway-key": `${secret}x` } },
        "401 KEY_INVALID",
      ],
      [
        "an unknown key as well",
        { certified: checkout, headers: { "x-gateway-key": `qk_test_${secret.slice(8)}` } },
        "401 KEY_INVALID",
      ],
      ["an empty key as well, which is ignored", { certified: checkout, headers: { "x-gateway-key": "" } }, "200 OK"],
      ["the session's services", { certified: checkout, path: "/account/v1/keys" }, "401 SESSION_MISSING"],
    ];
    const responses: unknown[] = [];
    for (const [what, options] of expected) {
      responses.push([what, options, await call(gateway.port, { ...options, authority })]);
    }
    expect(responses).toEqual(expected);
    await expect.poll(() => usageOf(gateway, "mesh:checkout")).toEqual({ OK: 3 });
    expect(await usageOf(gateway, "mesh:batch")).toEqual({ OK: 1 });
  });

  test("does the same in every protocol and with every client", async () => {
    const { gateway, authority, certify } = await startMesh();
    const certified = certify(`URI:${CHECKOUT}`);
    const { cert, key, certPath, keyPath } = certified;
    const nodeOptions = { ca: authority.cert, cert, key };
    const baseUrl = `https://localhost:${gateway.port}`;
    const transports = [
      createConnectTransport({ baseUrl, httpVersion: "1.1", nodeOptions }),
      createConnectTransport({ baseUrl, httpVersion: "2", nodeOptions }),
      createGrpcTransport({ baseUrl, nodeOptions }),
      createGrpcWebTransport({ baseUrl, httpVersion: "1.1", nodeOptions }),
    ];
    const points: unknown[] = [];
    for (const transport of transports) {
      points.push((await createClient(FarkleService, transport).score({ dice: [1, 1] })).score);
    }
    points.push(await scoreByGrpcJs(gateway.port, authority.cert, certified));
    for (const version of ["--http1.1", "--http2"]) {
      const tls = ["--cacert", authority.certPath, "--cert", certPath, "--key", keyPath];
      const { stdout } = await promisify(execFile)("curl", ["-s", version, ...tls, `${baseUrl}/farkle/v1/score?dice=1,1`]);
      points.push(JSON.parse(stdout).data.score);
    }
    expect(points).toEqual(Array.from({ length: 7 }, () => points[0]));
    expect(points[0]).toEqual(expect.anything());
  });

  test("is limited and counted like a customer: never more calls than its plan has", async () => {
    const { gateway, authority, certify } = await startMesh({ plans: FEW });
    const certified = certify(`URI:${CHECKOUT}`);
    const responses = [];
    for (let calls = 0; calls < 5; calls++) {
      responses.push(await call(gateway.port, { certified, authority }));
    }
    expect(responses).toEqual(["200 OK", "200 OK", "200 OK", "429 QUOTA_EXCEEDED", "429 QUOTA_EXCEEDED"]);
  });

  test("is refused from the next call on after its account is suspended or its credential disabled", async () => {
    const { gateway, authority, certify } = await startMesh();
    const certified = certify(`URI:${CHECKOUT}`);
    const { store } = gateway;
    const account = await store.findAccount("mesh:checkout");
    const [key] = await store.listKeys(account?.id ?? "");
    const responses: string[] = [];
    const changes: (() => Promise<unknown>)[] = [
      async () => undefined,
      () => store.setSuspended(account?.id ?? "", true),
      () => store.setSuspended(account?.id ?? "", false),
      () => store.updateKey(key?.id ?? "", { disabled: true }),
      () => store.updateKey(key?.id ?? "", { disabled: false }),
    ];
    for (const change of changes) {
      await change();
      await store.acknowledged();
      responses.push(await call(gateway.port, { certified, authority }));
    }
    expect(responses).toEqual(["200 OK", "402 SUBSCRIPTION_REQUIRED", "200 OK", "401 KEY_REVOKED", "200 OK"]);
  });
});

function scoreByGrpcJs(port: number, ca: string, { cert, key }: Certified): Promise<unknown> {
  const client = new GrpcClient(`localhost:${port}`, credentials.createSsl(Buffer.from(ca), Buffer.from(key), Buffer.from(cert)));
  onTestFinished(() => client.close());
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      "/quintet.farkle.v1.FarkleService/Score",
      (request: Uint8Array) => Buffer.from(request),
      (bytes: Buffer) => fromBinary(ScoreResponseSchema, bytes),
      toBinary(ScoreRequestSchema, create(ScoreRequestSchema, { dice: [1, 1] })),
      (error: ServiceError | null, response) => (error === null ? resolve(response?.score) : reject(error)),
    );
  });
}

describe("a stranger does not become a principal", () => {
  const xfcc = { "x-forwarded-client-cert": `By=spiffe://prod.example/gateway;URI=${CHECKOUT}` };
  const claims: [what: string, headers: Record<string, string>, received: string][] = [
    ["by nothing", {}, "401 KEY_MISSING"],
    ["by x-forwarded-client-cert", xfcc, "401 KEY_MISSING"],
    ["by x-forwarded-client-cert and x-forwarded-for", { ...xfcc, "x-forwarded-for": "127.0.0.1" }, "401 KEY_MISSING"],
    ["by the name of its account as key", { "x-gateway-key": "mesh:checkout" }, "401 KEY_INVALID"],
    ["by the name of the principal as key", { "x-gateway-key": "checkout" }, "401 KEY_INVALID"],
    ["by the part of its credential that lists show", { "x-gateway-key": "mesh:cert" }, "401 KEY_INVALID"],
    ["by its SPIFFE ID as key", { "x-gateway-key": CHECKOUT }, "401 KEY_INVALID"],
    [
      "by Envoy's other headers",
      { "x-envoy-peer-metadata-id": CHECKOUT, "x-spiffe-id": CHECKOUT, forwarded: `for=127.0.0.1;by=${CHECKOUT}` },
      "401 KEY_MISSING",
    ],
    [
      "by nginx's headers",
      { "x-ssl-client-verify": "SUCCESS", "x-ssl-client-s-dn": `CN=${CHECKOUT}`, "ssl-client-cert": "x" },
      "401 KEY_MISSING",
    ],
  ];

  // The principal has called before, so that it is in every cache.
  const tryAll = async (
    { gateway, authority }: Pick<MeshScene, "gateway" | "authority">,
    certified?: Certified,
  ): Promise<unknown[]> => {
    const responses = [];
    for (const [what, headers] of claims) {
      responses.push([what, headers, await call(gateway.port, { headers, authority, certified })]);
    }
    return responses;
  };

  test("over TLS, without a certificate or with somebody else's, while the principal calls", async () => {
    const created = await startMesh();
    const { gateway, authority, certify } = created;
    expect(await call(gateway.port, { certified: certify(`URI:${CHECKOUT}`), authority })).toBe("200 OK");
    expect(await tryAll(created)).toEqual(claims);
    expect(await tryAll(created, certify("URI:spiffe://prod.example/ns/other/sa/x"))).toEqual(claims);
  });

  test("with a certificate of another authority, even with the principal's names", async () => {
    const { gateway, authority } = await startMesh();
    const forged = makeAuthority().certify({ names: `URI:${CHECKOUT}`, days: 9 });
    await expect(call(gateway.port, { certified: forged, authority })).rejects.toMatchObject({ code: "ECONNRESET" });
  });

  test.for<[what: string, variables: Record<string, string>]>([
    ["from an address that is not trusted", { QUINTET_TRUSTED_PROXIES: "10.0.0.1" }],
    ["behind a balancer that is trusted, by its own headers", { QUINTET_PROXY_PROTOCOL: "off", QUINTET_TRUSTED_PROXIES: "::1" }],
  ])("over cleartext %s", async ([, variables]) => {
    const gateway = await startBehindProxy(variables);
    const responses = [];
    for (const [what, headers] of claims) {
      responses.push([what, headers, await call(gateway.port, { headers })]);
    }
    expect(responses).toEqual(claims);
  });

  test("through a trusted proxy that passes strangers' headers on but verifies no certificates", async () => {
    const { gateway, authority, certify } = await startMesh({ variables: { QUINTET_TRUSTED_PROXIES: "127.0.0.1" } });
    const proxy = certify(`URI:${CHECKOUT}`);
    // The proxy's own certificate would make it, and through it all strangers, the principal.
    expect([
      await call(gateway.port, { headers: xfcc, authority }),
      await call(gateway.port, { certified: proxy, authority }),
    ]).toEqual(["401 KEY_MISSING", "401 KEY_MISSING"]);
  });
});

describe("behind a trusted proxy that verifies certificates", () => {
  test.for<[what: string, header: string, received: string]>([
    ["the last element counts", `URI=spiffe://x/y,By=spiffe://prod.example/gateway;URI=${CHECKOUT}`, "200 OK"],
    ["an element before it does not", `URI=${CHECKOUT},URI=spiffe://x/y`, "401 KEY_MISSING"],
    ["an element before one without names does not", `URI=${CHECKOUT},Hash=ab`, "401 KEY_MISSING"],
    ["a DNS name counts", "Hash=ab;DNS=www.example;DNS=checkout.shop.svc", "200 OK"],
    ["a subject does not", `Subject="URI=${CHECKOUT}"`, "401 KEY_MISSING"],
    ["the proxy's own identity does not", `By=${CHECKOUT};Hash=ab`, "401 KEY_MISSING"],
    ["an unreadable header does not", `URI=${CHECKOUT};"`, "401 KEY_MISSING"],
  ])("%s", async ([, header, received]) => {
    const gateway = await startBehindProxy();
    expect(await call(gateway.port, { headers: { "x-forwarded-client-cert": header } })).toBe(received);
  });
});

test("a changed file of principals applies from the next start: plans change, and what is left out ends", async () => {
  const dataDir = temporaryDirectory();
  const plansOf = async (principals: unknown): Promise<unknown> => {
    const { gateway } = await startMesh({ dataDir, variables: { QUINTET_MESH_PRINCIPALS: principalsFile(principals) } });
    const account = await gateway.store.findAccount("mesh:batch");
    const subscriptions = await gateway.store.listSubscriptions(account?.id ?? "");
    await gateway.close();
    return subscriptions.map(({ service, plan, state }) => `${service} ${plan} ${state}`).toSorted();
  };
  const { batch } = PRINCIPALS;
  expect([
    await plansOf(PRINCIPALS),
    await plansOf(PRINCIPALS),
    await plansOf({ batch: { ...batch, plans: { farkle: "free" } } }),
    await plansOf(PRINCIPALS),
  ]).toEqual([
    ["farkle free active", "radio free active"],
    ["farkle free active", "radio free active"],
    ["farkle free active", "radio free cancelled"],
    ["farkle free active", "radio free active", "radio free cancelled"],
  ]);
});

test("a server with threads counts a principal once, and loads new certificates in all threads without a restart", async () => {
  const authority = makeAuthority();
  const makeServer = (): Certified => authority.certify({ names: "DNS:localhost", holder: "server", days: 9 });
  const server = makeServer();
  const renewed = makeServer();
  const plansPath = join(temporaryDirectory(), "plans.json");
  writeFileSync(plansPath, planFile({ farkle: [{ name: "free", callsPerMonth: 12, requestsPerSecond: 1000 }] }));
  const running = await serve({
    QUINTET_WORKERS: "2",
    QUINTET_DATA_DIR: temporaryDirectory(),
    QUINTET_PLANS: plansPath,
    QUINTET_TLS_CERT: server.certPath,
    QUINTET_TLS_KEY: server.keyPath,
    QUINTET_TLS_CLIENT_CA: authority.certPath,
    QUINTET_MESH_PRINCIPALS: principalsFile(PRINCIPALS),
  });
  onTestFinished(async () => {
    running.signal("SIGKILL");
    await running.ended;
  });
  const certified = authority.certify({ names: `URI:${CHECKOUT}`, days: 9 });
  const responses = await Promise.all(Array.from({ length: 20 }, () => call(running.port, { certified, authority })));
  expect(tally(responses)).toEqual({ "200 OK": 12, "429 QUOTA_EXCEEDED": 8 });
  writeFileSync(server.certPath, renewed.cert);
  writeFileSync(server.keyPath, renewed.key);
  await running.until(/the TLS files have changed and are in use/);
  const shown = await Promise.all(
    Array.from({ length: 16 }, async () => {
      const socket = connectTls({
        host: "127.0.0.1",
        port: running.port,
        ca: authority.cert,
        servername: "localhost",
        ...certified,
      });
      await new Promise((resolve) => socket.once("secureConnect", resolve));
      const { fingerprint256 } = socket.getPeerCertificate();
      socket.destroy();
      return fingerprint256;
    }),
  );
  expect(new Set(shown)).toEqual(new Set([new X509Certificate(readFileSync(renewed.certPath)).fingerprint256]));
});
