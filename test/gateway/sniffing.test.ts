// Browsers must not guess the type of a REST response, a document, a page or a probe, whatever the outcome.
import { afterAll, beforeAll, expect, test } from "vitest";
import { startWorld, type World } from "../fixtures/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
  // The server is ready once it has tried its token lists, for which a call to them waits.
  await (await fetch(`${world.gateway.origin}/token-list/v1/lists`, { headers: world.headers })).body?.cancel();
});
afterAll(() => world.close());

const JSON_TYPE = "application/json; charset=utf-8";
const PAGE_TYPE = "text/html; charset=utf-8";
const asBrowser = { accept: "text/html" };

test.each([
  { what: "a response", path: "/farkle/v1/score?dice=1", status: 200, type: JSON_TYPE },
  { what: "a long response, compressed", path: "/radio/v1/countries", status: 200, type: JSON_TYPE },
  { what: "a dry run", path: "/farkle/v1/score?dice=1", headers: { "x-quintet-dry-run": "true" }, status: 200, type: JSON_TYPE },
  { what: "bad input that the error repeats", path: "/farkle/v1/score?%3Cscript%3E=1", status: 400, type: JSON_TYPE },
  {
    what: "a refused key",
    path: "/farkle/v1/score?dice=1",
    headers: { "x-gateway-key": "<script>" },
    status: 401,
    type: JSON_TYPE,
  },
  { what: "an unknown path", path: "/farkle/v1/<script>", status: 404, type: JSON_TYPE },
  { what: "a document", path: "/openapi.json", status: 200, type: "application/json" },
  { what: "a document in binary", path: "/descriptors.binpb", status: 200, type: "application/protobuf" },
  {
    what: "a document that the caller already has",
    path: "/openapi.json",
    headers: { "if-none-match": "*" },
    status: 304,
    type: null,
  },
  { what: "a method that a document does not accept", path: "/openapi.json", method: "POST", status: 405, type: JSON_TYPE },
  { what: "the front page", path: "/", status: 200, type: PAGE_TYPE },
  { what: "the page of the plans", path: "/plans", status: 200, type: PAGE_TYPE },
  { what: "a page of the dashboard", path: "/app", status: 200, type: PAGE_TYPE },
  { what: "a page of Explore", path: "/explore/stations", status: 200, type: PAGE_TYPE },
  { what: "the page of an unknown path", path: "/nowhere", headers: asBrowser, status: 404, type: PAGE_TYPE },
  { what: "a redirect", path: "/plans/", status: 308, type: null },
  { what: "a liveness probe", path: "/livez", status: 200, type: "application/json" },
  { what: "a readiness probe", path: "/readyz", status: 200, type: "application/json" },
])("$what is sent with its type and nosniff", async ({ path, method = "GET", headers, status, type }) => {
  const response = await fetch(`${world.gateway.origin}${path}`, {
    method,
    headers: { ...world.headers, ...headers },
    redirect: "manual",
  });
  await response.body?.cancel();
  const { headers: seen } = response;
  expect([response.status, seen.get("content-type"), seen.get("x-content-type-options")]).toEqual([status, type, "nosniff"]);
});
