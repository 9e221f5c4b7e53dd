// What a REST caller is told about a path that does not exist.

import type { Exchange } from "@quintet/http";
import { expect, test } from "vitest";
import { BitcoinService } from "../../gen/quintet/bitcoin/v1/bitcoin_pb.js";
import { FarkleService } from "../../gen/quintet/farkle/v1/farkle_pb.js";
import type { NoOperation } from "../../src/gateway/operation.ts";
import { compileRoutes } from "../../src/gateway/rest/routes.ts";
import { createRestDispatcher } from "../../src/gateway/rest-dispatcher.ts";
import { CUSTOMER_SERVICES } from "../fixtures/account-clients.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";

const methods = [BitcoinService, FarkleService, ...CUSTOMER_SERVICES].flatMap((service) => service.methods);
const rest = createRestDispatcher({
  routes: compileRoutes(methods),
  methods: new Map(),
  clock: createManualClock({ nowMs: 0 }),
  otherPaths: ["/mcp", "/openapi.json", "/"],
});

const BITCOIN = [...new Set(compileRoutes(BitcoinService.methods).rows.map(({ template }) => template))].join(", ");

test.each<readonly [string, string]>([
  ["/farkle/v1/scor", "; did you mean `/farkle/v1/score`?"],
  ["/farkle/score", "; did you mean `/farkle/v1/score`?"],
  ["/bitcoin/v1/puel", "; did you mean `/bitcoin/v1/puell`?"],
  // A word that no method has.
  ["/farkle/v1/best", "; known paths: /farkle/v1/score;"],
  ["/bitcoin/v1/current", `; known paths: ${BITCOIN};`],
  ["/bitcoin/", `; known paths: ${BITCOIN};`],
  ...["/mcp", "/openapi.json", "/farkle/v1/score", "/account/v1/keys", "/account/v1/keys/k_1"].map(
    (path) => [`${path}/`, `; did you mean \`${path}\`, without a slash at its end?`] as const,
  ),
  ["/mcp///", "; did you mean `/mcp`, without a slash at its end?"],
  // Too many to list.
  ["/account/v1/everything", ";"],
  ["/nothing", ";"],
  ["/", ";"],
])("at %s there is nothing%s", (path, hint) => {
  const found = rest.find({ method: "GET", path } as Exchange);
  expect(found).toMatchObject({
    problem: { reason: "METHOD_UNKNOWN", message: `There is nothing at this path${hint} \`/openapi.json\` lists the API's paths.` },
  });
});

test.each([
  "/register",
  "/token",
  "/authorize",
  "/mcp/register",
  "/.well-known/oauth-authorization-server",
  "/.well-known/oauth-authorization-server/mcp",
  "/.well-known/oauth-protected-resource/mcp",
  "/.well-known/openid-configuration",
  "/mcp/.well-known/openid-configuration",
])("at %s a client that wants OAuth reads in OAuth's form that there is none", (path) => {
  const found = rest.find({ method: "POST", path } as Exchange) as NoOperation;
  const responses: unknown[] = [];
  const exchange = { respond: (status: number, _: unknown, body: string) => responses.push([status, JSON.parse(body)]) };
  found.fail(exchange as unknown as Exchange, found.problem, {});
  expect(responses).toEqual([
    [
      404,
      {
        error: "invalid_request",
        error_description:
          "This server has no OAuth: send an API key in the x-gateway-key header, and check that it is complete and not revoked.",
      },
    ],
  ]);
});
