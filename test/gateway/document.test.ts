// A static document: compressed as the caller prefers, and not sent again to a caller that has it.
import { request } from "node:http";
import { connect } from "node:http2";
import { connect as connectSocket } from "node:net";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { encodingWeight } from "../../src/gateway/media-type.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { DOCUMENT } from "../fixtures/openapi-document.ts";

interface Got {
  readonly status: number | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
}

describe("/openapi.json", () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.close());

  // Not fetch, which requests compression by itself, and decompresses.
  const send = (headers: Record<string, string>, method = "GET"): Promise<Got> =>
    new Promise((resolve, reject) => {
      const sent = request(`${gateway.origin}/openapi.json`, { method, agent: false, headers });
      sent.on("response", async (response) => {
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(await response.toArray()) });
      });
      sent.on("error", reject);
      sent.end();
    });

  test("arrives 40 times at once over one connection of either protocol, a megabyte each", async () => {
    const session = connect(gateway.origin);
    onTestFinished(() => session.destroy());
    const lengths = Array.from({ length: 40 }, async () => {
      const stream = session.request({ ":path": "/openapi.json" });
      return Buffer.concat(await stream.toArray()).byteLength;
    });
    const whole = Number((await send({})).headers["content-length"]);
    expect(await Promise.all(lengths)).toEqual(Array.from({ length: 40 }, () => whole));
    const socket = connectSocket(gateway.port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    const get = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nhost: a.example\r\n${more}\r\n`;
    socket.write(get("/openapi.json").repeat(40) + get("/version", "connection: close\r\n"));
    const bytes = Buffer.concat(await socket.toArray()).toString("latin1");
    expect([bytes.split("HTTP/1.1 200 OK").length - 1, bytes.length > 40 * whole]).toEqual([41, true]);
  });

  test.each([
    { accept: "br, gzip", coding: "br", read: brotliDecompressSync, bytesMax: 75_000 },
    { accept: "gzip, deflate", coding: "gzip", read: gunzipSync, bytesMax: 85_000 },
    { accept: "br;q=0.5, gzip", coding: "gzip", read: gunzipSync, bytesMax: 85_000 },
    { accept: "*", coding: "br", read: brotliDecompressSync, bytesMax: 75_000 },
    { accept: "br;q=0, *", coding: "gzip", read: gunzipSync, bytesMax: 85_000 },
    { accept: "identity", coding: undefined, read: (body: Buffer) => body, bytesMax: 2_000_000 },
    { accept: "", coding: undefined, read: (body: Buffer) => body, bytesMax: 2_000_000 },
  ])("accept-encoding: $accept", async ({ accept, coding, read, bytesMax }) => {
    const { status, headers, body } = await send({ "accept-encoding": accept });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "cache-control": "public, max-age=60",
      vary: "origin, accept-encoding",
      etag: expect.stringMatching(coding === undefined ? /^"[\w-]{22}"$/ : new RegExp(`^"[\\w-]{22}-${coding}"$`)),
      "content-length": String(body.byteLength),
    });
    expect(headers["content-encoding"]).toBe(coding);
    expect(body.byteLength).toBeLessThan(bytesMax);
    expect(JSON.parse(read(body).toString())).toEqual(DOCUMENT);
  });

  test.each(["POST", "PUT", "DELETE"])("refuses %s, and the response names the methods that it accepts", async (method) => {
    const { status, headers, body } = await send({}, method);
    expect({ status, allow: headers.allow, message: JSON.parse(body.toString()).message }).toEqual({
      status: 405,
      allow: "GET, HEAD",
      message: `This path accepts GET, HEAD, not ${method}.`,
    });
  });

  test.each([
    ["its tag", (tag: string) => tag],
    ["its tag among others", (tag: string) => `"other", ${tag}`],
    ["its tag, weak", (tag: string) => `W/${tag}`],
    ["any", () => "*"],
  ])("is not sent again to a caller that has it: if-none-match is %s", async (_, known) => {
    for (const accept of ["br", "gzip", "identity"]) {
      const { headers } = await send({ "accept-encoding": accept });
      const again = await send({ "accept-encoding": accept, "if-none-match": known(String(headers.etag)) });
      const { etag, vary, "cache-control": cacheControl } = headers;
      expect([again.status, again.body.byteLength]).toEqual([304, 0]);
      expect(again.headers).toMatchObject({ etag, vary, "cache-control": cacheControl });
      expect(again.headers["content-encoding"]).toBeUndefined();
    }
  });

  test("does not match the ETag of another coding or of another document", async () => {
    const { headers } = await send({ "accept-encoding": "gzip" });
    for (const known of [String(headers.etag), '"another"']) {
      expect((await send({ "accept-encoding": "br", "if-none-match": known })).status).toBe(200);
    }
  });

  test("has the same headers for HEAD as for GET", async () => {
    const got = await send({ "accept-encoding": "br" });
    const head = await send({ "accept-encoding": "br" }, "HEAD");
    expect(head.body.byteLength).toBe(0);
    for (const name of ["etag", "content-length", "content-encoding", "cache-control"]) {
      expect(head.headers[name]).toBe(got.headers[name]);
    }
  });
});

test("/openapi.json names the server, the terms and the contact that the operator has set", async () => {
  const variables = {
    QUINTET_PUBLIC_URL: "https://api.example.com",
    QUINTET_OPERATOR_NAME: "Example Ltd",
    QUINTET_SUPPORT_CONTACT: "help@example.com",
  };
  const gateway = await startGateway({ variables });
  onTestFinished(() => gateway.close());
  const served = await (await fetch(`${gateway.origin}/openapi.json`)).json();
  const info = {
    termsOfService: "https://api.example.com/docs/terms",
    contact: { name: "Example Ltd", email: "help@example.com" },
  };
  expect(served).toEqual({ ...DOCUMENT, info: { ...DOCUMENT.info, ...info }, servers: [{ url: "https://api.example.com" }] });
});

describe("the weight that a caller gives a coding:", () => {
  test.each([
    [undefined, "gzip", 0],
    ["gzip", "gzip", 1],
    ["GZIP;Q=0.3", "gzip", 0.3],
    ["x-gzip", "gzip", 1],
    ["gzip;q=0", "gzip", 0],
    ["gzip;q=abc", "gzip", 0],
    ["*;q=0.2", "br", 0.2],
    ["*;q=0", "identity", 0],
    ["gzip", "identity", 0.0001],
  ])("%s, %s: %s", (accept, coding, weight) => {
    expect(encodingWeight(accept, coding)).toBe(weight);
  });
});
