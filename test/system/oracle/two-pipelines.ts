// The same services behind two listeners that differ only in the pipeline of their unary calls, and the result of a request at each: the
// response, what the handler saw, and how the call was settled.

import type { Admitted, Guard, Refused } from "../../../src/guard/guard.ts";
import { generateKey } from "../../../src/guard/keys/key.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { createLog } from "../../../src/runtime/log.ts";
import { systemRandomness } from "../../../src/runtime/randomness.ts";
import { createGuard } from "../../fixtures/one-thread-guard.ts";
import { createStack } from "../../fixtures/stack.ts";
import { MemoryStore } from "../../guard/memory-store.ts";
import { credentialOf, plansOf, radioPlan } from "../../guard/scene.ts";
import { settledBy } from "../../guard/settled-by.ts";
import { createServices, type Seen } from "./handlers.ts";
import { createRawClient, type RawRequest, type RawResponse } from "./raw-client.ts";

/** The longest body and the longest message in these tests. */
export const messageLimits = { bodyBytesMax: 8 * 1024, messageBytesMax: 16 * 1024, allowsGzip: true, isCallerKnown: true };

/** The result of a request. */
export interface Result {
  readonly response: RawResponse;
  readonly seen: readonly Seen[];
  /** How the admitted call was settled. More than one entry means that it was settled more than once. */
  readonly settled: readonly string[];
}

/** One pipeline on its own port. */
export interface ServedPipeline {
  /** Sends a request with a valid key, only one at a time. */
  send(request: RawRequest): Promise<Result>;
  close(): Promise<void>;
}

/** Serves a pipeline. */
export async function servePipeline(throughConnect: boolean): Promise<ServedPipeline> {
  const log = createLog("silent");
  const clock = systemClock;
  const store = new MemoryStore();
  const key = generateKey(systemRandomness);
  store.credentials.set(key.hash, credentialOf());
  const guard = createGuard({ store, plans: plansOf([radioPlan("free", 1_000_000_000, 1_000_000)]), clock, log });
  let seen: Seen[] = [];
  let settled: string[] = [];
  let admissions = 0;
  const watch = (decision: Admitted | Refused): Admitted | Refused => {
    if (!decision.admitted) {
      return decision;
    }
    admissions += 1;
    return settledBy(decision, (outcome) => {
      settled.push(outcome);
      decision.settle(outcome);
    });
  };
  const watched: Guard = {
    admit(admissionRequest) {
      const decision = guard.admit(admissionRequest);
      return decision instanceof Promise ? decision.then(watch) : watch(decision);
    },
  };
  const services = createServices((one) => seen.push(one));
  const listener = createStack({ services, guard: watched, clock, log, throughConnect, messageLimits });
  const { port } = await listener.listen("127.0.0.1", 0);
  const client = createRawClient(port);
  return {
    async send(request) {
      seen = [];
      settled = [];
      admissions = 0;
      const response = await client.send({ ...request, headers: [["x-gateway-key", key.secret], ...request.headers] });
      // A call may be settled shortly after its response has ended. A second settlement would have happened by then too.
      while (settled.length < admissions) {
        await new Promise(setImmediate);
      }
      return { response, seen, settled };
    },
    async close() {
      client.close();
      await listener.close();
      await guard.close();
    },
  };
}
