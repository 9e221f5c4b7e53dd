// Which headers a page of another origin may send and read.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { ROOT } from "../fixtures/root.ts";

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
      methods: ["delete", "get", "patch", "post", "put"],
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

  test("may send every header that the code reads, apart from those of browsers and proxies", async () => {
    const { headers } = await score({ origin: "https://page.example", "access-control-request-method": "POST" }, "OPTIONS");
    const allowed = new Set(names(headers.get("access-control-allow-headers")));
    const read = headersRead();
    expect([...read].filter((name) => !allowed.has(name) && !NOT_FROM_PAGES.has(name))).toEqual([]);
    // Without these, the search would have missed some of the ways in which the code reads headers.
    const known = ["x-gateway-key", "traceparent", "tracestate", "if-none-match", "grpc-encoding", "x-quintet-dry-run", "mcp-name"];
    expect(known.filter((name) => !read.has(name))).toEqual([]);
  });
});

// Set by browsers themselves, free for every page, or believed only from a proxy or from Stripe.
const NOT_FROM_PAGES: ReadonlySet<string> = new Set(
  (
    "accept connection content-length cookie expect host origin proxy-connection sec-fetch-site transfer-encoding user-agent " +
    "access-control-request-method stripe-signature x-forwarded-client-cert x-forwarded-for x-forwarded-proto"
  ).split(" "),
);

// How the code of the gateway, the guard and the transport reads headers of requests.
const READING = [
  /\bheaders\??\.([a-z]+)\b(?!\()/g,
  /\bheaders\["([a-z0-9-]+)"\]/g,
  /\bconst \{ ([^}]+) \} = (?:exchange\.)?headers;/g,
  /_HEADER = "([a-z0-9-]+)"/g,
  /\bHEADERS_READ = \[([^\]]+)\]/g,
  /\b[hH]eaders?\.get\("([a-z0-9-]+)"\)/g,
];
// Of responses, of the module's own name, and methods.
const NO_REQUEST_HEADERS = new Set(["ratelimit", "ratelimit-policy", "ts", "get", "set", "has", "keys", "entries"]);

function headersRead(): ReadonlySet<string> {
  const files = ["gateway", "guard", "http", "operations"].flatMap((folder) => globSync(`src/${folder}/**/*.ts`, { cwd: ROOT }));
  const texts = [...files, "src/runtime/trace-context.ts"].map((file) => readFileSync(join(ROOT, file), "utf8"));
  const found = texts.flatMap((text) => READING.flatMap((way) => [...text.matchAll(way)].map(([, listed = ""]) => listed)));
  const single = found.flatMap((listed) => listed.split(",").map((part) => /^[\s"]*([a-z][a-z0-9-]*)/.exec(part)?.[1] ?? ""));
  return new Set(single.filter((name) => name !== "" && !NO_REQUEST_HEADERS.has(name)));
}
