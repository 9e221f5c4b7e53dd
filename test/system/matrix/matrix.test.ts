// Each outcome of a call in each protocol, with real clients. Whole responses are compared.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, startGateway } from "../../fixtures/gateway.ts";
import type { Client } from "./client.ts";
import { connectGet } from "./clients/connect.ts";
import { CLIENTS } from "./clients.ts";
import { DICE, expectedSeen } from "./expectation.ts";
import { type Expected, PLANS, SCENARIOS, type Scenario } from "./scenarios.ts";

// If the input is in the URL, a large input makes a long URL, which is refused before the guard is called. And an unknown method is an
// unknown path like any other.
const URI_TOO_LONG: Expected = {
  kind: "problem",
  reason: "URI_TOO_LONG",
  restStatus: 414,
  connectStatus: 400,
  code: "invalid_argument",
  message: "The URL is longer than 8 KiB; send the input in the body of a POST instead.",
};
const NOTHING_HERE: Expected = {
  kind: "problem",
  reason: "METHOD_UNKNOWN",
  restStatus: 404,
  connectStatus: 404,
  code: "unimplemented",
  message: "There is nothing at this path; known paths: /farkle/v1/score; `/openapi.json` lists the API's paths.",
};
// The path of Connect's GET is not similar to any REST path.
const NOTHING_NEAR: Expected = {
  ...NOTHING_HERE,
  message: "There is nothing at this path; `/openapi.json` lists the API's paths.",
};

function expectation(client: Client, scenario: Scenario): ReturnType<typeof expectedSeen> {
  const { name, expected } = scenario;
  const isEnvelope = client.protocol === "rest" || client === connectGet;
  const nothing = client === connectGet ? NOTHING_NEAR : NOTHING_HERE;
  const plain =
    name === "unknown method" && isEnvelope ? nothing : name === "oversize body" && client.inUrl ? URI_TOO_LONG : expected;
  const { limits: _, ...unguarded } = scenario;
  const seen = expectedSeen(client, plain === URI_TOO_LONG ? unguarded : scenario, plain);
  if (client === connectGet && plain === nothing) {
    // A Connect client that gets an error envelope derives the code from the HTTP status.
    const { message, headers } = seen;
    return {
      ...seen,
      code: "unimplemented",
      message: message ?? "",
      headers: { ...headers, "content-type": "application/json; charset=utf-8", "x-content-type-options": "nosniff" },
      details: [],
    };
  }
  return seen;
}

// A dry run gets the response of the call, but uses nothing of the month's quota.
const asDryRun = ({ expected, limits, ...scenario }: Scenario): Scenario => ({
  ...scenario,
  expected: expected.kind === "score" ? { kind: "admitted" } : expected,
  ...(limits && { limits: scenario.callsBefore === undefined ? { ...limits, month: limits.month + 1 } : limits }),
});

// A number of dice that makes the URL too long, while the head still arrives in one piece, so that all its headers are known.
const URL_DICE = { rest: 4200, connect: 3000, "grpc-web": 0, grpc: 0 };

describe("every protocol has a response for every outcome", () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ plans: PLANS });
  });
  afterAll(() => gateway.close());

  describe.each(CLIENTS)("$name", (client) => {
    test.each(SCENARIOS)("$name", async (scenario) => {
      const { key, dice = DICE, method = "Score" } = await scenario.prepare(gateway);
      const sent = client.inUrl ? dice.slice(0, URL_DICE[client.protocol]) : dice;
      const call = { gateway, dice: sent, method, ...(key !== undefined && { key }) } as const;
      for (let before = 0; before < (scenario.callsBefore ?? 0); before += 1) {
        expect((await client.call(call)).code).toBe("ok");
      }
      expect(await client.call(call)).toEqual(expectation(client, scenario));
    });

    test.each(SCENARIOS)("$name, as a dry run", async (scenario) => {
      const { key, dice = DICE, method = "Score" } = await scenario.prepare(gateway);
      const sent = client.inUrl ? dice.slice(0, URL_DICE[client.protocol]) : dice;
      const call = { gateway, dice: sent, method, ...(key !== undefined && { key }) } as const;
      for (let before = 0; before < (scenario.callsBefore ?? 0); before += 1) {
        expect((await client.call(call)).code).toBe("ok");
      }
      expect(await client.call({ ...call, isDryRun: true })).toEqual(expectation(client, asDryRun(scenario)));
    });
  });
});
