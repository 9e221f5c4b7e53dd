// Which headers a page of another origin may send and read.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";

const names = (list: string | null): string[] =>
  (list ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .toSorted();

describe("a page of another origin", () => {
  let gateway: Gateway;
  let secret: string;

  beforeAll(async () => {
    gateway = await startGateway();
    ({ secret } = await gateway.makeCustomer({ farkle: "free" }));
  });
  afterAll(() => gateway.close());

  const score = (headers: Readonly<Record<string, string>>, method = "GET"): Promise<Response> =>
    fetch(`${gateway.origin}/farkle/v1/score?dice=1`, { method, headers });

  test("may read every header that describes the response, with its age", async () => {
    const { headers } = await score({ origin: "https://page.example", "x-gateway-key": secret });
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(names(headers.get("access-control-expose-headers"))).toEqual([
      "age",
      "allow",
      "connect-content-encoding",
      "content-encoding",
      "deprecation",
      "etag",
      "grpc-message",
      "grpc-retry-pushback-ms",
      "grpc-status",
      "grpc-status-details-bin",
      "link",
      "ratelimit",
      "ratelimit-policy",
      "retry-after",
      "sunset",
      "www-authenticate",
      "x-quintet-data",
      "x-quintet-dry-run",
      "x-quintet-stale",
      "x-request-id",
    ]);
  });

  test("may send the key, the request id and each protocol's deadline, after its browser's preflight", async () => {
    const { status, headers } = await score({ origin: "https://page.example", "access-control-request-method": "POST" }, "OPTIONS");
    expect({ status, methods: names(headers.get("access-control-allow-methods")) }).toEqual({
      status: 204,
      methods: ["get", "patch", "post"],
    });
    expect(names(headers.get("access-control-allow-headers"))).toEqual(
      expect.arrayContaining([
        "authorization",
        "connect-timeout-ms",
        "content-type",
        "grpc-timeout",
        "idempotency-key",
        "mcp-method",
        "mcp-name",
        "mcp-protocol-version",
        "x-gateway-key",
        "x-quintet-account",
        "x-quintet-dry-run",
        "x-request-id",
        "x-server-timeout",
      ]),
    );
  });

  test("is the only caller that gets these headers", async () => {
    const { headers } = await score({ "x-gateway-key": secret });
    expect([...headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
  });
});
