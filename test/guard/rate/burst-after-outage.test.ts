// A caller that is quiet while Redis does not respond, and calls far more than its plan allows just before Redis responds again. What the nodes
// did not use while it was quiet must not fill the bucket again after the burst.
import { createClient } from "redis";
import { expect, onTestFinished, test } from "vitest";
import type { RateTake } from "../../../src/guard/rate/bucket.ts";
import { seeded } from "../../../src/sandbox/stand-ins/seeded.ts";
import { redis, startRedis } from "../../fixtures/servers/redis.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { type AdmittedCall, worstWindowPercent } from "../../system/limits/worst-window.ts";
import { Simulation } from "./simulated-nodes.ts";

const NODES = 3;
const RUN_MS = 11_000;
const OUTAGE_MS = { from: 4000, quietFrom: 4500, until: 9000 };
const BURSTS = [10, 20, 47, 100, 1000].flatMap((rate) => [200, 1000].map((beforeMs) => ({ rate, beforeMs })));

const paceAt = (elapsedMs: number, beforeMs: number): number =>
  elapsedMs < OUTAGE_MS.quietFrom ? 0.9 : elapsedMs < OUTAGE_MS.until - beforeMs ? 0 : 3;

describeWith(redis, "A burst at the end of an outage", () => {
  test.each(["out of memory", "cut off", "silent"])("is no more than the plan allows while Redis is %s", async (what) => {
    const server = await startRedis();
    onTestFinished(() => server.close());
    const client = await createClient({ url: server.url, RESP: 2 }).connect();
    onTestFinished(() => client.destroy());
    const over: string[] = [];
    for (const [index, { rate, beforeMs }] of BURSTS.entries()) {
      const simulation = new Simulation({ sendCommand: (command) => client.sendCommand(command) }, `burst ${index}:`);
      await simulation.remember();
      const nodes = Array.from({ length: NODES }, (_, node) => simulation.addNode(`node ${node}`, 1, () => NODES));
      await simulation.start();
      const random = seeded(1);
      const admitted: AdmittedCall[] = [];
      for (let elapsedMs = 0, due = 0; elapsedMs < RUN_MS; elapsedMs++) {
        const isOut = elapsedMs >= OUTAGE_MS.from && elapsedMs < OUTAGE_MS.until;
        simulation.isPaused = isOut && what === "silent";
        for (const { link } of nodes) {
          link.isRefusing = isOut && what === "out of memory";
          link.isCut = isOut && what === "cut off";
        }
        for (due += (rate * paceAt(elapsedMs, beforeMs)) / 1000; due >= 1; due--) {
          const startMs = simulation.nowMs;
          const end = ({ taken }: RateTake): void => {
            if (taken) {
              admitted.push({ startMs, endMs: simulation.nowMs });
            }
          };
          const take = nodes[Math.floor(random() * NODES)]?.take(0, rate, "account/radio");
          if (take instanceof Promise) {
            void take.then(end);
          } else if (take !== undefined) {
            end(take);
          }
        }
        await simulation.step();
      }
      const percent = worstWindowPercent(admitted, rate);
      if (percent > 110) {
        over.push(`${rate}/s, ${beforeMs} ms before Redis responds: ${percent.toFixed(0)}%`);
      }
    }
    expect(over).toEqual([]);
  });
});
