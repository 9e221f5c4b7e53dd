// Measures how long a key that was revoked at one node still works at another.
import { createKey } from "../../src/account/keys.ts";
import { loadPlans } from "../../src/catalogue/plans.ts";
import { systemClock as clock } from "../../src/runtime/clock.ts";
import { createLog } from "../../src/runtime/log.ts";
import { systemRandomness as randomness } from "../../src/runtime/randomness.ts";
import { openStore, type StoreOptions } from "../../src/store/open.ts";
import { createGuard } from "../../test/fixtures/one-thread-guard.ts";
import { type Percentiles, percentilesOf } from "../percentiles.ts";

const METHOD = "quintet.farkle.v1.FarkleService/Score";

/** Milliseconds from the revocation until the other node's first refusal, for several keys of an account. */
export async function measureRevocation(
  options: Omit<StoreOptions, "role">,
  plansPath: string,
  accountId: string,
  rounds: number,
): Promise<Percentiles> {
  const one = await openStore({ ...options, role: "server" });
  const other = await openStore({ ...options, role: "server" });
  const guard = createGuard({ store: other, plans: loadPlans(plansPath), clock, log: createLog("silent") });
  const took: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const wish = { accountId, name: `round ${round}`, services: null, expiresAtMs: null };
    const { key, secret } = await createKey({ store: one, clock, randomness }, wish);
    const works = async (): Promise<boolean> => {
      const decision = await guard.admit({ key: secret, address: "127.0.0.1", service: "farkle", method: METHOD });
      if (decision.admitted) {
        decision.settle("OK");
      }
      return decision.admitted;
    };
    while (!(await works())) {
      await new Promise(setImmediate);
    }
    const fromMs = clock.monotonicMs();
    const revoked = one.revokeKey(key.id);
    while (await works()) {
      await new Promise(setImmediate);
    }
    took.push(clock.monotonicMs() - fromMs);
    await revoked;
  }
  await guard.close();
  await one.close();
  await other.close();
  return percentilesOf(took);
}
