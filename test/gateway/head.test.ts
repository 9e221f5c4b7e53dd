// HEAD on a REST path is GET without the body: the same headers, checks and charges. RFC 9110, section 9.3.2.
import { once } from "node:events";
import { request } from "node:http";
import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from "node:http2";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";

const ID = "0d9f6b0e-6d0e-4a53-8a38-0c1c4c2f5c11";
const SCORE = "/farkle/v1/score";

interface Call {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface ReceivedResponse {
  readonly status: number;
  /** All headers but the date and those of the connection. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

const CONNECTION_HEADERS = new Set([":status", "date", "connection", "keep-alive"]);
const comparable = (headers: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !CONNECTION_HEADERS.has(name)));

async function requestHttp1(
  port: number,
  method: string,
  { path, headers = {}, body }: Call,
  key: string,
): Promise<ReceivedResponse> {
  const sent = request({ host: "127.0.0.1", port, method, path, agent: false, headers: headersOf(headers, key, body) });
  sent.end(body);
  const [response] = await once(sent, "response");
  const text = (await response.setEncoding("utf8").toArray()).join("");
  return { status: response.statusCode, headers: comparable(response.headers), body: text };
}

async function requestHttp2(
  session: ClientHttp2Session,
  method: string,
  { path, headers = {}, body }: Call,
  key: string,
): Promise<ReceivedResponse> {
  const stream = session.request({ ":method": method, ":path": path, ...headersOf(headers, key, body) }, { endStream: false });
  stream.end(body);
  const [head] = await once(stream, "response");
  const text = (await stream.setEncoding("utf8").toArray()).join("");
  return { status: head[":status"], headers: comparable(head), body: text };
}

const headersOf = (headers: Readonly<Record<string, string>>, key: string, body: string | undefined): OutgoingHttpHeaders => ({
  "x-request-id": ID,
  ...(key !== "" && { "x-gateway-key": key }),
  ...(body !== undefined && { "content-length": String(Buffer.byteLength(body)) }),
  ...headers,
});

describe("HEAD gets the response to GET, without the body:", () => {
  let gateway: Gateway;
  let session: ClientHttp2Session;

  beforeAll(async () => {
    gateway = await startGateway();
    session = connect(gateway.origin);
  });
  afterAll(async () => {
    session.close();
    await gateway.close();
  });

  test.each<Call & { readonly what: string; readonly subscribed?: boolean; readonly status: number }>([
    { what: "a query", path: `${SCORE}?dice=1,5`, status: 200 },
    { what: "a query from a page", path: `${SCORE}?dice=1,5`, headers: { origin: "https://page.example" }, status: 200 },
    { what: "a body", path: SCORE, headers: { "content-type": "application/json" }, body: '{"dice":[1,5]}', status: 200 },
    { what: "wrong input", path: `${SCORE}?dice=7`, status: 400 },
    { what: "a body of another type", path: SCORE, headers: { "content-type": "text/plain" }, body: "1", status: 415 },
    { what: "a response type that is not offered", path: `${SCORE}?dice=1`, headers: { accept: "text/html" }, status: 406 },
    { what: "no subscription", path: `${SCORE}?dice=1`, subscribed: false, status: 402 },
    { what: "nothing there", path: "/farkle/v2/score", status: 404 },
    { what: "the server's own document", path: "/openapi.json", status: 200 },
  ])("$what", async ({ subscribed = true, status, ...question }) => {
    const versions = [
      (method: string, key: string) => requestHttp1(gateway.port, method, question, key),
      (method: string, key: string) => requestHttp2(session, method, question, key),
    ];
    for (const send of versions) {
      // One customer for each, so that the month's remaining calls show that both are charged.
      const [one, other] = [await gateway.makeCustomer(plans(subscribed)), await gateway.makeCustomer(plans(subscribed))];
      const got = await send("GET", one.secret);
      expect(got.status).toBe(status);
      expect(got.headers["content-length"]).toBe(String(Buffer.byteLength(got.body)));
      expect(await send("HEAD", other.secret)).toEqual({ ...got, body: "" });
    }
  });

  const plans = (subscribed: boolean) => (subscribed ? { farkle: "free" } : {});

  test("it is charged like GET", async () => {
    const { secret } = await gateway.makeCustomer({ farkle: "free" });
    const left = async (method: string): Promise<string | null> => {
      const response = await fetch(`${gateway.origin}${SCORE}?dice=1`, { method, headers: { "x-gateway-key": secret } });
      return response.headers.get("ratelimit");
    };
    const both = [await left("HEAD"), await left("HEAD")];
    expect(both).toEqual(['"second";r=99999;t=1, "month";r=999999;t=820800', '"second";r=99998;t=1, "month";r=999998;t=820800']);
  });

  test("a body without a length is refused over HTTP/1.1", async () => {
    const { secret } = await gateway.makeCustomer({ farkle: "free" });
    const question = { path: SCORE, headers: { "content-type": "application/json", "transfer-encoding": "chunked" } };
    expect(await requestHttp1(gateway.port, "HEAD", question, secret)).toMatchObject({ status: 411, body: "" });
  });

  test("and 405 names it next to GET", async () => {
    const response = await fetch(`${gateway.origin}${SCORE}`, { method: "DELETE" });
    const { message } = (await response.json()) as { message: string };
    expect({ status: response.status, allow: response.headers.get("allow"), message }).toEqual({
      status: 405,
      allow: "GET, HEAD, POST",
      message: "This path accepts GET, HEAD, POST, not DELETE.",
    });
  });
});
