// What callers of several nodes experience while Redis fails, in simulated time: nobody who stays within their plan is refused, and no time
// window admits more than a tenth above the rate and the burst. Also the suite of all buckets, in Redis.
import { describe, expect, test } from "vitest";
import { redis } from "../../fixtures/servers/redis.ts";
import { sharedRedis } from "../../fixtures/servers/redis-client.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { rateSuite } from "../../suites/rate.ts";
import { type CallerOptions, callNodes, type Experience, type Fault, isDuring, type Scene } from "./simulated-caller.ts";
import { ALWAYS_HEALTHY, type Link, Simulation } from "./simulated-nodes.ts";

const FAULT_MS = 4000;
const LATE_MS = 12_000;
const LATE_RUN_MS = 22_000;

const cutAll =
  (durationMs: number): Fault =>
  ({ links }, elapsedMs) => {
    for (const link of links) {
      link.isCut = isDuring(elapsedMs, durationMs, FAULT_MS);
    }
  };

const lossAt = async ({ simulation }: Scene, isNow: boolean): Promise<void> => (isNow ? simulation.lose() : undefined);

/** What happens, by milliseconds since the start. */
const FAULTS: Readonly<Record<string, Fault>> = {
  "is well": () => {},
  "is restarted, empty": async (scene, elapsedMs) => {
    await cutAll(400)(scene, elapsedMs);
    await lossAt(scene, elapsedMs === FAULT_MS + 200);
  },
  "is killed, and back empty after 1.5 s": async (scene, elapsedMs) => {
    await cutAll(1500)(scene, elapsedMs);
    await lossAt(scene, elapsedMs === FAULT_MS + 200);
  },
  "fails over in 3 s": cutAll(3000),
  "stalls for 80 ms now and then": ({ simulation }, elapsedMs) => {
    simulation.isPaused = elapsedMs > 1000 && elapsedMs % 600 < 80;
  },
  "responds up to 120 ms late": ({ links, random }, elapsedMs) => {
    for (const link of links) {
      link.oneWayMs = elapsedMs < 1000 ? () => 0.3 : () => 60 * random();
    }
  },
  "is silent for 1.5 s": ({ simulation }, elapsedMs) => {
    simulation.isPaused = isDuring(elapsedMs, 1500, FAULT_MS);
  },
  "is out of memory for 7 s": ({ links }, elapsedMs) => {
    for (const link of links) {
      link.isRefusing = isDuring(elapsedMs, 7000, FAULT_MS);
    }
  },
  "is cut off from one node for 2.5 s": ({ links: [first] }, elapsedMs) => {
    (first as Link).isCut = isDuring(elapsedMs, 2500, FAULT_MS);
  },
};

/** Losses that recur before the buckets have filled up again, so that only the rate is promised. */
const LOSSES: Readonly<Record<string, Fault>> = {
  "is flushed every 1.7 s": (scene, elapsedMs) => lossAt(scene, elapsedMs % 1700 === 1699),
  "is flushed ten times a second": (scene, elapsedMs) => lossAt(scene, elapsedMs % 100 === 99),
  "is flushed, and cut off from one node": async (scene, elapsedMs) => {
    (scene.links[0] as Link).isCut = isDuring(elapsedMs, 2500, FAULT_MS);
    await lossAt(scene, elapsedMs === FAULT_MS + 3000);
  },
};

/** Faults that begin after a caller has called for so long that the nodes' parts of the rate follow its use. */
const LATE_FAULTS: Readonly<Record<string, Fault>> = {
  "is silent for 3 s": ({ simulation }, elapsedMs) => {
    simulation.isPaused = isDuring(elapsedMs, 3000, LATE_MS);
  },
  "is out of memory for 7 s": ({ links }, elapsedMs) => {
    for (const link of links) {
      link.isRefusing = isDuring(elapsedMs, 7000, LATE_MS);
    }
  },
};

/** When a node is cut off for good, in milliseconds after the first call, and how the caller calls. */
const BEGINNINGS = [5, 20, 49, 50, 100, 300].flatMap((rate) => [0, 400, 1000].map((fromMs) => ({ rate, pace: 2, fromMs })));

