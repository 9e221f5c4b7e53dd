// Plans are applied while three servers on one PostgreSQL are called: each offers the new ones within a second, no call is wrongly refused,
// and every subscriber gets exactly the calls of their version.
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { moveDueSubscriptions } from "../../../src/account/offered-plans.ts";
import type { Plan } from "../../../src/catalogue/plan.ts";
import { loadPlans } from "../../../src/catalogue/plans.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { migrateStore } from "../../../src/store/open.ts";
import { type Gateway, startGateway } from "../../fixtures/gateway.ts";
import { type PostgresServer, postgres, startPostgres } from "../../fixtures/servers/postgres.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";

const KEPT = 300;
const MOVED = 600;
const CALLERS_PER_NODE = 3;

const farkle = (name: string, callsPerMonth: number, priceMinor = 0): Plan => ({
  ...(loadPlans(undefined).find("farkle", "pro") as Plan),
  ...{ name, callsPerMonth, priceMinor, requestsPerSecond: 100_000 },
});

describeWith(postgres, "Three servers on one PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  async function startNodes(): Promise<readonly Gateway[]> {
    const url = await server.createDatabase();
    await migrateStore({ dataDir: "/nonexistent", database: { url, connectionsMax: 2, staleAfterMs: 10_000 }, clock: systemClock });
    const nodes: Gateway[] = [];
    for (let count = 0; count < 3; count++) {
      const node = await startGateway({
        plans: {
          farkle: [
            { name: "free", callsPerMonth: KEPT, requestsPerSecond: 100_000 },
            { name: "pro", callsPerMonth: KEPT, requestsPerSecond: 100_000, priceMinor: 499 },
          ],
        },
        clock: systemClock,
        variables: { QUINTET_DATABASE_URL: url },
      });
      onTestFinished(() => node.close());
      nodes.push(node);
    }
    return nodes;
  }

  const status = async ({ origin }: Gateway, secret: string): Promise<number> => {
    const response = await fetch(`${origin}/farkle/v1/score?dice=1`, { headers: { "x-gateway-key": secret } });
    await response.arrayBuffer();
    return response.status;
  };

  const offered = async ({ origin }: Gateway): Promise<readonly string[]> => {
    const { data } = (await (await fetch(`${origin}/account/v1/plans?service=farkle`)).json()) as {
      data: { results: readonly { name: string; calls_per_month: number }[] };
    };
    return data.results.map(({ name, calls_per_month: calls }) => `${name} ${calls}`);
  };

  test("obey new plans within a second, refuse no call wrongly, and admit none over", async () => {
    const nodes = await startNodes();
    const [first] = nodes as [Gateway];
    const { store } = first;
    const kept = await first.makeCustomer({ farkle: "free" });
    const moved = await first.makeCustomer({ farkle: "pro" });
    const quotas = new Map([
      [kept.secret, KEPT],
      [moved.secret, MOVED],
    ]);
    const admitted = new Map([...quotas.keys()].map((secret) => [secret, 0]));
    const wrong: string[] = [];
    let hasChanged = false;
    // Calls until nothing is left. Before the change, it leaves room for the smaller version.
    const call = async (node: Gateway, secret: string): Promise<void> => {
      const quota = quotas.get(secret) as number;
      let refusals = 0;
      while (refusals < 3) {
        const before = admitted.get(secret) as number;
        if (!hasChanged && before > KEPT / 2) {
          await new Promise(setImmediate);
          continue;
        }
        const got = await status(node, secret);
        if (got === 200) {
          admitted.set(secret, (admitted.get(secret) as number) + 1);
        } else {
          // Servers hold at most a hundredth of the quota each, and there may be that many calls in flight.
          if (got !== 429 || (admitted.get(secret) as number) < quota - CALLERS_PER_NODE * nodes.length - 0.03 * quota) {
            wrong.push(`${got} after ${admitted.get(secret)} of ${quota}`);
          }
          refusals++;
        }
      }
    };
    const load = Promise.all(
      nodes.flatMap((node) =>
        [...quotas.keys()].flatMap((secret) => Array.from({ length: CALLERS_PER_NODE }, () => call(node, secret))),
      ),
    );
    await expect.poll(() => Math.min(...admitted.values())).toBeGreaterThan(KEPT / 4);
    const beginMs = performance.now();
    await store.applyPlans([farkle("free", 10), farkle("pro", MOVED, 599)]);
    await Promise.all(nodes.map((node) => expect.poll(() => offered(node), { interval: 10 }).toEqual(["free 10", `pro ${MOVED}`])));
    expect(performance.now() - beginMs).toBeLessThan(1000);
    expect((await store.scheduleMoves({ plan: "pro" }, systemClock.nowMs())).map(({ subscribers }) => subscribers)).toEqual([1]);
    expect(await moveDueSubscriptions(store)).toBe(false);
    expect((await store.acknowledged()).isComplete).toBe(true);
    hasChanged = true;
    await load;
    expect(wrong).toEqual([]);
    expect([...admitted]).toEqual([...quotas]);
  });
});
