// A gateway with mesh principals for one test, and callers with certificates.
import { writeFileSync } from "node:fs";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { type Authority, type Certified, makeAuthority } from "../../fixtures/certificates.ts";
import { type Gateway, type GatewayOptions, startGateway } from "../../fixtures/gateway.ts";
import { temporaryDirectory } from "../../fixtures/temporary-directory.ts";

export const CHECKOUT = "spiffe://prod.example/ns/shop/sa/checkout";

/** The principals of every scene. */
export const PRINCIPALS = {
  checkout: { identities: [CHECKOUT, "checkout.shop.svc"], plans: { farkle: "free" } },
  batch: { identities: ["spiffe://prod.example/ns/batch/*"], plans: { farkle: "free", radio: "free" } },
};

/** Writes a file of principals and returns its path. */
export function principalsFile(principals: unknown): string {
  const path = join(temporaryDirectory(), "principals.json");
  writeFileSync(path, JSON.stringify(principals));
  return path;
}

/** A gateway, and a certificate authority for its callers. */
export interface MeshScene {
  readonly gateway: Gateway;
  readonly authority: Authority;
  /** A client certificate with these names. */
  certify(names: string): Certified;
}

/** How long certificates are valid: beyond the time at which the tests' clocks stand. */
const DAYS = 3650;

/** Starts a gateway that asks for certificates. */
export async function startMesh({ variables = {}, ...options }: GatewayOptions = {}): Promise<MeshScene> {
  const authority = makeAuthority();
  const server = authority.certify({ names: "DNS:localhost", holder: "server", days: DAYS });
  const gateway = await startGateway({
    ...options,
    variables: {
      QUINTET_TLS_CERT: server.certPath,
      QUINTET_TLS_KEY: server.keyPath,
      QUINTET_TLS_CLIENT_CA: authority.certPath,
      QUINTET_TLS_CLIENT_CERTS: "request",
      QUINTET_MESH_PRINCIPALS: principalsFile(PRINCIPALS),
      ...variables,
    },
  });
  onTestFinished(() => gateway.close());
  return { gateway, authority, certify: (names) => authority.certify({ names, days: DAYS }) };
}

/** Starts a gateway behind a proxy that terminates TLS: every client on this machine counts as that proxy. */
export async function startBehindProxy(variables: Readonly<Record<string, string>> = {}): Promise<Gateway> {
  const gateway = await startGateway({
    variables: {
      QUINTET_TRUSTED_PROXIES: "127.0.0.1",
      QUINTET_FORWARDED_CLIENT_CERT: "on",
      QUINTET_MESH_PRINCIPALS: principalsFile(PRINCIPALS),
      ...variables,
    },
  });
  onTestFinished(() => gateway.close());
  return gateway;
}

/** The options of a call. */
export interface CallOptions {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly certified?: Certified | undefined;
  /** Calls over TLS, and trusts this authority. */
  readonly authority?: Authority;
}

/** Makes one REST call on a separate connection. Returns the status and the reason, or `OK`. */
export function call(port: number, { path = "/farkle/v1/score?dice=1,1", headers = {}, certified, authority }: CallOptions) {
  return new Promise<string>((resolve, reject) => {
    const tls = authority && { ca: authority.cert, servername: "localhost", cert: certified?.cert, key: certified?.key };
    const options = { host: "127.0.0.1", port, path, headers, agent: false };
    const request = tls ? requestHttps({ ...options, ...tls }) : requestHttp(options);
    request.once("response", async (response) => {
      const body = JSON.parse(await text(response));
      resolve(`${response.statusCode} ${body.error?.reason ?? "OK"}`);
    });
    request.once("error", reject);
    request.end();
  });
}