describeWith(redis, "Nodes that share buckets in Redis", () => {
  const client = sharedRedis();
  let simulations = 0;

  const call = (
    nodes: number,
    rate: number,
    pace: number,
    fault: Fault,
    seed: number,
    options?: Pick<CallerOptions, "runMs" | "isOnOneNode">,
  ): Promise<Experience> =>
    callNodes((command) => client().sendCommand(command), { nodes, rate, pace: () => pace, fault, seed, ...options });

  describe("each keep a bucket like any other", () => {
    rateSuite(() => {
      const simulation = new Simulation(client(), `simulation ${simulations++}:`);
      const remembered = simulation.remember();
      const node = simulation.addNode("node", 100, () => 1, ALWAYS_HEALTHY);
      node.link.oneWayMs = () => 0;
      const slots = new Map<string, number>();
      const slotOf = (name: string): number => {
        const slot = slots.get(name) ?? slots.size;
        slots.set(name, slot);
        return slot;
      };
      const settled = async (): Promise<void> => {
        for (let round = 0; round < 3; round++) {
          await simulation.settle();
        }
      };
      return {
        async take(rate, name) {
          await remembered;
          const take = node.take(slotOf(name), rate, name);
          await settled();
          return take;
        },
        async refund(rate, name, take) {
          node.refund(slotOf(name), rate, name, take);
          await settled();
        },
        advance: (ms) => simulation.clock.advance(ms),
      };
    });
  });

  describe.each(Object.entries(FAULTS))("refuse no call within the plan, and admit none beyond it, while Redis %s", (_, fault) => {
    test.each([
      // A node that was hardly used has no lease at times.
      { rate: 100, pace: 0.1, refusedMax: 5 },
      { rate: 100, pace: 0.5, refusedMax: 0 },
      { rate: 100, pace: 0.95, refusedMax: 1 },
      { rate: 1000, pace: 0.5, refusedMax: 0 },
      { rate: 1000, pace: 0.95, refusedMax: 1 },
      { rate: 20, pace: 0.5, refusedMax: 0 },
      { rate: 20, pace: 0.1, refusedMax: 0 },
      // In the first seconds, Redis cannot know well how the calls are spread.
      { rate: 20, pace: 0.95, refusedMax: 2 },
      // They have no leases.
      { rate: 19, pace: 0.95, refusedMax: 8 },
      { rate: 10, pace: 0.5, refusedMax: 15 },
      { rate: 5, pace: 2, refusedMax: 100 },
      { rate: 100, pace: 2, refusedMax: 100 },
      { rate: 1000, pace: 2, refusedMax: 100 },
    ])("$rate/s at $pace", async ({ rate, pace, refusedMax }) => {
      const { refusedPercent, worstPercent } = await call(3, rate, pace, fault, 1);
      expect(refusedPercent).toBeLessThanOrEqual(refusedMax);
      expect(worstPercent).toBeLessThanOrEqual(110);
    });
  });

  test.each([20, 100, 1000])(
    "refuse hardly any call within the plan of %i/s, whenever Redis stops responding for 1.5 s",
    async (rate) => {
      const refused: string[] = [];
      for (let place = 0; place < (rate === 1000 ? 4 : 24); place++) {
        const fromMs = 1000 + place * 137;
        const pause: Fault = ({ simulation }, elapsedMs) => {
          simulation.isPaused = isDuring(elapsedMs, 1500, fromMs);
        };
        const { refusedPercent, worstPercent } = await call(3, rate, 0.95, pause, place + 1);
        if (refusedPercent > 0.1 || worstPercent > 110) {
          refused.push(`from ${fromMs} ms on: ${refusedPercent} % refused, ${worstPercent} % admitted`);
        }
      }
      expect(refused).toEqual([]);
    },
  );

  describe.each(Object.entries(LATE_FAULTS))(
    "refuse a hundredth of the calls at most, wherever they arrive, while Redis %s",
    (_, fault) => {
      test.each([20, 45, 100])("%i/s at 0.95", async (rate) => {
        const spread = await call(3, rate, 0.95, fault, 1, { runMs: LATE_RUN_MS });
        expect(spread.refusedPercent).toBeLessThanOrEqual(1);
        const onOneNode = await call(3, rate, 0.95, fault, 1, { runMs: LATE_RUN_MS, isOnOneNode: true });
        expect(onOneNode.refusedPercent).toBeLessThanOrEqual(1);
      });
    },
  );

  test.each([3, 4, 10])("%i run one script for each call of a small plan, if its calls are rare", async (nodes) => {
    const { scriptsPerCall } = await call(nodes, 20, 0.02, FAULTS["is well"] as Fault, 1);
    expect(scriptsPerCall).toBe(1);
  });

  test.each(BEGINNINGS)(
    "admit no call beyond the plan of $rate/s at $pace when one node is cut off $fromMs ms after the first call",
    async (beginning) => {
      const { rate, pace, fromMs } = beginning;
      const cut: Fault = ({ links: [first] }, elapsedMs) => {
        (first as Link).isCut = elapsedMs >= fromMs;
      };
      for (const seed of [1, 2, 3]) {
        expect((await call(3, rate, pace, cut, seed)).worstPercent).toBeLessThanOrEqual(110);
      }
    },
  );

  test.each(Object.entries(LOSSES))("admit no call beyond the plan while Redis %s", async (_, fault) => {
    for (const rate of [20, 100, 1000]) {
      expect((await call(3, rate, 2, fault, 1)).worstPercent).toBeLessThanOrEqual(110);
    }
  });

  test.each([1, 2, 3, 4])("rarely query Redis for a caller of 100 a second: %i nodes", async (nodes) => {
    const { scriptsPerCall, waitedPercent, refusedPercent } = await call(nodes, 105, 0.95, FAULTS["is well"] as Fault, 1);
    expect(scriptsPerCall).toBeLessThanOrEqual(0.1);
    expect(waitedPercent).toBeLessThanOrEqual(5);
    expect(refusedPercent).toBe(0);
  });
});
