// How pages call the server: by the Connect protocol, against the library's own server.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { callUnaryMethod } from "@connectrpc/connect-query-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ErrorInfoSchema } from "../../../gen/google/rpc/error_details_pb.js";
import { FarkleService } from "../../../gen/quintet/farkle/v1/farkle_pb.js";
import { TokenPriceService } from "../../../gen/quintet/tokenprice/v1/token_price_pb.js";
import { callStream, createBinaryTransport } from "../../../portal/api/binary-transport.ts";

const refusal = (): ConnectError =>
  new ConnectError("The key is not known.", Code.Unauthenticated, { "x-request-id": "one" }, [
    { desc: ErrorInfoSchema, value: { reason: "KEY_INVALID", domain: "quintet.example" } },
  ]);
const reasonOf = (error: unknown): string | undefined => ConnectError.from(error).findDetails(ErrorInfoSchema)[0]?.reason;

let server: Server;
let requests: { readonly type: string | undefined; readonly key: string | undefined }[] = [];
let isClosed = Promise.withResolvers<void>();
beforeAll(async () => {
  const handle = connectNodeAdapter({
    routes: (router) => {
      router.service(FarkleService, {
        score: ({ dice }) => {
          if (dice.length === 0) {
            throw refusal();
          }
          return { score: dice.length };
        },
      });
      router.service(TokenPriceService, {
        async *watchPrices({ tokens }, { signal }) {
          yield { missing: tokens };
          if (tokens[0] === "refused") {
            throw refusal();
          }
          if (tokens[0] === "endless") {
            await new Promise((resolve) => signal.addEventListener("abort", resolve));
            isClosed.resolve();
          }
          yield { missing: ["last"] };
        },
      });
    },
  });
  server = createServer((request, response) => {
    requests.push({ type: request.headers["content-type"], key: request.headers["x-gateway-key"]?.toString() });
    if (request.url?.startsWith("/cut") === true) {
      // One whole message, and then nothing that ends the stream.
      response.writeHead(200, { "content-type": "application/connect+proto" }).end(Buffer.from([0, 0, 0, 0, 0]));
    } else if (request.url?.startsWith("/proxy") === true) {
      response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad gateway</h1>");
    } else {
      handle(request, response);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const withKey: Interceptor = (next) => (request) => {
  request.header.set("x-gateway-key", "a key");
  return next(request);
};
const transportTo = (path = "") =>
  createBinaryTransport(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, [withKey]);

const score = (path: string, dice: number[]) => callUnaryMethod(transportTo(path), FarkleService.method.score, { dice });
async function watch(path: string, token: string, signal = new AbortController().signal) {
  const seen: string[] = [];
  try {
    for await (const { missing } of callStream(
      transportTo(path),
      TokenPriceService.method.watchPrices,
      { tokens: [token] },
      signal,
    )) {
      seen.push(missing.join());
    }
    return { seen };
  } catch (error) {
    return { seen, error: ConnectError.from(error) };
  }
}

test("a call sends and receives binary messages, and passes through the interceptors", async () => {
  requests = [];
  expect((await score("", [1, 5])).score).toBe(2);
  expect(requests).toEqual([{ type: "application/proto", key: "a key" }]);
});

test("a refused call throws the server's error with its details and headers", async () => {
  const error = ConnectError.from(await score("", []).catch((error: unknown) => error));
  expect([error.code, error.rawMessage, reasonOf(error), error.metadata.get("x-request-id")]).toEqual([
    Code.Unauthenticated,
    "The key is not known.",
    "KEY_INVALID",
    "one",
  ]);
});

test("a response of another server is an error with the code of its status", async () => {
  const error = ConnectError.from(await score("/proxy", [1]).catch((error: unknown) => error));
  expect([error.code, reasonOf(error)]).toEqual([Code.Unavailable, undefined]);
  expect((await watch("/proxy", "bitcoin")).error?.code).toBe(Code.Unavailable);
});

test("a stream yields each message and ends when the server ends it", async () => {
  expect(await watch("", "bitcoin")).toEqual({ seen: ["bitcoin", "last"] });
});

test("a stream throws the error that the server ends it with, after the messages before it", async () => {
  const { seen, error } = await watch("", "refused");
  expect([seen, error?.code, reasonOf(error)]).toEqual([["refused"], Code.Unauthenticated, "KEY_INVALID"]);
});

test("a stream that breaks off is an error", async () => {
  const { seen, error } = await watch("/cut", "bitcoin");
  expect([seen, error?.rawMessage]).toEqual([[""], "The stream ended without its last message."]);
});

test("a stream that is cancelled ends on the server too", async () => {
  isClosed = Promise.withResolvers();
  const left = new AbortController();
  const watching = (async () => {
    const stream = callStream(transportTo(), TokenPriceService.method.watchPrices, { tokens: ["endless"] }, left.signal);
    for await (const { missing } of stream) {
      expect(missing).toEqual(["endless"]);
      left.abort();
    }
  })().catch((error: unknown) => ConnectError.from(error).code);
  expect(await watching).toBe(Code.Canceled);
  await isClosed.promise;
});
