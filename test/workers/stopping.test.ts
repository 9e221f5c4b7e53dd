// The order in which a worker stops: its counts are written first.
import { expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../src/runtime/clock.ts";
import { FARKLE } from "../../src/services/farkle/definition.ts";
import { openStore } from "../../src/store/open.ts";
import { startGateway } from "../fixtures/gateway.ts";
import { temporaryDirectory } from "../fixtures/temporary-directory.ts";

test("the counts of usage are written before the services close, so that a service that is slow to close does not lose them", async () => {
  const dataDir = temporaryDirectory();
  const { create } = FARKLE;
  const written: number[][] = [];
  const creation = vi.spyOn(FARKLE, "create").mockImplementation(async (...given) => {
    const service = await create(...given);
    const close = async (): Promise<void> => {
      const store = await openStore({ dataDir, clock: systemClock, role: "command" });
      written.push((await store.usageRows(query)).rows.map(({ calls }) => calls));
      await store.close();
      await service.close();
    };
    return { ...service, close };
  });
  onTestFinished(() => creation.mockRestore());
  const gateway = await startGateway({ dataDir, clock: systemClock });
  const { secret, key } = await gateway.makeCustomer({ farkle: "free" });
  const all = { groupBy: [], refunded: [], limit: 10, offset: 0, countsMax: 10 } as const;
  const query = { accountId: key.accountId, fromDay: "2026-11-01", toDay: "2126-11-01", ...all };
  const response = await fetch(`${gateway.origin}/farkle/v1/score?dice=1`, { headers: { "x-gateway-key": secret } });
  expect(response.status).toBe(200);
  await gateway.close();
  expect(written).toEqual([[1]]);
});
