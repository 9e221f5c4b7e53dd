// Why the calls of a mesh principal are refused: each reason has its own message, which names the principal and what the operator can do.

import { hashSecret } from "@quintet/guard";
import { expect, test } from "vitest";
import type { Credential, Subscription } from "../../../src/store/records.ts";
import { createScene, credentialOf, NOON_MS, problemOf } from "../scene.ts";

const ACCOUNT = "mesh:checkout";
const MESH = { principal: "checkout", certificate: { validUntilMs: NOON_MS + 60_000 } };

const withKey = (key: Partial<Credential["key"]>) => credentialOf({ key, account: { name: ACCOUNT } });
const withSubscription = (subscription: Partial<Subscription>) => credentialOf({ subscription, account: { name: ACCOUNT } });

const RECREATE =
  "Ask the operator to delete the account mesh:checkout and to restart a server: it creates the account again at startup.";
const RADIO = { service: "radio" };

test.for<[what: string, credential: Credential | undefined, reason: string, message: string, metadata?: Record<string, string>]>([
  [
    "an account that was deleted",
    undefined,
    "SUBSCRIPTION_REQUIRED",
    "The principal checkout has no account. Ask the operator to restart a server: it creates the account at startup.",
    RADIO,
  ],
  [
    "a disabled credential",
    withKey({ disabled: true }),
    "KEY_REVOKED",
    "The credential of the principal checkout is disabled. Ask the operator to enable the key of the account mesh:checkout.",
  ],
  [
    "a revoked credential",
    withKey({ revokedAtMs: NOON_MS - 1, disabled: true }),
    "KEY_REVOKED",
    `The credential of the principal checkout has been revoked. ${RECREATE}`,
  ],
  [
    "an expired credential",
    withKey({ expiresAtMs: NOON_MS }),
    "KEY_EXPIRED",
    `The credential of the principal checkout expired at 2026-11-21T12:00:00Z. ${RECREATE}`,
  ],
  [
    "a credential for another service",
    withKey({ services: ["farkle"] }),
    "KEY_SERVICE_REFUSED",
    "The credential of the principal checkout may call farkle, not radio. Ask the operator to allow radio.",
    RADIO,
  ],
  [
    "a suspended account",
    credentialOf({ account: { name: ACCOUNT, suspended: true } }),
    "SUBSCRIPTION_REQUIRED",
    "The account of the principal checkout is suspended. Ask the operator to lift the suspension of mesh:checkout.",
    RADIO,
  ],
  [
    "a service without a plan",
    withSubscription({ service: "farkle" }),
    "SUBSCRIPTION_REQUIRED",
    "The principal checkout has no plan for radio. Ask the operator to add one to QUINTET_MESH_PRINCIPALS.",
    RADIO,
  ],
  [
    "a plan that is not active yet",
    withSubscription({ state: "requested", plan: "pro" }),
    "SUBSCRIPTION_REQUIRED",
    "The plan of the principal checkout for radio, pro, is not active yet. Ask the operator to activate it.",
    { service: "radio", plan: "pro" },
  ],
])("%s", async ([, credential, reason, message, metadata]) => {
  const scene = createScene();
  if (credential !== undefined) {
    scene.store.credentials.set(hashSecret(ACCOUNT), credential);
  }
  const problem = { reason, message, ...(metadata && { metadata }) };
  const call = { key: undefined, mesh: MESH };
  expect(problemOf(await scene.admit(call))).toEqual(problem);
  // The second call is refused from memory.
  expect(problemOf(await scene.admit(call))).toEqual(problem);
});
