// The REST peers, chosen by an argument: Fastify with an equal key lookup, @fastify/rate-limit, a compiled response schema and our
// envelope; bare Fastify, with only the schema; bare node:http with JSON.stringify, the lower bound; and the same with a search of the
// radio directory by undici, its bytes unpacked, parsed and written again, and nothing else.
import { createHash, randomUUID } from "node:crypto";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { toJson } from "@bufbuild/protobuf";
import rateLimit from "@fastify/rate-limit";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { Agent } from "undici";
import { Combination } from "../../gen/quintet/farkle/v1/farkle_pb.js";
import { StationSchema } from "../../gen/quintet/radio/v1/radio_pb.js";
import { generateKey } from "../../src/guard/keys/key.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { scoreRoll } from "../../src/services/farkle/score.ts";
import { ready } from "../ready.ts";
import { directoryPort, tlsContents, which } from "../server-options.ts";
import { benchStations } from "../stations.ts";

const secrets = Array.from({ length: 200 }, () => generateKey(systemRandomness).secret);
const keys = new Map(
  secrets.map((secret, index) => [createHash("sha256").update(secret).digest("hex"), { account: `bench ${index}` }]),
);
const known = new Map<string, { account: string }>();
const stations = benchStations(100).map((station) =>
  toJson(StationSchema, station, { useProtoFieldName: true, alwaysEmitImplicit: true }),
);

const envelope = (data: object, message: string): object => ({
  data,
  meta: { timestamp: new Date().toISOString(), request_id: randomUUID() },
  status: "ok",
  message,
  success: true,
});

function score(dice: string): object {
  const { points, combinations, deadDice } = scoreRoll(dice.split(",").map(Number));
  const breakdown = combinations.map((scored) => ({ ...scored, combination: `COMBINATION_${Combination[scored.combination]}` }));
  return envelope(
    { score: points, farkle: points === 0, hot_dice: deadDice.length === 0, breakdown, dead_dice: deadDice },
    "Roll scored",
  );
}

const search = (limit: number): object =>
  envelope(
    { count: limit, limit, offset: 0, filters: { order: "votes", reverse: true }, results: stations.slice(0, limit) },
    "Search completed",
  );

const string = { type: "string" } as const;
const integer = { type: "integer" } as const;
const wrap = (data: object): object => ({
  response: {
    200: {
      type: "object",
      properties: {
        data,
        meta: { type: "object", properties: { timestamp: string, request_id: string } },
        status: string,
        message: string,
        success: { type: "boolean" },
      },
    },
  },
});
const scoreSchema = wrap({
  type: "object",
  properties: {
    score: integer,
    farkle: { type: "boolean" },
    hot_dice: { type: "boolean" },
    breakdown: {
      type: "array",
      items: { type: "object", properties: { combination: string, dice: { type: "array", items: integer }, points: integer } },
    },
    dead_dice: { type: "array", items: integer },
  },
});
const stationSchema = {
  type: "object",
  properties: {
    ...Object.fromEntries(
      ["uuid", "name", "url", "favicon", "homepage", "codec", "country", "countrycode", "state", "language"].map((name) => [
        name,
        string,
      ]),
    ),
    ...Object.fromEntries(["bitrate", "votes", "clickcount"].map((name) => [name, integer])),
    tags: { type: "array", items: string },
    geo: { type: "object", properties: { lat: { type: "number" }, lon: { type: "number" } } },
  },
};
const searchSchema = wrap({
  type: "object",
  properties: {
    count: integer,
    limit: integer,
    offset: integer,
    filters: { type: "object", properties: { order: string, reverse: { type: "boolean" } } },
    results: { type: "array", items: stationSchema },
  },
});

async function lookUpKey(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const key = request.headers["x-gateway-key"];
  if (typeof key !== "string") {
    return reply.code(401).send({ message: "no key" });
  }
  // As in Quintet: hashed once, then remembered by the key itself.
  const principal = known.get(key) ?? keys.get(createHash("sha256").update(key).digest("hex"));
  if (principal === undefined) {
    return reply.code(401).send({ message: "bad key" });
  }
  known.set(key, principal);
}

function addRoutes(app: FastifyInstance): void {
  app.get<{ Querystring: { dice: string } }>("/farkle/v1/score", { schema: scoreSchema }, (request, reply) => {
    reply.send(score(request.query.dice));
  });
  app.get<{ Querystring: { limit: string } }>("/radio/v1/search", { schema: searchSchema }, (request, reply) => {
    reply.send(search(Number(request.query.limit)));
  });
}

async function serveFastify(guarded: boolean): Promise<void> {
  const app: FastifyInstance = tlsContents ? fastify({ https: tlsContents }) : fastify();
  if (guarded) {
    await app.register(rateLimit, {
      max: 10_000_000,
      timeWindow: 1000,
      hook: "preHandler",
      keyGenerator: (request) => String(request.headers["x-gateway-key"]),
    });
    app.addHook("onRequest", lookUpKey);
  }
  // In a plugin, so that the rate limit is on the routes.
  await app.register(async (scope) => addRoutes(scope));
  await app.listen({ host: "127.0.0.1", port: 0 });
  ready({ port: (app.server.address() as AddressInfo).port, keys: secrets });
}

function serveBare(): void {
  const answer: RequestListener = (request, response) => {
    const url = request.url ?? "";
    const value = url.startsWith("/farkle")
      ? score(url.slice(url.indexOf("dice=") + 5))
      : search(Number(/limit=(\d+)/.exec(url)?.[1]));
    sendJson(response, value);
  };
  const server = tlsContents === undefined ? createServer(answer) : createSecureServer(tlsContents, answer);
  server.listen(0, "127.0.0.1", () => ready({ port: (server.address() as AddressInfo).port }));
}

function sendJson(response: ServerResponse, value: object): void {
  const body = JSON.stringify(value);
  response.writeHead(200, { "content-type": "application/json; charset=utf-8", "content-length": Buffer.byteLength(body) });
  response.end(body);
}

const agent = new Agent({ connections: 24 });

// Requests one more from the directory than wanted, as Quintet does.
async function searchDirectory(query: URLSearchParams): Promise<object> {
  const { limit, bitrate_min = "0", bitrate_max = "4294967295", ...others } = Object.fromEntries(query);
  const wanted = {
    ...others,
    bitrateMin: bitrate_min,
    bitrateMax: bitrate_max,
    limit: String(Number(limit) + 1),
    hidebroken: "true",
  };
  const { body } = await agent.request({
    origin: `http://127.0.0.1:${directoryPort}`,
    method: "GET",
    path: `/json/stations/search?${new URLSearchParams(wanted)}`,
    headers: { "accept-encoding": "gzip" },
  });
  const rows = JSON.parse(gunzipSync(await body.bytes()).toString()) as readonly unknown[];
  const results = rows.slice(0, Number(limit));
  return envelope({ count: results.length, has_more: rows.length > results.length, results }, "Search completed");
}

function serveDirectory(): void {
  const server = createServer(async (request, response) => {
    sendJson(response, await searchDirectory(new URL(request.url ?? "", "http://localhost").searchParams));
  });
  server.listen(0, "127.0.0.1", () => ready({ port: (server.address() as AddressInfo).port }));
}

if (which === "bare") {
  serveBare();
} else if (which === "undici") {
  serveDirectory();
} else {
  await serveFastify(which === "fastify-guarded");
}
