// No way past the guard: every method of every service, in every protocol and by every REST rule, over HTTP/1.1 and HTTP/2, through
// both lanes. Without a key each is refused on its head alone, in its own protocol's words, and no upstream hears of it.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type ClientHttp2Session, connect } from "node:http2";
import type { AddressInfo } from "node:net";
import { create, type DescMethod, toBinary } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "../gen/google/rpc/status_pb.js";
import { rulesOf } from "../src/rest/rule.ts";
import { SERVICE_NAMES } from "../src/services/service.ts";
import { DATA_METHODS, DATA_SERVICES } from "./data-services.ts";
import { type Gateway, startGateway } from "./gateway.ts";
import { askHttp1, askHttp2, type OpenAnswer, type OpenRequest } from "./open-request.ts";

const REQUEST_ID = "1d2c3b4a-0000-4000-8000-000000000001";
const MESSAGE = "Send your API key in the x-gateway-key header.";
const INFO = create(ErrorInfoSchema, { reason: "KEY_MISSING", domain: "quintet" });
const UNAUTHENTICATED = 16;

const withoutPadding = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64").replace(/=+$/, "");

const answer = (status: number, contentType: string, body: unknown, headers: Record<string, string> = {}): OpenAnswer => ({
  status,
  headers: { "content-type": contentType, "x-request-id": REQUEST_ID, ...headers },
  body: body === "" ? "" : JSON.stringify(body),
});

const REFUSED_BY_REST = answer(401, "application/json; charset=utf-8", {
  data: null,
  meta: { timestamp: "2026-11-21T12:00:00.000Z", request_id: REQUEST_ID },
  status: "error",
  message: MESSAGE,
  success: false,
  error: {
    reason: "KEY_MISSING",
    code: "UNAUTHENTICATED",
    details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "KEY_MISSING", domain: "quintet" }],
  },
});

const REFUSED_BY_CONNECT = answer(401, "application/json", {
  code: "unauthenticated",
  message: MESSAGE,
  details: [
    {
      type: "google.rpc.ErrorInfo",
      value: withoutPadding(toBinary(ErrorInfoSchema, INFO)),
      debug: { reason: "KEY_MISSING", domain: "quintet" },
    },
  ],
});

const STATUS = create(StatusSchema, { code: UNAUTHENTICATED, message: MESSAGE, details: [anyPack(ErrorInfoSchema, INFO)] });

const refusedByGrpc = (contentType: string): OpenAnswer =>
  answer(200, contentType, "", {
    "grpc-status": String(UNAUTHENTICATED),
    "grpc-message": MESSAGE,
    "grpc-status-details-bin": withoutPadding(toBinary(StatusSchema, STATUS)),
  });

interface Attempt extends OpenRequest {
  readonly refused: OpenAnswer;
}

const post = (path: string, contentType: string, refused: OpenAnswer, headers: Record<string, string> = {}): Attempt => ({
  method: "POST",
  path,
  headers: { "content-type": contentType, ...headers },
  announcesBody: true,
  refused,
});

function restAttempts(desc: DescMethod): Attempt[] {
  return rulesOf(desc).flatMap(({ httpMethod, template }) => {
    const path = template.source.replaceAll(/\{[^}]*\}/g, "x");
    const asked = { method: httpMethod, path, refused: REFUSED_BY_REST };
    const askedForHead = { method: "HEAD", path, refused: { ...REFUSED_BY_REST, body: "" } };
    return (httpMethod === "GET" ? [asked, askedForHead] : [asked]).flatMap((base) => [
      { ...base, headers: {}, announcesBody: false },
      { ...base, headers: { "content-type": "application/json" }, announcesBody: true },
      { ...base, headers: { "content-type": "application/x-www-form-urlencoded" }, announcesBody: true },
    ]);
  });
}

function rpcAttempts({ path, desc }: (typeof DATA_METHODS)[number]): Attempt[] {
  return desc.methodKind === "unary" ? unaryAttempts(path) : streamAttempts(path);
}

