// A gateway whose upstreams are the sandbox's, both at the same standing time, and a customer of all services.
import { type Sandbox, startSandbox } from "../src/sandbox/sandbox.ts";
import { SERVICE_NAMES } from "../src/services/service.ts";
import { type Gateway, START_MS, startGateway } from "./gateway.ts";
import { createManualClock } from "./manual-clock.ts";
import type { TestPlans } from "./plan-file.ts";

/** It. */
export interface World {
  readonly gateway: Gateway;
  readonly sandbox: Sandbox;
  /** Of the customer's calls. */
  readonly headers: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Subscriptions to all services, on their free plans. */
export const ALL_FREE = Object.fromEntries(SERVICE_NAMES.map((service) => [service, "free"]));

/** Starts it. */
export async function startWorld(plans: TestPlans = {}): Promise<World> {
  const clock = createManualClock({ nowMs: START_MS });
  const sandbox = await startSandbox({ clock, controlPort: 0 });
  const gateway = await startGateway({ plans, variables: { ...sandbox.variables }, clock });
  const { secret } = await gateway.makeCustomer(ALL_FREE);
  return {
    gateway,
    sandbox,
    headers: { "x-gateway-key": secret },
    async close() {
      await gateway.close();
      await sandbox.close();
    },
  };
}
