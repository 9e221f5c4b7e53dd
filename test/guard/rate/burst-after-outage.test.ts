// A caller that is quiet while Redis does not respond, and calls far more than its plan allows just before Redis responds again. What the
// nodes did not use while it was quiet must not fill the bucket again after the burst.
import { createClient } from "redis";
import { expect, onTestFinished, test } from "vitest";
import { redis, startRedis } from "../../fixtures/servers/redis.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { callNodes, type Fault } from "./simulated-caller.ts";

const RUN_MS = 11_000;
const OUTAGE_MS = { from: 4000, quietFrom: 4500, until: 9000 };
const BURSTS = [10, 20, 47, 100, 1000].flatMap((rate) => [200, 1000].map((beforeMs) => ({ rate, beforeMs })));

const OUTAGES: Readonly<Record<string, (...scene: [...Parameters<Fault>, isOut: boolean]) => void>> = {
  "out of memory": ({ links }, _, isOut) => {
    for (const link of links) {
      link.isRefusing = isOut;
    }
  },
  "cut off": ({ links }, _, isOut) => {
    for (const link of links) {
      link.isCut = isOut;
    }
  },
  silent: ({ simulation }, _, isOut) => {
    simulation.isPaused = isOut;
  },
};

describeWith(redis, "A burst at the end of an outage", () => {
  test.each(Object.entries(OUTAGES))("is no more than the plan allows while Redis is %s", async (_, outage) => {
    const server = await startRedis();
    onTestFinished(() => server.close());
    const client = await createClient({ url: server.url, RESP: 2 }).connect();
    onTestFinished(() => client.destroy());
    const fault: Fault = (scene, elapsedMs) => outage(scene, elapsedMs, elapsedMs >= OUTAGE_MS.from && elapsedMs < OUTAGE_MS.until);
    const over: string[] = [];
    for (const { rate, beforeMs } of BURSTS) {
      const pace = (elapsedMs: number): number =>
        elapsedMs < OUTAGE_MS.quietFrom ? 0.9 : elapsedMs < OUTAGE_MS.until - beforeMs ? 0 : 3;
      const options = { nodes: 3, rate, pace, fault, seed: 1, runMs: RUN_MS };
      const { worstPercent } = await callNodes((command) => client.sendCommand(command), options);
      if (worstPercent > 110) {
        over.push(`${rate}/s, ${beforeMs} ms before Redis responds: ${worstPercent.toFixed(0)}%`);
      }
    }
    expect(over).toEqual([]);
  });
});
