// A gateway before the sandbox's stand-ins, with a customer of services: what Explore needs.
import { createClient } from "@connectrpc/connect";
import { AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import { SERVICE_NAMES, type ServiceName } from "../../src/catalogue/service-names.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { startGateway } from "../fixtures/gateway.ts";
import { portalFiles } from "../fixtures/portal-site.ts";
import { type Customer, signUp } from "./customer.ts";

const AMPLE = { name: "free", callsPerMonth: 100_000, requestsPerSecond: 100 };

/** It, running. */
export interface ExploreScene {
  readonly origin: string;
  readonly sandbox: Sandbox;
  readonly customer: Customer;
  /** Of the customer's session. */
  readonly token: string;
  close(): Promise<void>;
}

/** Starts it. By default the customer has ample plans of all services; `limits` are smaller ones. */
export async function startExploreScene({
  subscriptions = SERVICE_NAMES,
  limits = {},
}: {
  readonly subscriptions?: readonly ServiceName[];
  readonly limits?: Partial<Record<ServiceName, Partial<typeof AMPLE>>>;
} = {}): Promise<ExploreScene> {
  portalFiles();
  const sandbox = await startSandbox({ clock: systemClock, controlPort: 0 });
  const plans = Object.fromEntries(SERVICE_NAMES.map((service) => [service, [{ ...AMPLE, ...limits[service] }]]));
  const gateway = await startGateway({ clock: systemClock, variables: { ...sandbox.variables }, plans });
  const customer = await signUp(gateway.origin, "explorer@example.com");
  for (const service of subscriptions) {
    await createClient(AccountService, customer.transport).createSubscription({ service });
  }
  return {
    origin: gateway.origin,
    sandbox,
    customer,
    token: customer.token,
    async close() {
      await gateway.close();
      await sandbox.close();
    },
  };
}
