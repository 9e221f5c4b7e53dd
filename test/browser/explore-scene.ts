// A gateway before the sandbox's stand-ins, with a customer of all services: what Explore needs.
import { createClient } from "@connectrpc/connect";
import { AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import { SERVICE_NAMES } from "../../src/catalogue/service-names.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { startGateway } from "../fixtures/gateway.ts";
import { portalFiles } from "../fixtures/portal-site.ts";
import { signUp } from "./customer.ts";

const AMPLE = { name: "free", callsPerMonth: 100_000, requestsPerSecond: 100 };

/** It, running. */
export interface ExploreScene {
  readonly origin: string;
  readonly sandbox: Sandbox;
  /** Of a customer's session. */
  readonly token: string;
  close(): Promise<void>;
}

/** Starts it. */
export async function startExploreScene(): Promise<ExploreScene> {
  portalFiles();
  const sandbox = await startSandbox({ clock: systemClock, controlPort: 0 });
  const plans = Object.fromEntries(SERVICE_NAMES.map((service) => [service, [AMPLE]]));
  const gateway = await startGateway({ clock: systemClock, variables: { ...sandbox.variables }, plans });
  const { token, transport } = await signUp(gateway.origin, "explorer@example.com");
  for (const service of SERVICE_NAMES) {
    await createClient(AccountService, transport).createSubscription({ service });
  }
  return {
    origin: gateway.origin,
    sandbox,
    token,
    async close() {
      await gateway.close();
      await sandbox.close();
    },
  };
}
