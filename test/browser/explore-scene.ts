// A gateway with the sandbox's stand-ins and a subscribed customer, as Explore needs it.
import type { Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import type { GeneratedKey } from "@quintet/guard";
import { expect, vi } from "vitest";
import { withPublicKey } from "../../portal/explore/explore-api.ts";
import { SERVICE_NAMES, type ServiceName } from "../../src/catalogue/service-names.ts";
import { generateKey } from "../../src/guard/keys/key.ts";
import { type Clock, systemClock } from "../../src/runtime/clock.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { accountClient } from "../fixtures/account-clients.ts";
import { type Gateway, startGateway } from "../fixtures/gateway.ts";
import { PATIENT_UPSTREAMS } from "../fixtures/patient-upstreams.ts";
import { TIME_LIMITS } from "../time-limits.ts";
import { readAllLists } from "./all-lists.ts";
import { type Customer, signUp } from "./customer.ts";

/** The paid plan of every service. */
export const PAID = { name: "pro", callsPerMonth: 1_000_000, requestsPerSecond: 100, priceMinor: 1290 };
const AMPLE = { name: "free", callsPerMonth: 100_000, requestsPerSecond: 100 };

/** The running gateway. */
export interface ExploreScene {
  readonly origin: string;
  readonly gateway: Gateway;
  readonly sandbox: Sandbox;
  readonly customer: Customer;
  /** The token of the customer's session. */
  readonly token: string;
  /** Signs up another one with the same subscriptions. */
  createCustomer(): Promise<Customer>;
  close(): Promise<void>;
}

/**
 * Starts it. By default the customer has large free plans for all services; `limits` makes them smaller. With `publicCalls`, visitors have
 * this many calls a minute.
 */
export async function startExploreScene({
  subscriptions = SERVICE_NAMES,
  limits = {},
  publicCalls,
  clock = systemClock,
}: {
  readonly subscriptions?: readonly ServiceName[];
  readonly limits?: Partial<Record<ServiceName, Partial<typeof AMPLE>>>;
  readonly publicCalls?: number;
  readonly clock?: Clock;
} = {}): Promise<ExploreScene> {
  const sandbox = await startSandbox({ clock, controlPort: 0 });
  const plans = Object.fromEntries(SERVICE_NAMES.map((service) => [service, [{ ...AMPLE, ...limits[service] }, PAID]]));
  const publicKey = generateKey(systemRandomness);
  const ofVisitors =
    publicCalls === undefined
      ? {}
      : { QUINTET_EXPLORE_KEY: publicKey.secret, QUINTET_EXPLORE_CALLS_PER_MINUTE: String(publicCalls) };
  const variables = { ...sandbox.variables, ...PATIENT_UPSTREAMS, ...ofVisitors };
  const gateway = await startGateway({ clock, variables, plans });
  if (publicCalls !== undefined) {
    await createPublicKey(gateway, publicKey);
  }
  const createCustomer = async (): Promise<Customer> => {
    const created = await signUp(gateway, "explorer");
    for (const service of subscriptions) {
      await accountClient(created.transport).setSubscription({ service, plan: "free" });
    }
    return created;
  };
  const customer = await createCustomer();
  if (subscriptions.includes("bitcoin")) {
    await readBitcoinYears(gateway);
  }
  if (subscriptions.includes("token-list")) {
    await readAllLists(await transportOf(gateway));
  }
  return {
    origin: gateway.origin,
    gateway,
    sandbox,
    customer,
    token: customer.token,
    createCustomer,
    async close() {
      await gateway.close();
      await sandbox.close();
    },
  };
}

async function createPublicKey({ store, makeCustomer }: Gateway, created: GeneratedKey): Promise<void> {
  const { key } = await makeCustomer(Object.fromEntries(SERVICE_NAMES.map((service) => [service, AMPLE.name])));
  const { secret: _, ...stored } = created;
  await store.createKey({ ...key, id: systemRandomness.uuid(), name: "explore", ...stored });
}

// The first call reads eleven years and waits a few seconds for each source. On a busy machine it may fail, and the next one continues from
// there.
async function readBitcoinYears({ origin, makeCustomer }: Gateway): Promise<void> {
  const { secret } = await makeCustomer({ bitcoin: AMPLE.name });
  const responded = async () => (await fetch(`${origin}/bitcoin/v1/summary`, { headers: { "x-gateway-key": secret } })).status;
  await vi.waitFor(async () => expect(await responded()).toBe(200), { timeout: TIME_LIMITS.expect.poll.timeout, interval: 1000 });
}

// Calls the data service of token lists with a key.
async function transportOf({ origin, makeCustomer }: Gateway): Promise<Transport> {
  const { secret } = await makeCustomer({ "token-list": AMPLE.name });
  return createConnectTransport({ baseUrl: origin, interceptors: [withPublicKey(secret)] });
}
