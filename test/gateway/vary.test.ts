// The vary header names the request headers that a response depends on, even if they made no difference to this response.
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startWorld, type World } from "../fixtures/world.ts";

interface Requested {
  readonly what: string;
  readonly method?: "GET" | "HEAD" | "POST";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly vary: string | undefined;
  readonly encoding?: string;
}

const SCORE = "/farkle/v1/score?dice=1";
const COUNTRIES = "/radio/v1/countries";
const RPC = "/quintet.radio.v1.RadioService/ListCountries";
const CONNECT_GET = `${RPC}?connect=v1&encoding=json&message=%7B%7D`;
const GZIP = { "accept-encoding": "gzip" };
const IDENTITY = { "accept-encoding": "identity" };
const JSON_BODY = { headers: { "content-type": "application/json" }, body: "{}" };
const GRPC_BODY = {
  headers: { "content-type": "application/grpc-web+proto", "x-grpc-web": "1" },
  body: "\0\0\0\0\0",
};
const PAGE = { origin: "https://page.example" };

describe("vary names what a response depends on:", () => {
  let world: World;

  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.close());

  // Not fetch, which asks for compression by itself, and decompresses.
  const send = ({ method = "GET", path, headers, body }: Requested): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const sent = request(`${world.gateway.origin}${path}`, { method, agent: false, headers: { ...world.headers, ...headers } });
      sent.on("response", (response) => {
        response.resume();
        resolve({ vary: response.headers.vary, encoding: response.headers["content-encoding"] });
      });
      sent.on("error", reject);
      sent.end(body);
    });

  test.each<Requested>([
    { what: "REST, compressed", path: COUNTRIES, headers: GZIP, vary: "origin, accept, accept-encoding", encoding: "gzip" },
    { what: "REST, not compressed", path: COUNTRIES, headers: IDENTITY, vary: "origin, accept, accept-encoding" },
    { what: "REST, without accept-encoding", path: COUNTRIES, vary: "origin, accept, accept-encoding" },
    { what: "REST, too short to compress", path: SCORE, headers: GZIP, vary: "origin, accept-encoding" },
    {
      what: "REST, HEAD",
      method: "HEAD",
      path: COUNTRIES,
      headers: GZIP,
      vary: "origin, accept, accept-encoding",
      encoding: "gzip",
    },
    {
      what: "REST, from a page",
      path: COUNTRIES,
      headers: { ...PAGE, ...GZIP },
      vary: "origin, accept, accept-encoding",
      encoding: "gzip",
    },
    { what: "REST, a failure, which is never compressed", path: "/farkle/v1/score?dice=7", headers: GZIP, vary: "origin" },
    { what: "REST, POST, which no cache stores", method: "POST", path: COUNTRIES, ...JSON_BODY, vary: "accept, accept-encoding" },
    { what: "Connect's GET", path: CONNECT_GET, headers: GZIP, vary: "origin, accept-encoding", encoding: "gzip" },
    { what: "Connect's GET, not compressed", path: CONNECT_GET, headers: IDENTITY, vary: "origin, accept-encoding" },
    { what: "Connect's POST", method: "POST", path: RPC, ...JSON_BODY, vary: "accept-encoding" },
    { what: "gRPC-Web, whose messages are compressed in a frame", method: "POST", path: RPC, ...GRPC_BODY, vary: undefined },
    {
      what: "gRPC-Web from a page",
      method: "POST",
      path: RPC,
      ...GRPC_BODY,
      headers: { ...GRPC_BODY.headers, ...PAGE },
      vary: "origin",
    },
    { what: "nothing there", path: "/nowhere", vary: "origin" },
    { what: "a document of ours", path: "/openapi.json", vary: "origin, accept-encoding" },
  ])("$what", async (requested) => {
    expect(await send(requested)).toEqual({ vary: requested.vary, encoding: requested.encoding });
  });
});
