// No call gets past the access checks. Every method of every service is called in every protocol and by every REST rule, over HTTP/1.1 and
// HTTP/2, through both pipelines. Without a key, and without a session where one is needed, each call is refused before its body is read, in its
// own protocol, and no upstream is called.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect } from "node:http2";
import type { AddressInfo } from "node:net";
import { create, type DescMethod, type DescService, toBinary } from "@bufbuild/protobuf";
import { anyPack, MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { rulesOf } from "@quintet/transcoding";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "../../gen/google/rpc/status_pb.js";
import { StatusService } from "../../gen/quintet/account/v1/status_pb.js";
import { OperatorService } from "../../gen/quintet/operator/v1/operator_pb.js";
import { createAccountRpc } from "../../src/account/rpc/account-rpc.ts";
import { CallFeed } from "../../src/account/watch/call-feed.ts";
import { loadPlans } from "../../src/catalogue/plans.ts";
import { folderNameOf, SERVICE_NAMES, type ServiceName } from "../../src/catalogue/service-names.ts";
import { DEFAULT_HTTP_LIMITS } from "../../src/config/http-limits.ts";
import { createAccountServices } from "../../src/gateway/session/account-services.ts";
import { generateKey } from "../../src/guard/keys/key.ts";
import { createLog } from "../../src/runtime/log.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { openStore } from "../../src/store/open.ts";
import { CUSTOMER_SERVICES } from "../fixtures/account-clients.ts";
import { DATA_METHODS, DATA_SERVICES, SESSION_METHODS } from "../fixtures/data-services.ts";
import { type Gateway, START_MS, startGateway } from "../fixtures/gateway.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";
import { noServerState } from "../fixtures/no-server-state.ts";
import { createGuard } from "../fixtures/one-thread-guard.ts";
import { type OpenRequest, type OpenResponse, requestHttp1, requestHttp2 } from "../fixtures/open-request.ts";
import { QUICK_COST } from "../fixtures/quick-passwords.ts";
import { createStack } from "../fixtures/stack.ts";
import { makeTemporaryDirectory } from "../fixtures/temporary-directory.ts";

/** A server of either kind. */
type Served = Pick<Gateway, "origin" | "port" | "close">;

const REQUEST_ID = "1d2c3b4a-0000-4000-8000-000000000001";
const UNAUTHENTICATED = 16;

const withoutPadding = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64").replace(/=+$/, "");

/** A caller, and how they are refused. */
interface Case {
  readonly who: string;
  readonly methods: typeof DATA_METHODS;
  readonly sent: Readonly<Record<string, string>>;
  readonly reason: string;
  readonly message: string;
  /** Headers of every response of the access check. */
  readonly headers: Readonly<Record<string, string>>;
  /** The www-authenticate header, which is sent with the status 401 only. */
  readonly challenge: string;
}

const TOKEN = "0123456789abcdefghijklmnopqrstuv";
const KEY = generateKey(systemRandomness).secret;

const data = {
  methods: DATA_METHODS,
  headers: { "cache-control": "private" },
  challenge: 'ApiKey realm="quintet", header="x-gateway-key"',
};
const keyMissing = {
  reason: "KEY_MISSING",
  message:
    "Send your API key in the x-gateway-key header. To get one, sign up at /app; or POST /account/v1/sign-up, follow the link if you get an e-mail, then POST /account/v1/keys.",
};

const account = { methods: SESSION_METHODS, headers: { "cache-control": "no-store" } };
const sessionMissing = {
  reason: "SESSION_MISSING",
  message: "Sign in, and send the session's token as authorization: Bearer TOKEN.",
  challenge: 'Bearer realm="quintet"',
};
const sessionInvalid = {
  reason: "SESSION_INVALID",
  message: "The session is not known or has ended. Sign in again.",
  challenge: 'Bearer realm="quintet", error="invalid_token"',
};

/** Without any credentials. */
const WITH_NOTHING: readonly Case[] = [
  { ...data, who: "a data service without a key", sent: {}, ...keyMissing },
  { ...account, who: "an account service without a session", sent: {}, ...sessionMissing },
];

/** With credentials for another service, or with wrong ones. */
const WITH_SOMETHING_ELSE: readonly Case[] = [
  {
    ...data,
    who: "a data service with a session",
    sent: { authorization: `Bearer ${TOKEN}`, cookie: `quintet_session=${TOKEN}` },
    ...keyMissing,
  },
  {
    ...data,
    who: "a data service with a session for a key",
    sent: { "x-gateway-key": TOKEN },
    reason: "KEY_INVALID",
    message:
      "The x-gateway-key header does not contain a Quintet API key: a key is qk_live_ (qk_test_ in a sandbox) followed by 38 or 40 letters and digits.",
  },
  { ...account, who: "an account service with a key", sent: { "x-gateway-key": KEY }, ...sessionMissing },
  { ...account, who: "an account service with a key for a session", sent: { authorization: `Bearer ${KEY}` }, ...sessionInvalid },
  {
    ...account,
    who: "an account service with half a token",
    sent: { authorization: `Bearer ${TOKEN.slice(16)}` },
    ...sessionInvalid,
  },
];

/** A refusal in each protocol. */
interface Refusals {
  readonly rest: OpenResponse;
  readonly connect: OpenResponse;
  /** A stream's response in Connect. */
  connectStream(contentType: string): OpenResponse;
  grpc(contentType: string): OpenResponse;
}

function refusalsOf({ reason, message, headers: ofAccessCheck, challenge }: Case): Refusals {
  const info = create(ErrorInfoSchema, { reason, domain: "quintet.example" });
  const status = create(StatusSchema, { code: UNAUTHENTICATED, message, details: [anyPack(ErrorInfoSchema, info)] });
  const responseOf = (
    httpStatus: number,
    contentType: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): OpenResponse => ({
    status: httpStatus,
    headers: {
      "content-type": contentType,
      "x-request-id": REQUEST_ID,
      link: `</errors/${reason}>; rel="help"`,
      ...(httpStatus === 401 && { "www-authenticate": challenge }),
      ...ofAccessCheck,
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const inConnect = {
    code: "unauthenticated",
    message,
    details: [
      {
        type: "google.rpc.ErrorInfo",
        value: withoutPadding(toBinary(ErrorInfoSchema, info)),
        debug: { reason, domain: "quintet.example" },
      },
    ],
  };
  const inRest = {
    data: null,
    meta: { timestamp: "2026-11-21T12:00:00.000Z", request_id: REQUEST_ID },
    status: "error",
    message,
    success: false,
    error: {
      reason,
      code: "UNAUTHENTICATED",
      details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: "quintet.example" }],
    },
  };
  return {
    rest: responseOf(401, "application/json; charset=utf-8", inRest, { "x-content-type-options": "nosniff" }),
    connect: responseOf(401, "application/json", inConnect),
    connectStream: (contentType) => responseOf(200, contentType, lastFrame({ error: inConnect })),
    grpc: (contentType) =>
      responseOf(200, contentType, "", {
        "grpc-status": String(UNAUTHENTICATED),
        "grpc-message": message,
        "grpc-status-details-bin": withoutPadding(toBinary(StatusSchema, status)),
      }),
  };
}

// The last frame of a stream in Connect has the flag 2.
function lastFrame(content: unknown): string {
  const json = Buffer.from(JSON.stringify(content));
  const head = Buffer.alloc(5, 2);
  head.writeUInt32BE(json.length, 1);
  return Buffer.concat([head, json]).toString();
}

interface Attempt extends OpenRequest {
  readonly refused: OpenResponse;
}

const post = (path: string, contentType: string, refused: OpenResponse, headers: Record<string, string> = {}): Attempt => ({
  method: "POST",
  path,
  headers: { "content-type": contentType, ...headers },
  announcesBody: true,
  refused,
});

function restAttempts(desc: DescMethod, { rest }: Refusals): Attempt[] {
  return rulesOf(desc).flatMap(({ httpMethod, template }) => {
    const path = template.source.replaceAll(/\{[^}]*\}/g, "x");
    const requested = { method: httpMethod, path, refused: rest };
    const wantedHead = { method: "HEAD", path, refused: { ...rest, body: "" } };
    return (httpMethod === "GET" ? [requested, wantedHead] : [requested]).flatMap((base) => [
      { ...base, headers: {}, announcesBody: false },
      { ...base, headers: { "content-type": "application/json" }, announcesBody: true },
      { ...base, headers: { "content-type": "application/x-www-form-urlencoded" }, announcesBody: true },
    ]);
  });
}

function rpcAttempts({ path, desc }: (typeof DATA_METHODS)[number], refusals: Refusals): Attempt[] {
  if (desc.methodKind !== "unary") {
    return streamAttempts(path, refusals);
  }
  const { connect } = refusals;
  const mayGet = desc.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  return [...(mayGet ? getAttempts(path, connect) : []), ...postAttempts(path, refusals)];
}

function streamAttempts(path: string, { connectStream, grpc: refusedByGrpc }: Refusals): Attempt[] {
  const forms = ["proto", "json"];
  const connect = forms.map((form) => {
    const type = `application/connect+${form}`;
    return post(path, type, connectStream(type));
  });
  const grpc = ["grpc", "grpc-web"].flatMap((protocol) =>
    ["", "+proto", "+json"].map((form) =>
      post(path, `application/${protocol}${form}`, refusedByGrpc(`application/${protocol}${form || "+proto"}`), { te: "trailers" }),
    ),
  );
  return [...connect, ...grpc];
}

const getAttempts = (path: string, refused: OpenResponse): Attempt[] =>
  ["json", "proto"].map((encoding) => ({
    method: "GET",
    path: `${path}?connect=v1&encoding=${encoding}&message=`,
    headers: {},
    announcesBody: false,
    refused,
  }));

function postAttempts(path: string, { connect, grpc: refusedByGrpc }: Refusals): Attempt[] {
  const grpc = ["grpc", "grpc-web", "grpc-web-text"].flatMap((protocol) =>
    ["", "+proto", "+json"].map((form) =>
      post(path, `application/${protocol}${form}`, refusedByGrpc(`application/${protocol}${form || "+proto"}`), { te: "trailers" }),
    ),
  );
  return [post(path, "application/json", connect), post(path, "application/proto", connect), ...grpc];
}

test("the attempts cover every service", () => {
  expect(DATA_SERVICES).toHaveLength(SERVICE_NAMES.length);
  const withSession = [...CUSTOMER_SERVICES.filter((service) => service !== StatusService), OperatorService];
  expect(new Set(SESSION_METHODS.map(({ desc }) => desc))).toEqual(new Set(withSession.flatMap(({ methods }) => methods)));
});

/** The gateway as it is in the product. */
const asServed = (origin: string): Promise<Served> =>
  startGateway({
    variables: {
      QUINTET_RADIO_MIRRORS: origin,
      QUINTET_COINS_URL: origin,
      QUINTET_TOKEN_LISTS: `uniswap=${origin}/list`,
      QUINTET_BITCOIN_CHARTS_URL: origin,
      QUINTET_BITCOIN_CHAIN_URL: origin,
      QUINTET_BITCOIN_PRICE_URLS: `coinbase=${origin}`,
    },
  });

/** The same services with every RPC sent through connect-es, which the product uses only for streams. */
async function throughConnect(): Promise<Served> {
  const [clock, randomness, log] = [createManualClock({ nowMs: START_MS }), systemRandomness, createLog("silent")];
  const directory = makeTemporaryDirectory();
  const store = await openStore({ dataDir: directory.path, clock, role: "server" });
  const plans = loadPlans(undefined);
  const guard = createGuard({ store, plans, clock, log });
  const accountRpc = createAccountRpc({
    store,
    plans,
    clock,
    randomness,
    unspent: () => 0,
    callFeed: new CallFeed(clock),
    serverState: noServerState,
    passwordCost: QUICK_COST,
  });
  const listener = createStack({
    services: DATA_SERVICES.map((desc) => ({ name: nameOf(desc), desc, implementation: {}, close: async () => {} })),
    checkedServices: createAccountServices({ accountRpc, log, bodyBytesMax: DEFAULT_HTTP_LIMITS.bodyBytesMax }),
    guard,
    clock,
    log,
    throughConnect: true,
  });
  const { port } = await listener.listen("127.0.0.1", 0);
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    async close() {
      await listener.close();
      await guard.close();
      await store.close();
      directory.remove();
    },
  };
}

