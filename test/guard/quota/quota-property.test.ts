import fc from "fast-check";
import { expect, test } from "vitest";
import type { Admitted } from "../../../src/guard/guard.ts";
import type { MemoryStore } from "../memory-store.ts";
import { createScene, radioPlan, settled } from "../scene.ts";

test("no month admits more than its quota, whatever the store and clock do, and exactly its quota without faults", async () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("call" as const), calls: fc.integer({ min: 1, max: 12 }) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("settle" as const), ours: fc.boolean() }) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant("fault" as const), fault: fc.constantFrom("none", "down", "lost", "silent") }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("advance" as const), ms: fc.constantFrom(1, 100, 300, 1100, 2500) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("change" as const) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("run" as const) }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 400 }), fc.array(step, { maxLength: 60 }), async (calls, steps) => {
      const scene = createScene({ plans: [radioPlan("free", calls, 100_000)] });
      const open: Admitted[] = [];
      let charged = 0;
      const waiting: Promise<void>[] = [];
      const callOnce = async (): Promise<void> => {
        const decision = await scene.admit();
        charged += decision.admitted ? 1 : 0;
        open.push(...(decision.admitted ? [decision] : []));
      };
      let mishap = false;
      for (const act of steps) {
        switch (act.kind) {
          case "call":
            waiting.push(...Array.from({ length: act.calls }, callOnce));
            break;
          case "settle": {
            const admission = open.pop();
            admission?.settle(act.ours ? "INTERNAL" : "OK");
            charged -= admission !== undefined && act.ours ? 1 : 0;
            break;
          }
          case "fault":
            scene.store.release();
            scene.store.fault = act.fault as MemoryStore["fault"];
            mishap ||= act.fault !== "none";
            break;
          case "advance":
            scene.clock.advance(act.ms);
            break;
          case "change":
            scene.store.announce();
            break;
          case "run":
            await settled();
            break;
        }
        expect(charged).toBeLessThanOrEqual(calls);
      }
      scene.store.release();
      await settled();
      scene.clock.advance(5000);
      await Promise.all(waiting);
      scene.clock.advance(5000);
      await scene.admitted(1).then((count) => {
        charged += count;
      });
      await settled();
      charged += await scene.admitted(calls + 10);
      await settled();
      charged += await scene.admitted(calls + 10);
      expect(charged).toBeLessThanOrEqual(calls);
      expect(mishap || charged === calls).toBe(true);
    }),
    { numRuns: 150 },
  );
});
