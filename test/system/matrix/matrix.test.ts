// Each outcome of a call in each protocol, with real clients. Whole answers are compared.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, startGateway } from "../../fixtures/gateway.ts";
import type { Client } from "./client.ts";
import { connectGet } from "./clients/connect.ts";
import { CLIENTS } from "./clients.ts";
import { DICE, expectedSeen } from "./expectation.ts";
import { type Expected, PLANS, SCENARIOS, type Scenario } from "./scenarios.ts";

// Where the input is in the URL, a large input is a long URL, which is refused before the guard is asked. And an unknown method is an unknown path
// like any other.
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
  message: "There is nothing at this path; did you mean `/farkle/v1/score`? `/openapi.json` lists what there is.",
};
// The path of Connect's GET is not similar to any REST path.
const NOTHING_NEAR: Expected = { ...NOTHING_HERE, message: "There is nothing at this path; `/openapi.json` lists what there is." };

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

// A dry run says what the call would be told, but takes nothing of the month.
const asDryRun = ({ expected, limits, ...scenario }: Scenario): Scenario => ({
  ...scenario,
  expected: expected.kind === "score" ? { kind: "admitted" } : expected,
  ...(limits && { limits: scenario.callsBefore === undefined ? { ...limits, month: limits.month + 1 } : limits }),
});

describe("every protocol answers every outcome", () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ plans: PLANS });
  });
  afterAll(() => gateway.close());

  describe.each(CLIENTS)("$name", (client) => {
    test.each(SCENARIOS)("$name", async (scenario) => {
      const { key, dice = DICE, method = "Score" } = await scenario.prepare(gateway);
      // Longer than a URL may be, but short enough for the request line to be read.
      const sent = client.inUrl ? dice.slice(0, 4200) : dice;
      const call = { gateway, dice: sent, method, ...(key !== undefined && { key }) } as const;
      for (let before = 0; before < (scenario.callsBefore ?? 0); before += 1) {
        expect((await client.call(call)).code).toBe("ok");
      }
      expect(await client.call(call)).toEqual(expectation(client, scenario));
    });

    test.each(SCENARIOS)("$name, as a dry run", async (scenario) => {
      const { key, dice = DICE, method = "Score" } = await scenario.prepare(gateway);
      const sent = client.inUrl ? dice.slice(0, 4200) : dice;
      const call = { gateway, dice: sent, method, ...(key !== undefined && { key }) } as const;
      for (let before = 0; before < (scenario.callsBefore ?? 0); before += 1) {
        expect((await client.call(call)).code).toBe("ok");
      }
      expect(await client.call({ ...call, isDryRun: true })).toEqual(expectation(client, asDryRun(scenario)));
    });
  });
});