function nameOf({ typeName }: DescService): ServiceName {
  const name = SERVICE_NAMES.find((one) => typeName.startsWith(`quintet.${folderNameOf(one)}.`));
  if (name === undefined) {
    throw new Error(`${typeName} is not a data service`);
  }
  return name;
}

describe.each([
  { way: "as it is served", serve: asServed, cases: [...WITH_NOTHING, ...WITH_SOMETHING_ELSE], startedWith: ["/list"] },
  { way: "through connect-es", serve: throughConnect, cases: WITH_NOTHING, startedWith: [] },
])("$way,", ({ serve, cases, startedWith }) => {
  const requested: string[] = [];
  let upstream: Server;
  let gateway: Served;

  beforeAll(async () => {
    upstream = createServer((request, response) => {
      requested.push(request.url ?? "");
      response.writeHead(500).end();
    });
    upstream.listen(0, "127.0.0.1");
    await once(upstream, "listening");
    const origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    // The token list service reads its lists at startup, without any call.
    const firstRequested = startedWith.length === 0 ? undefined : once(upstream, "request");
    gateway = await serve(origin);
    await firstRequested;
  });

  afterAll(async () => {
    await gateway.close();
    upstream.close();
  });

  const knocks = cases.flatMap((admissionRequest) =>
    admissionRequest.methods.map((called) => ({ ...admissionRequest, called, path: called.path })),
  );

  test.each(knocks)("$who is refused in the form of each protocol: $path", async ({ called, ...admissionRequest }) => {
    const refusals = refusalsOf(admissionRequest);
    const attempts = [...restAttempts(called.desc, refusals), ...rpcAttempts(called, refusals)].map(({ headers, ...attempt }) => ({
      ...attempt,
      headers: { "x-request-id": REQUEST_ID, ...admissionRequest.sent, ...headers },
    }));
    const label = ({ method, path, headers }: OpenRequest): string => `${method} ${path} ${headers["content-type"] ?? ""}`;
    const expected = attempts.map(({ refused, ...attempt }) => {
      const vary = attempt.method !== "POST" && { vary: "origin" };
      return [label(attempt), { ...refused, headers: { ...refused.headers, ...vary } }];
    });
    // A separate connection, because a server closes one on which too many requests are abandoned.
    const session = connect(gateway.origin);
    onTestFinished(() => session.close());
    const over1 = await Promise.all(attempts.map(async (attempt) => [label(attempt), await requestHttp1(gateway.port, attempt)]));
    const over2 = await Promise.all(attempts.map(async (attempt) => [label(attempt), await requestHttp2(session, attempt)]));
    expect(over1).toEqual(expected);
    expect(over2).toEqual(expected);
  });

  test("no upstream is called", () => {
    expect(requested).toEqual(startedWith);
  });
});
