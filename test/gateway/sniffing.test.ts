// Over REST no browser guesses what an answer is, whatever becomes of the call.
import { afterAll, beforeAll, expect, test } from "vitest";
import { startWorld, type World } from "../fixtures/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

test.each([
  { what: "an answer", path: "/farkle/v1/score?dice=1", status: 200 },
  { what: "a long answer, compressed", path: "/radio/v1/countries", status: 200 },
  { what: "a dry run", path: "/farkle/v1/score?dice=1", headers: { "x-quintet-dry-run": "true" }, status: 200 },
  { what: "bad input that is said back", path: "/farkle/v1/score?%3Cscript%3E=1", status: 400 },
  { what: "a refused key", path: "/farkle/v1/score?dice=1", headers: { "x-gateway-key": "<script>" }, status: 401 },
  { what: "an unknown path", path: "/farkle/v1/<script>", status: 404 },
])("$what says so", async ({ path, headers, status }) => {
  const answer = await fetch(`${world.gateway.origin}${path}`, { headers: { ...world.headers, ...headers } });
  await answer.body?.cancel();
  const { headers: seen } = answer;
  expect([answer.status, seen.get("content-type"), seen.get("x-content-type-options")]).toEqual([
    status,
    "application/json; charset=utf-8",
    "nosniff",
  ]);
});
