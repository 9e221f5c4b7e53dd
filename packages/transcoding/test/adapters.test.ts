// The same requests to the same service behind connect-node over HTTP/1.1 and HTTP/2, in Fastify, and as a fetch handler.
import { createServer, type RequestListener } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { Code, ConnectError, type ConnectRouter, createClient, type Interceptor } from "@connectrpc/connect";
import { connectNodeAdapter, createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import fastify from "fastify";
import { describe, expect, onTestFinished, test } from "vitest";
import { ElizaService } from "../../../test/gen/eliza/v1/eliza_pb.js";
import { restFetchHandler, restNodeAdapter } from "../src/index.ts";

const routes = (router: ConnectRouter): void => {
  router.service(ElizaService, {
    say({ sentence, times }, { responseHeader }) {
      if (sentence === "") {
        throw new ConnectError("say something", Code.FailedPrecondition, { "x-hint": "speak" });
      }
      // A header cannot have a control character, but the Fetch API accepts one.
      responseHeader.set("x-heard", sentence === "bell" ? "\u0007" : String(sentence.length));
      return { sentence: `You said: ${sentence.repeat(times || 1)}` };
    },
    async *introduce({ name }) {
      yield { sentence: `Hello, ${name}.` };
      yield { sentence: "I am Eliza." };
      if (name === "nobody") {
        throw new ConnectError("nobody is there", Code.NotFound);
      }
    },
  });
};

/** Lets only those call who say the word. */
const guard: Interceptor = (next) => (request) => {
  if (request.header.get("x-word") === "wrong") {
    throw new ConnectError("the word is wrong", Code.Unauthenticated);
  }
  return next(request);
};
const options = { routes, interceptors: [guard], bodyBytesMax: 1000 };

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

type Send = (method: string, path: string, headers?: Readonly<Record<string, string>>, body?: string) => Promise<Answer>;

const over =
  (port: number): Send =>
  async (method, path, headers = {}, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, ...(body !== undefined && { body }) });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

async function listening(handle: RequestListener): Promise<number> {
  const server = createServer(handle).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  return (server.address() as AddressInfo).port;
}

const SERVERS: Readonly<Record<string, () => Promise<Send>>> = {
  "connect-node": async () => over(await listening(connectNodeAdapter({ ...options, fallback: restNodeAdapter(options) }))),
  Fastify: async () => {
    const server = fastify();
    const rest = restNodeAdapter(options);
    server.removeAllContentTypeParsers();
    server.addContentTypeParser("*", (_request, _body, done) => done(null));
    server.all("/*", (request, reply) => {
      reply.hijack();
      return rest(request.raw, reply.raw);
    });
    onTestFinished(() => server.close());
    await server.listen({ port: 0, host: "127.0.0.1" });
    return over((server.server.address() as AddressInfo).port);
  },
  "a fetch handler": async () => {
    const handle = restFetchHandler(options);
    return async (method, path, headers = {}, body) => {
      const init = { method, headers, ...(body !== undefined && { body }) };
      const response = await handle(new Request(`http://127.0.0.1${path}`, init));
      return { status: response.status, headers: response.headers, text: await response.text() };
    };
  },
};

test.each(["connect-node", "Fastify"])("behind %s a header that cannot be sent is an error on our side", async (name) => {
  const send = await (SERVERS[name] as () => Promise<Send>)();
  const { status, text } = await send("GET", "/v1/say/bell");
  expect({ status, text }).toEqual({ status: 500, text: error("internal", "the response cannot be sent") });
  expect((await send("GET", "/v1/say/hi")).status).toBe(200);
});

const JSON_HEADERS = { "content-type": "application/json" };
const said = (sentence: string): string => JSON.stringify({ sentence: `You said: ${sentence}` });
const error = (code: string, message: string, more: object = {}): string => JSON.stringify({ code, message, ...more });

