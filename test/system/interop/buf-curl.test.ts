// Calls the server with `buf curl`, which is written in Go and knows only our protos: gRPC, gRPC-Web and Connect over HTTP/2 without TLS.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { Code } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CODE_NAMES } from "../../../src/problem/code.ts";
import { type Gateway, startGateway } from "../../fixtures/gateway.ts";
import { ROOT } from "../../fixtures/root.ts";
import { detailJson } from "../matrix/details.ts";

const BUF = join(ROOT, "node_modules", ".bin", "buf");
const QUOTA_MESSAGE = "The free plan's 1 calls for 2026-11 are used up; the quota resets at 2026-12-01T00:00:00Z.";

interface Printed {
  readonly exitCode: number;
  readonly response: unknown;
  readonly error: unknown;
}

function bufCurl(protocol: string, url: string, headers: Readonly<Record<string, string>>): Promise<Printed> {
  const options = ["--schema", "proto", "--protocol", protocol, "--http2-prior-knowledge", "--data", '{"dice":[1,2]}'];
  const sent = Object.entries(headers).flatMap(([name, value]) => ["--header", `${name}: ${value}`]);
  const { promise, resolve } = Promise.withResolvers<Printed>();
  const child = execFile(BUF, ["curl", ...options, ...sent, url], { cwd: ROOT }, (_error, out, err) => {
    const error = err === "" ? undefined : JSON.parse(err);
    resolve({
      exitCode: child.exitCode ?? -1,
      response: out === "" ? undefined : JSON.parse(out),
      error: error && {
        code: error.code,
        message: error.message,
        details: error.details.map((detail: { type: string; value: string }) =>
          detailJson(detail.type, Buffer.from(detail.value, "base64")),
        ),
      },
    });
  });
  return promise;
}

// buf curl exits with eight times the code. Its own failures have other exit codes.
const failed = (code: Code, message: string, details: readonly object[]): Printed => ({
  exitCode: code * 8,
  response: undefined,
  error: { code: CODE_NAMES[code], message, details },
});

const info = (reason: string, metadata?: object): object => ({
  "@type": "type.googleapis.com/google.rpc.ErrorInfo",
  reason,
  domain: "quintet.example",
  ...(metadata && { metadata }),
});

describe.each(["grpc", "grpcweb", "connect"])("buf curl --protocol %s", (protocol) => {
  let gateway: Gateway;
  let url: string;
  let key: string;
  beforeAll(async () => {
    gateway = await startGateway({ plans: { farkle: [{ name: "free", callsPerMonth: 1, requestsPerSecond: 100 }] } });
    url = `${gateway.origin}/quintet.farkle.v1.FarkleService/Score`;
    key = (await gateway.makeCustomer({ farkle: "free" })).secret;
  });
  afterAll(() => gateway.close());

  test("is refused without a key, and told how to send one", async () => {
    expect(await bufCurl(protocol, url, {})).toEqual(
      failed(
        Code.Unauthenticated,
        "Send your API key in the x-gateway-key header. To get one, sign up at /app; or POST /account/v1/sign-up, follow the link if you get an e-mail, then POST /account/v1/keys.",
        [info("KEY_MISSING")],
      ),
    );
  });

  test("calls, and is refused when the month's calls are used up", async () => {
    expect(await bufCurl(protocol, url, { "x-gateway-key": key })).toEqual({
      exitCode: 0,
      response: {
        score: 100,
        breakdown: [{ combination: "COMBINATION_SINGLE_ONE", dice: [1], points: 100 }],
        deadDice: [2],
      },
      error: undefined,
    });
    expect(await bufCurl(protocol, url, { "x-gateway-key": key })).toEqual(
      failed(Code.ResourceExhausted, QUOTA_MESSAGE, [
        info("QUOTA_EXCEEDED", { service: "farkle", plan: "free" }),
        {
          "@type": "type.googleapis.com/google.rpc.QuotaFailure",
          violations: [{ subject: "subscription:farkle", description: QUOTA_MESSAGE }],
        },
        { "@type": "type.googleapis.com/google.rpc.RetryInfo", retry_delay: "820800s" },
      ]),
    );
  });
});
