// What an example is run against: the sandbox's upstreams at a fixed time, a relay that counts the example's calls, and customers on plans
// that are soon used up.
import { type Sandbox, startSandbox } from "../../../src/sandbox/sandbox.ts";
import type { Misbehaviour } from "../../../src/sandbox/stand-ins/stand-in.ts";
import { advanceTime, type Gateway, START_MS, startGateway } from "../../fixtures/gateway.ts";
import { createManualClock, type ManualClock } from "../../fixtures/manual-clock.ts";
import { type Relay, startRelay } from "./relay.ts";

/** The scene. */
export interface Scene {
  readonly relay: Relay;
  readonly clock: ManualClock;
  /** Calls REST, not through the relay, and returns the JSON body. */
  rest(path: string, key: string): Promise<RestResponse>;
  /** The bodies of a REST stream, as long as it is open. */
  restStream(path: string, key: string): Promise<AsyncIterator<string>>;
  /** Creates a new customer on this plan of token-price, and returns the key. */
  generateKey(plan: "wide" | "slow" | "small"): Promise<string>;
  /** Makes the source of prices misbehave. */
  misbehave(misbehaviour: Misbehaviour): void;
  close(): Promise<void>;
}

/** The parts of REST responses that the tests read. */
export interface RestResponse {
  readonly message: string;
  readonly data: Prices | null;
  readonly error?: { readonly reason: string; readonly details: readonly Detail[] };
}

/** The response of GetPrices. */
export interface Prices {
  readonly results: readonly { readonly token: string; readonly price: number }[];
  readonly missing: readonly string[];
}

interface Detail {
  readonly "@type": string;
  readonly field_violations?: readonly { readonly field: string; readonly description: string }[];
  readonly retry_delay?: string;
  readonly violations?: readonly { readonly subject: string }[];
}

/** A second of `slow` has this many requests. */
export const REQUESTS_PER_SECOND = 5;

const PLANS = {
  "token-price": [
    { name: "wide", callsPerMonth: 1_000_000, requestsPerSecond: 1000 },
    { name: "slow", callsPerMonth: 1_000_000, requestsPerSecond: REQUESTS_PER_SECOND },
    { name: "small", callsPerMonth: 1, requestsPerSecond: 1000 },
  ],
} as const;

/** Starts it. */
export async function startScene(): Promise<Scene> {
  const clock = createManualClock({ nowMs: START_MS });
  const sandbox: Sandbox = await startSandbox({ clock, controlPort: 0 });
  const variables = { ...sandbox.variables, QUINTET_REFLECTION: "on" };
  const gateway: Gateway = await startGateway({ plans: PLANS, variables, clock });
  const relay = await startRelay(gateway.port);
  const source = sandbox.standIns.find(({ name }) => name === "coins");
  if (source === undefined) {
    throw new Error(`the source of prices is none of ${sandbox.standIns.map(({ name }) => name).join(", ")}`);
  }
  const streams = new AbortController();
  return {
    relay,
    clock,
    async rest(path, key) {
      const response = await fetch(gateway.origin + path, { headers: { "x-gateway-key": key } });
      return (await response.json()) as RestResponse;
    },
    async restStream(path, key) {
      const response = await fetch(gateway.origin + path, { headers: { "x-gateway-key": key }, signal: streams.signal });
      return linesOf(response.body ?? new ReadableStream());
    },
    async generateKey(plan) {
      return (await gateway.makeCustomer({ "token-price": plan })).secret;
    },
    misbehave(misbehaviour) {
      source.misbehaviour = misbehaviour;
    },
    async close() {
      streams.abort();
      await relay.close();
      await advanceTime(clock, gateway.close());
      await sandbox.close();
    },
  };
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
