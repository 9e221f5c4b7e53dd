// The month's quota is exact when calls come in all protocols at once, even from several keys.

import { expect, onTestFinished, test } from "vitest";
import { createKey } from "../../../src/account/keys.ts";
import { systemRandomness } from "../../../src/runtime/randomness.ts";
import { startGateway } from "../../fixtures/gateway.ts";
import { CLIENTS } from "../matrix/clients.ts";
import { tally, verdictOf } from "./verdict.ts";

const CALLS_PER_MONTH = 500;
const CALLS_PER_CLIENT = 100;
const REFUSED = CLIENTS.length * CALLS_PER_CLIENT - CALLS_PER_MONTH;

test(`of ${CLIENTS.length * CALLS_PER_CLIENT} calls side by side in all protocols, exactly the plan's ${CALLS_PER_MONTH} are admitted`, async () => {
  const gateway = await startGateway({
    plans: { farkle: [{ name: "free", callsPerMonth: CALLS_PER_MONTH, requestsPerSecond: 100_000 }] },
  });
  onTestFinished(() => gateway.close());
  const { secret, key } = await gateway.makeCustomer({ farkle: "free" });
  const other = await createKey(
    { store: gateway.store, clock: gateway.clock, randomness: systemRandomness },
    { accountId: key.accountId, name: "other", services: null, expiresAtMs: null },
  );
  const calls = Array.from({ length: CALLS_PER_CLIENT }, (_, index) => (index % 2 === 0 ? secret : other.secret)).flatMap((key) =>
    CLIENTS.map(async (client) => verdictOf(client, await client.call({ gateway, key, dice: [1], method: "Score" }))),
  );
  expect(tally(await Promise.all(calls))).toEqual({ admitted: CALLS_PER_MONTH, QUOTA_EXCEEDED: REFUSED });

  const [subscription] = await gateway.store.listSubscriptions(key.accountId);
  const ids = [subscription?.id ?? ""];
  expect(await gateway.store.leasedCalls(ids, "2026-11")).toEqual([
    { subscriptionId: ids[0], month: "2026-11", leased: CALLS_PER_MONTH, credited: 0, raised: 0 },
  ]);
});

test("a caller's own mistakes count, and calls that an upstream failed do not", async () => {
  const gateway = await startGateway({
    plans: { radio: [{ name: "free", callsPerMonth: 10, requestsPerSecond: 100_000 }] },
  });
  onTestFinished(() => gateway.close());
  const { secret } = await gateway.makeCustomer({ radio: "free" });
  const statuses: number[] = [];
  const call = async (query: string): Promise<void> => {
    const response = await fetch(`${gateway.origin}/radio/v1/topvote?limit=${query}`, { headers: { "x-gateway-key": secret } });
    statuses.push(response.status);
  };
  for (let i = 0; i < 30; i++) {
    await call("5");
  }
  for (let i = 0; i < 12; i++) {
    await call("0");
  }
  expect(statuses).toEqual([...Array(30).fill(502), ...Array(10).fill(400), 429, 429]);
});
