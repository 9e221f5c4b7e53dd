// Buckets that many nodes use, and callers who call much less than their plan allows, in simulated time.
import { describe, expect, test } from "vitest";
import { redis } from "../../fixtures/servers/redis.ts";
import { sharedRedis } from "../../fixtures/servers/redis-client.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { callNodes, type Fault, isDuring } from "./simulated-caller.ts";

const QUIET_MS = 9000;
const OUTAGE = { fromMs: 12_000, durationMs: 7000, runMs: 22_000 };
const isWell: Fault = () => {};

/** What happens before a caller who called seldom bursts. */
const EARLIER_FAULTS: Readonly<Record<string, Fault>> = {
  "has been well": isWell,
  "was silent for 1.5 s": ({ simulation }, elapsedMs) => {
    simulation.isPaused = isDuring(elapsedMs, 1500, 4000);
  },
  "was out of memory until then": ({ links }, elapsedMs) => {
    for (const link of links) {
      link.isRefusing = isDuring(elapsedMs, QUIET_MS - 4000, 4000);
    }
  },
  "was cut off from a node": ({ links: [first] }, elapsedMs) => {
    if (first !== undefined) {
      first.isCut = isDuring(elapsedMs, 5000, 2000);
    }
  },
};

describeWith(redis, "Nodes that share a bucket", () => {
  const client = sharedRedis();
  const sendCommand = (command: string[]): Promise<unknown> => client().sendCommand(command);

  describe.each(Object.entries(EARLIER_FAULTS))("admit no burst beyond the plan after quiet seconds, when Redis %s", (_, fault) => {
    test.each([3, 10, 30].flatMap((nodes) => [20, 49, 100].map((rate) => ({ nodes, rate }))))(
      "$nodes nodes, $rate/s",
      async ({ nodes, rate }) => {
        const pace = (elapsedMs: number): number => (elapsedMs < QUIET_MS ? 0.2 : 5);
        const { worstPercent } = await callNodes(sendCommand, { nodes, rate, pace, fault, seed: 1 });
        expect(worstPercent).toBeLessThanOrEqual(110);
      },
    );
  });

  const isOut: Fault = ({ links }, elapsedMs) => {
    for (const link of links) {
      link.isRefusing = isDuring(elapsedMs, OUTAGE.durationMs, OUTAGE.fromMs);
    }
  };
  test.each([3, 4].flatMap((nodes) => [0.05, 0.1, 0.25, 0.5].map((pace) => ({ nodes, pace }))))(
    "refuse 3% of a caller at $pace of 20/s at most on $nodes nodes while Redis is out of memory for 7 s",
    async ({ nodes, pace }) => {
      for (const seed of [1, 2, 3]) {
        const options = { nodes, rate: 20, pace: () => pace, fault: isOut, seed, runMs: OUTAGE.runMs };
        const { refusedPercent } = await callNodes(sendCommand, options);
        expect(refusedPercent).toBeLessThanOrEqual(3);
      }
    },
  );

  test.each([3, 4, 10].flatMap((nodes) => [0.05, 0.15, 0.25].map((pace) => ({ nodes, pace }))))(
    "run hardly more than one script for each call at $pace of 20/s on $nodes nodes",
    async ({ nodes, pace }) => {
      const { scriptsPerCall } = await callNodes(sendCommand, {
        nodes,
        rate: 20,
        pace: () => pace,
        fault: isWell,
        seed: 1,
        runMs: 30_000,
      });
      expect(scriptsPerCall).toBeLessThanOrEqual(1.25);
    },
  );

  test("let a caller of more than the plan allows run few scripts while nodes are missing", async () => {
    const twoAreGone: Fault = ({ links }, elapsedMs) => {
      for (const link of links.slice(0, 2)) {
        link.isCut = elapsedMs >= 4000;
      }
    };
    const options = { nodes: 20, rate: 20, pace: () => 2, fault: twoAreGone, seed: 1, runMs: 20_000 };
    const { scriptsPerCall } = await callNodes(sendCommand, options);
    expect(scriptsPerCall).toBeLessThanOrEqual(2.5);
  });

  test("read all nodes of a bucket ten times a second at most, however many there are", async () => {
    await client().configResetStat();
    await callNodes(sendCommand, { nodes: 200, rate: 1000, pace: () => 0.5, fault: isWell, seed: 1, runMs: 3000 });
    const [, reads] = /cmdstat_hgetall:calls=(\d+)/.exec(await client().info("commandstats")) ?? [];
    expect(Number(reads)).toBeGreaterThan(20);
    // Until there are a hundred nodes, they are read more often.
    expect(Number(reads)).toBeLessThanOrEqual(30 + 40);
  });
});
