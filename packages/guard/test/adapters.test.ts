// The same calls to the same guarded service behind connect-node over HTTP/1.1 and HTTP/2, in Fastify, and as a fetch handler.
import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage, type RequestListener } from "node:http";
import { connect, createServer as createHttp2Server } from "node:http2";
import { type AddressInfo, connect as connectSocket, type Server, type Socket } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { Code, ConnectError, type ConnectRouter, createClient, createConnectRouter, type Transport } from "@connectrpc/connect";
import { universalServerRequestFromFetch, universalServerResponseToFetch } from "@connectrpc/connect/protocol";
import { connectNodeAdapter, createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import fastify from "fastify";
import { describe, expect, onTestFinished, test } from "vitest";
import { ElizaService } from "../../../test/gen/eliza/v1/eliza_pb.js";
import { Guard, guardFetch, guardInterceptor, guardNode, KeyFormat, SqliteStore } from "../src/index.ts";
import { createManualClock } from "./manual-clock.ts";

const keys = new KeyFormat("ek_");
const MONTH = "2026-11";
const SAY = "/eliza.v1.ElizaService/Say";
const KEY_NOT_SENT = "send an API key in the x-api-key header";

function scene() {
  const errors: unknown[] = [];
  const db = new DatabaseSync(":memory:");
  const store = new SqliteStore(db);
  const guard = new Guard({
    store,
    keys,
    clock: createManualClock({ nowMs: Date.UTC(2026, 10, 29) }),
    onError: (error) => errors.push(error),
  });
  const options = { guard, serviceOf: ({ path }: { readonly path: string }) => (path === "/health" ? undefined : "eliza") };
  let bodyBytes = 0;
  const sockets: Socket[] = [];
  const routes = (router: ConnectRouter): void => {
    router.service(ElizaService, {
      say({ sentence }) {
        bodyBytes += sentence.length;
        const code = { broken: Code.Internal, wrong: Code.InvalidArgument }[sentence];
        if (code !== undefined) {
          throw new ConnectError(sentence, code);
        }
        return { sentence: `${guard.caller?.accountId} said: ${sentence}` };
      },
      async *introduce({ name }) {
        if (name === "nobody") {
          throw new ConnectError("nobody is there", Code.Internal);
        }
        yield { sentence: `Hello, ${name}, or ${guard.caller?.accountId}.` };
        if (name === "half") {
          throw new ConnectError("no more", Code.Internal);
        }
      },
    });
  };
  const addCustomer = (accountId: string, callsPerMonth = 100, requestsPerSecond = 100): string => {
    const { secret, hash } = keys.generate("ek_");
    store.addKey(accountId, { hash });
    store.subscribe(accountId, "eliza", { name: "free", requestsPerSecond, callsPerMonth });
    return secret;
  };
  const router = { routes, interceptors: [guardInterceptor(options)] };
  const watch = (server: Server): void => void server.on("connection", (socket: Socket) => sockets.push(socket));
  const bytesRead = (): number => sockets.reduce((sum, socket) => sum + socket.bytesRead, 0);
  return { errors, db, store, guard, options, router, addCustomer, bodyBytes: () => bodyBytes, watch, bytesRead };
}

type Scene = ReturnType<typeof scene>;

async function listening(server: Server, here?: Scene): Promise<string> {
  here?.watch(server);
  server.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const behindNode = ({ options, router }: Scene): RequestListener => {
  const protect = guardNode(options);
  const handle = connectNodeAdapter(router);
  return (request, response) => protect(request, response, () => handle(request, response));
};

// What Deno, Bun and others do for a fetch handler.
const overFetch =
  (handle: (request: Request) => Promise<Response>): RequestListener =>
  async (request, response) => {
    const headers = new Headers(Object.entries(request.headers) as [string, string][]);
    const body = ["GET", "HEAD"].includes(request.method as string) ? null : (request as unknown as BodyInit);
    const init = { method: request.method as string, headers, body, duplex: "half" } as RequestInit;
    const answer = await handle(new Request(`http://${request.headers.host}${request.url}`, init));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    for await (const chunk of answer.body ?? []) {
      response.write(chunk);
    }
    response.end();
  };

function fetchHandlerOf({ options, router: { routes, ...more } }: Scene): (request: Request) => Promise<Response> {
  const router = createConnectRouter(more);
  routes(router);
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
  return guardFetch(options, async (request) => {
    const handler = handlers.get(new URL(request.url).pathname);
    return handler === undefined
      ? new Response(null, { status: 404 })
      : universalServerResponseToFetch(await handler(universalServerRequestFromFetch(request, {})));
  });
}

const SERVERS: Readonly<Record<string, (all: Scene) => Promise<string>>> = {
  "connect-node": (all) => listening(createServer(behindNode(all)), all),
  "connect-node over HTTP/2": (all) => listening(createHttp2Server(behindNode(all) as never), all),
  async Fastify(all) {
    const { options, router } = all;
    const server = fastify();
    all.watch(server.server);
    const protect = guardNode(options);
    server.addHook("onRequest", (request, reply, done) => protect(request.raw, reply.raw, done));
    const handle = connectNodeAdapter(router);
    server.removeAllContentTypeParsers();
    server.addContentTypeParser("*", (_request, _body, done) => done(null));
    server.all("/*", (request, reply) => {
      reply.hijack();
      handle(request.raw, reply.raw);
    });
    onTestFinished(() => server.close());
    return server.listen({ port: 0, host: "127.0.0.1" });
  },
  "a fetch handler": (all) => listening(createServer(overFetch(fetchHandlerOf(all)))),
};

// Each RPC protocol that can be spoken with a server.
const transportsOf = (name: string, baseUrl: string): readonly Transport[] =>
  name === "connect-node over HTTP/2"
    ? [createGrpcTransport({ baseUrl }), createConnectTransport({ baseUrl, httpVersion: "2" })]
    : [createConnectTransport({ baseUrl, httpVersion: "1.1" }), createGrpcWebTransport({ baseUrl, httpVersion: "1.1" })];

const errorOf = async (call: Promise<unknown>): Promise<ConnectError> =>
  call.then(
    () => {
      throw new Error("it was not refused");
    },
    (error) => ConnectError.from(error),
  );

const all = async <Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> => Array.fromAsync(items);

describe.each(Object.keys(SERVERS))("behind %s", (name) => {
  const start = SERVERS[name] as (all: Scene) => Promise<string>;

  test("each RPC protocol's client is admitted with a key, and told in its own form why not", async () => {
    const here = scene();
    const origin = await start(here);
    const key = here.addCustomer("ada");
    const { secret: unsubscribed, hash } = keys.generate("ek_");
    here.store.addKey("bob", { hash });
    const limited = here.addCustomer("cyd", 100, 1);
    await here.guard.admit({ key: limited, service: "eliza" });
    const used = here.addCustomer("dan", 0);
    for (const transport of transportsOf(name, origin)) {
      const { say, introduce } = createClient(ElizaService, transport);
      const withKey = (value: string) => ({ headers: { "x-api-key": value } });
      const refusalsOf = async (options: object): Promise<readonly string[]> => {
        const errors = [await errorOf(say({ sentence: "hi" }, options)), await errorOf(all(introduce({ name: "Ada" }, options)))];
        return errors.map(({ code, rawMessage, details }) => {
          const [{ type, value } = { type: "", value: new Uint8Array() }] = details as { type: string; value: Uint8Array }[];
          // The reason is the first field.
          const reason = Buffer.from(value).toString("latin1", 2, 2 + (value[1] ?? 0));
          return `${Code[code]}: ${rawMessage} (${type} ${reason})`;
        });
      };
      let headers = new Headers();
      const said = await say({ sentence: "hi" }, { ...withKey(key), onHeader: (received) => (headers = received) });
      expect([said.sentence, (await all(introduce({ name: "Ada" }, withKey(key))))[0]?.sentence]).toEqual([
        "ada said: hi",
        "Hello, Ada, or ada.",
      ]);
      expect(headers.get("ratelimit-policy")).toBe('"second";q=100;w=1;quintet-burst=100, "month";q=100;w=2592000');
      const twice = (text: string): readonly string[] => [text, text];
      expect([
        await refusalsOf({}),
        await refusalsOf(withKey(unsubscribed)),
        await refusalsOf(withKey(limited)),
        await refusalsOf(withKey(used)),
      ]).toEqual([
        twice(`Unauthenticated: ${KEY_NOT_SENT} (google.rpc.ErrorInfo KEY_MISSING)`),
        twice("PermissionDenied: the account has no subscription to eliza (google.rpc.ErrorInfo SUBSCRIPTION_REQUIRED)"),
        twice("ResourceExhausted: the plan allows 1 request per second; retry in 1 s (google.rpc.ErrorInfo RATE_LIMITED)"),
        twice("ResourceExhausted: the plan's 0 calls for 2026-11 are used up (google.rpc.ErrorInfo QUOTA_EXCEEDED)"),
      ]);
    }
  });

  test("what the server fails is refunded, and what the caller gets wrong is not", async () => {
    const here = scene();
    const origin = await start(here);
    const key = here.addCustomer("ada");
    const [transport] = transportsOf(name, origin) as readonly [Transport];
    const { say, introduce } = createClient(ElizaService, transport);
    const options = { headers: { "x-api-key": key } };
    const charged: number[] = [];
    const calls: readonly (() => Promise<unknown>)[] = [
      () => say({ sentence: "hi" }, options),
      () => say({ sentence: "broken" }, options),
      () => say({ sentence: "wrong" }, options),
      () => all(introduce({ name: "Ada" }, options)),
      () => all(introduce({ name: "nobody" }, options)),
      () => all(introduce({ name: "half" }, options)),
    ];
    for (const call of calls) {
      await call().catch(() => {});
      charged.push(here.store.callsOf("ada", "eliza", MONTH));
    }
    expect(charged).toEqual([1, 1, 2, 3, 3, 4]);
  });

  // A fetch handler cannot stop what its server reads: see below.
  test.skipIf(name === "a fetch handler")(
    "of a body of 1 MB, next to nothing is read if the key is bad, and all of it otherwise",
    async () => {
      const here = scene();
      const origin = await start(here);
      const { hostname, port } = new URL(origin);
      const body = JSON.stringify({ sentence: "a".repeat(1_000_000) });
      const send = (key: string): Promise<unknown> => {
        const headers = { "content-type": "application/json", "x-api-key": key };
        return new Promise((resolve) => {
          if (name === "connect-node over HTTP/2") {
            const session = connect(origin);
            onTestFinished(() => session.destroy());
            const stream = session.request({ ":method": "POST", ":path": SAY, ...headers });
            stream.on("error", () => {});
            stream.once("response", (received) => resolve(received[":status"]));
            stream.end(body);
          } else {
            const request = httpRequest({ hostname, port, method: "POST", path: SAY, headers });
            request.on("error", () => {});
            request.once("response", ({ statusCode }) => resolve(statusCode));
            request.end(body);
          }
        });
      };
      expect([await send("bad"), here.bodyBytes()]).toEqual([401, 0]);
      const read = here.bytesRead();
      expect(read).toBeLessThan(body.length / 2);
      expect([await send(here.addCustomer("ada")), here.bodyBytes()]).toEqual([200, 1_000_000]);
      expect(here.bytesRead() - read).toBeGreaterThan(body.length);
    },
  );

  test("REST clients get the status of the reason, and Connect's its own", async () => {
    const here = scene();
    const origin = await start(here);
    const { secret: unsubscribed, hash } = keys.generate("ek_");
    here.store.addKey("bob", { hash });
    const send = async (headers: Readonly<Record<string, string>>): Promise<unknown> => {
      if (name === "connect-node over HTTP/2") {
        const session = connect(origin);
        const stream = session.request({ ":method": "POST", ":path": SAY, "content-type": "application/json", ...headers });
        stream.end("{}");
        return new Promise((resolve) =>
          stream.once("response", (received) => {
            session.destroy();
            resolve(received[":status"]);
          }),
        );
      }
      return (
        await fetch(`${origin}${SAY}`, { method: "POST", body: "{}", headers: { "content-type": "application/json", ...headers } })
      ).status;
    };
    const connectVersion = { "connect-protocol-version": "1" };
    const limited = here.addCustomer("dan", 0);
    expect([
      await send({}),
      await send({ "x-api-key": unsubscribed }),
      await send({ "x-api-key": unsubscribed, ...connectVersion }),
      await send({ "x-api-key": limited }),
    ]).toEqual([401, 402, 403, 429]);
  });
});

test("a path without a method is refunded, and an open one needs no key", async () => {
  const here = scene();
  const origin = await listening(createServer(behindNode(here)));
  const headers = { "x-api-key": here.addCustomer("ada") };
  const unknown = await fetch(`${origin}/unknown`, { headers });
  const wrong = await fetch(`${origin}${SAY}`, { method: "PUT", headers });
  const open = await fetch(`${origin}/health`);
  expect([unknown.status, wrong.status, open.status, here.store.callsOf("ada", "eliza", MONTH)]).toEqual([404, 405, 404, 0]);
});

test("a client that waits for 100 Continue does not send the body of a refused request", async () => {
  const here = scene();
  const server = createServer(behindNode(here));
  const protect = guardNode(here.options);
  const handle = connectNodeAdapter(here.router);
  server.on("checkContinue", (request, response) =>
    protect(request, response, () => {
      response.writeContinue();
      handle(request, response);
    }),
  );
  const origin = await listening(server);
  const send = (headers: Readonly<Record<string, string>>) =>
    new Promise<readonly [status: number, sent: boolean]>((resolve, reject) => {
      let sent = false;
      const request = httpRequest(`${origin}${SAY}`, {
        method: "POST",
        headers: { "content-type": "application/json", expect: "100-continue", ...headers },
      });
      request.on("continue", () => {
        sent = true;
        request.end('{"sentence":"hi"}');
      });
      request.on("response", (response: IncomingMessage) => {
        response.resume();
        resolve([response.statusCode as number, sent]);
        request.destroy();
      });
      request.on("error", reject);
      request.flushHeaders();
    });
  expect([await send({}), await send({ "x-api-key": here.addCustomer("ada") })]).toEqual([
    [401, false],
    [200, true],
  ]);
});

test("the interceptor by itself admits calls, in any server of Connect", async () => {
  const here = scene();
  const origin = await listening(createServer(connectNodeAdapter(here.router)));
  const { say, introduce } = createClient(ElizaService, createConnectTransport({ baseUrl: origin, httpVersion: "1.1" }));
  const headers = { "x-api-key": here.addCustomer("ada", 3) };
  const refused = await errorOf(say({ sentence: "hi" }));
  expect([refused.code, refused.rawMessage]).toEqual([Code.Unauthenticated, KEY_NOT_SENT]);
  let limits: string | null = null;
  const said = await say({ sentence: "hi" }, { headers, onHeader: (received) => (limits = received.get("ratelimit")) });
  expect([said.sentence, limits]).toEqual(["ada said: hi", expect.stringContaining('"month";r=2;')]);
  expect(await all(introduce({ name: "Ada" }, { headers }))).toMatchObject([{ sentence: "Hello, Ada, or ada." }]);
  await errorOf(say({ sentence: "broken" }, { headers }));
  await say({ sentence: "hi" }, { headers });
  const used = await errorOf(say({ sentence: "hi" }, { headers }));
  expect([used.code, used.metadata.get("ratelimit"), used.metadata.get("retry-after")]).toEqual([
    Code.ResourceExhausted,
    expect.stringContaining('"month";r=0;'),
    String(2 * 86_400),
  ]);
});

test("with the authorization header, the key follows Bearer", async () => {
  const here = scene();
  const handle = guardFetch({ ...here.options, keyHeader: "authorization" }, () => new Response("ok"));
  const key = here.addCustomer("ada");
  const send = async (authorization: string) => (await handle(new Request("http://a/b", { headers: { authorization } }))).status;
  expect([await send(`Bearer ${key}`), await send(`bearer ${key}`), await send("Bearer x"), await send("Basic eDp5")]).toEqual([
    200, 200, 401, 401,
  ]);
});

test("a fetch handler's guard leaves the body of a refused request alone", async () => {
  const here = scene();
  let pulled = 0;
  const body = new ReadableStream(
    {
      pull(controller) {
        pulled++;
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const request = new Request(`http://a${SAY}`, { method: "POST", body, duplex: "half" } as RequestInit);
  const { status } = await fetchHandlerOf(here)(request);
  expect([status, pulled, request.bodyUsed]).toEqual([401, 0, false]);
});

test("what a handler throws is a refunded error of the server, not its end", async () => {
  const here = scene();
  const key = here.addCustomer("ada");
  const origin = await listening(createServer(behindNode(here)));
  // connect-node throws for HTTP/1.0 without a host.
  const socket = connectSocket(Number(new URL(origin).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.write(`POST ${SAY} HTTP/1.0\r\nx-api-key: ${key}\r\n\r\n`);
  const [text] = (await once(socket, "data")) as [Buffer];
  const broken = guardFetch(here.options, () => {
    throw new Error("broken");
  });
  await expect(broken(new Request("http://a/b", { headers: { "x-api-key": key } }))).rejects.toThrow("broken");
  expect([text.toString().slice(0, 12), here.errors.length, here.store.callsOf("ada", "eliza", MONTH)]).toEqual([
    "HTTP/1.1 500",
    1,
    0,
  ]);
});