// What a stream's answer ends with in Connect: a frame of its own, with the flag 2.
const ENDED_BY_CONNECT = ((): string => {
  const json = Buffer.from(JSON.stringify({ error: JSON.parse(REFUSED_BY_CONNECT.body) }));
  const head = Buffer.alloc(5, 2);
  head.writeUInt32BE(json.length, 1);
  return Buffer.concat([head, json]).toString();
})();

function streamAttempts(path: string): Attempt[] {
  const forms = ["proto", "json"];
  const connect = forms.map((form) => {
    const type = `application/connect+${form}`;
    return post(path, type, { status: 200, headers: { "content-type": type, "x-request-id": REQUEST_ID }, body: ENDED_BY_CONNECT });
  });
  const grpc = ["grpc", "grpc-web"].flatMap((protocol) =>
    ["", "+proto", "+json"].map((form) =>
      post(path, `application/${protocol}${form}`, refusedByGrpc(`application/${protocol}${form || "+proto"}`), { te: "trailers" }),
    ),
  );
  return [...connect, ...grpc];
}

function unaryAttempts(path: string): Attempt[] {
  const get = (encoding: string): Attempt => ({
    method: "GET",
    path: `${path}?connect=v1&encoding=${encoding}&message=`,
    headers: {},
    announcesBody: false,
    refused: REFUSED_BY_CONNECT,
  });
  const grpc = ["grpc", "grpc-web", "grpc-web-text"].flatMap((protocol) =>
    ["", "+proto", "+json"].map((form) =>
      post(path, `application/${protocol}${form}`, refusedByGrpc(`application/${protocol}${form || "+proto"}`), { te: "trailers" }),
    ),
  );
  return [
    get("json"),
    get("proto"),
    post(path, "application/json", REFUSED_BY_CONNECT),
    post(path, "application/proto", REFUSED_BY_CONNECT),
    ...grpc,
  ];
}

test("the walk goes through as many services as there are", () => {
  expect(DATA_SERVICES).toHaveLength(SERVICE_NAMES.length);
});

describe.each([
  { lane: "the unary lane", useUnaryLane: true },
  { lane: "Connect's adapter", useUnaryLane: false },
])("without a key, through $lane,", ({ useUnaryLane }) => {
  const asked: string[] = [];
  let upstream: Server;
  let gateway: Gateway;
  let session: ClientHttp2Session;

  beforeAll(async () => {
    upstream = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.writeHead(500).end();
    });
    upstream.listen(0, "127.0.0.1");
    await once(upstream, "listening");
    const origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    // The token list service reads its lists at its start, for no call's sake.
    const firstList = once(upstream, "request");
    gateway = await startGateway({
      useUnaryLane,
      variables: {
        QUINTET_RADIO_MIRRORS: origin,
        QUINTET_COINS_URL: origin,
        QUINTET_TOKEN_LISTS: `uniswap=${origin}/list`,
        QUINTET_BITCOIN_CHARTS_URL: origin,
        QUINTET_BITCOIN_PRICE_URLS: `coinbase=${origin}`,
      },
    });
    session = connect(gateway.origin);
    await firstList;
  });

  afterAll(async () => {
    session.close();
    await gateway.close();
    upstream.close();
  });

  test.each(DATA_METHODS)("$path is refused in every protocol's own words", async (called) => {
    const attempts = [...restAttempts(called.desc), ...rpcAttempts(called)].map(({ headers, ...attempt }) => ({
      ...attempt,
      headers: { "x-request-id": REQUEST_ID, ...headers },
    }));
    const label = ({ method, path, headers }: OpenRequest): string => `${method} ${path} ${headers["content-type"] ?? ""}`;
    const expected = attempts.map(({ refused, ...attempt }) => {
      const vary = attempt.method !== "POST" && { vary: "origin" };
      return [label(attempt), { ...refused, headers: { ...refused.headers, ...vary } }];
    });
    const over1 = await Promise.all(attempts.map(async (attempt) => [label(attempt), await askHttp1(gateway.port, attempt)]));
    const over2 = await Promise.all(attempts.map(async (attempt) => [label(attempt), await askHttp2(session, attempt)]));
    expect(over1).toEqual(expected);
    expect(over2).toEqual(expected);
  });

  test("and no upstream hears of any of it", () => {
    expect(asked).toEqual(["/list"]);
  });
});