describe.each(Object.keys(SERVERS))("behind %s", (name) => {
  const start = SERVERS[name] as () => Promise<Send>;

  test.each<[what: string, method: string, path: string, body: string | undefined, status: number, text: string]>([
    ["a body", "POST", "/v1/say", '{"sentence":"hi","times":2}', 200, said("hihi")],
    ["a query", "POST", "/v1/say?sentence=hi", undefined, 200, said("hi")],
    ["a path variable", "GET", "/v1/say/hi%2Fho?times=2", undefined, 200, said("hi/hohi/ho")],
    ["several segments", "GET", "/v1/answers/a/b", undefined, 200, JSON.stringify("You said: a/b")],
    ["a stream", "GET", "/v1/introductions/Ada", undefined, 200, '{"sentence":"Hello, Ada."}\n{"sentence":"I am Eliza."}\n'],
    [
      "a stream that fails",
      "GET",
      "/v1/introductions/nobody",
      undefined,
      200,
      `{"sentence":"Hello, nobody."}\n{"sentence":"I am Eliza."}\n{"error":${error("not_found", "nobody is there")}}\n`,
    ],
    ["an error of the handler", "POST", "/v1/say", "{}", 400, error("failed_precondition", "say something")],
    ["a path without a rule", "GET", "/v2/say", undefined, 404, error("not_found", "there is no /v2/say")],
    ["another method", "DELETE", "/v1/say", undefined, 405, error("unimplemented", "/v1/say has only POST")],
    [
      "a long body",
      "POST",
      "/v1/say",
      `"${"a".repeat(1000)}"`,
      429,
      error("resource_exhausted", "the body is longer than 1000 bytes"),
    ],
  ])("%s gets the response that it should", async (_, method, path, body, status, text) => {
    const send = await start();
    const answer = await send(method, path, body === undefined ? {} : JSON_HEADERS, body);
    expect({ status: answer.status, text: answer.text }).toEqual({ status, text });
  });

  // Fastify refuses such a path itself.
  test.skipIf(name === "Fastify")("a path that is not percent-encoded UTF-8 is refused", async () => {
    const { status, text } = await (await start())("GET", "/v1/say/%ff");
    expect([status, text]).toEqual([400, error("invalid_argument", "the path must be percent-encoded UTF-8")]);
  });

  test("wrong fields are named, and described as google.rpc.BadRequest", async () => {
    const { status, text } = await (await start())("POST", "/v1/say", JSON_HEADERS, '{"times":"x","sentense":"hi"}');
    const [times, sentense] = [
      'must be a whole number from -2147483648 to 2147483647, not "x"',
      'is an unknown field; did you mean "sentence"?',
    ];
    const { code, message, details } = JSON.parse(text);
    expect({ status, code, message, details }).toEqual({
      status: 400,
      code: "invalid_argument",
      message: `times ${times}; sentense ${sentense}`,
      details: [
        {
          type: "google.rpc.BadRequest",
          value: expect.any(String),
          debug: {
            fieldViolations: [
              { field: "times", description: times },
              { field: "sentense", description: sentense },
            ],
          },
        },
      ],
    });
    expect(Buffer.from(details[0].value, "base64").toString("latin1")).toContain("sentense");
  });

  test("the router's interceptors and the handler's headers apply", async () => {
    const send = await start();
    const refused = await send("GET", "/v1/say/hi", { "x-word": "wrong" });
    const heard = await send("GET", "/v1/say/hi");
    const failed = await send("POST", "/v1/say", JSON_HEADERS, "{}");
    const wrong = await send("DELETE", "/v1/say/hi");
    const text = await send("POST", "/v1/say", { "content-type": "text/plain" }, "hi");
    expect([refused.status, refused.text, heard.headers.get("x-heard"), failed.headers.get("x-hint")]).toEqual([
      401,
      error("unauthenticated", "the word is wrong"),
      "2",
      "speak",
    ]);
    expect([wrong.status, wrong.headers.get("allow"), text.status]).toEqual([405, "GET, HEAD", 415]);
  });
});

test("over HTTP/2, connect-node serves gRPC, Connect and REST on one port", async () => {
  const server = createHttp2Server(connectNodeAdapter({ ...options, fallback: restNodeAdapter(options) })).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const transports = [createGrpcTransport({ baseUrl }), createConnectTransport({ baseUrl, httpVersion: "2" })];
  const sentences = await Promise.all(transports.map((transport) => createClient(ElizaService, transport).say({ sentence: "hi" })));
  const { connect } = await import("node:http2");
  const session = connect(baseUrl);
  onTestFinished(() => session.destroy());
  const stream = session.request({ ":path": "/v1/say?times=2", ":method": "POST", "content-type": "application/json" });
  stream.end('{"sentence":"hi"}');
  let text = "";
  for await (const chunk of stream) {
    text += chunk;
  }
  expect([...sentences.map(({ sentence }) => sentence), text]).toEqual(["You said: hi", "You said: hi", said("hihi")]);
});
