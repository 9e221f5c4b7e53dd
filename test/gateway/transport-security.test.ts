// Every kind of response tells a browser that uses TLS to use only TLS, and tells other browsers nothing.
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";

const SCORE = "/quintet.farkle.v1.FarkleService/Score";
const WATCH = "/quintet.tokenprice.v1.TokenPriceService/WatchPrices";
const YEAR = "max-age=31536000";
const BEHIND_PROXY = { QUINTET_TRUSTED_PROXIES: "127.0.0.1" };
const PREFLIGHT = { origin: "https://page.example", "access-control-request-method": "POST" };

interface Requested {
  readonly what: string;
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const REQUESTED: readonly Requested[] = [
  { what: "a refusal over REST", path: "/farkle/v1/score?dice=1" },
  { what: "a refusal over Connect", path: SCORE, method: "POST", headers: { "content-type": "application/json" } },
  { what: "a refusal over gRPC-Web", path: SCORE, method: "POST", headers: { "content-type": "application/grpc-web+proto" } },
  { what: "a refused stream", path: WATCH, method: "POST", headers: { "content-type": "application/connect+json" } },
  { what: "a response without a key", path: "/account/v1/plans" },
  { what: "an unknown path", path: "/nowhere" },
  { what: "the page of an unknown path", path: "/nowhere", headers: { accept: "text/html" } },
  { what: "the front page", path: "/" },
  { what: "a page of the dashboard", path: "/app/keys" },
  { what: "a redirect", path: "/plans/" },
  { what: "a document", path: "/openapi.json" },
  { what: "a document that the caller already has", path: "/openapi.json", headers: { "if-none-match": "*" } },
  { what: "a liveness probe", path: "/livez" },
  { what: "a readiness probe", path: "/readyz" },
  { what: "a preflight", path: SCORE, method: "OPTIONS", headers: PREFLIGHT },
];

/** The response's strict-transport-security header; null if it has none. */
async function told({ origin }: Gateway, { path, method = "GET", headers }: Requested, scheme: string): Promise<string | null> {
  const sent = { ...headers, "x-forwarded-proto": scheme };
  const received = await fetch(`${origin}${path}`, { method, headers: sent, redirect: "manual" });
  await received.body?.cancel();
  return received.headers.get("strict-transport-security");
}

describe("behind a proxy", () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ variables: BEHIND_PROXY });
  });
  afterAll(() => gateway.close());

  test.each(REQUESTED)("$what has the header if the caller uses TLS", async (requested) => {
    expect([await told(gateway, requested, "https"), await told(gateway, requested, "http")]).toEqual([YEAR, null]);
  });
});

test.each([
  {
    what: "for as long as the operator sets",
    variables: { ...BEHIND_PROXY, QUINTET_HSTS_MAX_AGE_SECONDS: "86400" },
    says: "max-age=86400",
  },
  { what: "not if it is 0", variables: { ...BEHIND_PROXY, QUINTET_HSTS_MAX_AGE_SECONDS: "0" }, says: null },
  { what: "not if only an untrusted proxy says that TLS is used", variables: {}, says: null },
])("the header is sent $what", async ({ variables, says }) => {
  const gateway = await startGateway({ variables });
  onTestFinished(() => gateway.close());
  expect(await told(gateway, { what: "a page", path: "/" }, "https")).toBe(says);
});

describe("over TLS to the server itself", () => {
  const file = (name: string): string => join(import.meta.dirname, "../../packages/http/test/certificates", name);
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ variables: { QUINTET_TLS_CERT: file("server.pem"), QUINTET_TLS_KEY: file("server.key") } });
  });
  afterAll(() => gateway.close());

  test.each([
    { what: "a page", headers: {}, status: 200 },
    { what: "a request that the transport refuses", headers: { "x-long": "x".repeat(16_384) }, status: 431 },
  ])("$what says so", async ({ headers, status }) => {
    const seen = await new Promise((resolve, reject) => {
      const ca = readFileSync(file("authority.pem"));
      const sent = request({
        host: "127.0.0.1",
        port: gateway.port,
        servername: "localhost",
        ca,
        agent: false,
        path: "/",
        headers,
      });
      sent.on("error", reject).on("response", (response) => {
        response.resume();
        resolve([response.statusCode, response.headers["strict-transport-security"]]);
      });
      sent.end();
    });
    expect(seen).toEqual([status, YEAR]);
  });
});
