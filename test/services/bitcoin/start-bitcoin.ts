// The Bitcoin service behind an in-memory transport, with the validation that the server applies, over stand-ins for all its sources, at
// a date that only the test moves.
import { type Client, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { onTestFinished } from "vitest";
import { ErrorInfoSchema } from "../../../gen/google/rpc/error_details_pb.js";
import { BitcoinService } from "../../../gen/quintet/bitcoin/v1/bitcoin_pb.js";
import { Environment } from "../../../src/config/environment.ts";
import { createValidation, validationInterceptor } from "../../../src/gateway/rpc/validation.ts";
import { createLog } from "../../../src/runtime/log.ts";
import { startStandIns } from "../../../src/sandbox/stand-ins/bitcoin/stand-ins.ts";
import type { StandIn } from "../../../src/sandbox/stand-ins/stand-in.ts";
import { type BitcoinConfig, readBitcoinConfig } from "../../../src/services/bitcoin/config.ts";
import { createBitcoin } from "../../../src/services/bitcoin/service.ts";
import { createCountingRandomness } from "../../fixtures/counting-randomness.ts";
import { createManualClock, type ManualClock } from "../../fixtures/manual-clock.ts";

/** The stand-ins' seed. */
export const seed = 1;

/** The client, and what a test can control. */
export interface BitcoinScene {
  readonly client: Client<typeof BitcoinService>;
  readonly clock: ManualClock;
  readonly standIns: Readonly<Record<"charts" | "coinbase" | "kraken" | "binance" | "researchKit", StandIn>>;
}

/**
 * Starts it all, and closes it after the test. `config` overrides what points at the stand-ins; `replacedUrls`, single price sources. The
 * second source of chain data fails, unless `hasSecondSource`.
 */
export async function startBitcoin({
  now = "2026-11-21T12:00:07Z",
  config = {},
  replacedUrls = {},
  hasSecondSource = false,
}: {
  now?: string;
  config?: Partial<BitcoinConfig>;
  replacedUrls?: Readonly<Record<string, string>>;
  hasSecondSource?: boolean;
} = {}): Promise<BitcoinScene> {
  const clock = createManualClock({ nowMs: Date.parse(now) });
  const { standIns, variables } = await startStandIns({ seed, clock });
  const known = readBitcoinConfig(new Environment(variables));
  const prices = known.prices.map(({ name, url }) => ({ name, url: replacedUrls[name] ?? url }));
  const service = createBitcoin({
    config: { ...known, prices, ...config },
    outbound: { userAgent: "Quintet/test", connectTimeoutMs: 2000 },
    clock,
    randomness: createCountingRandomness(),
    log: createLog("silent"),
  });
  onTestFinished(async () => {
    await service.close();
    await Promise.all(standIns.map((standIn) => standIn.close()));
  });
  const transport = createRouterTransport(({ service: register }) => register(service.desc, service.implementation), {
    router: { interceptors: [validationInterceptor(createValidation())] },
  });
  const [charts, coinbase, kraken, binance, researchKit] = standIns as [StandIn, StandIn, StandIn, StandIn, StandIn];
  researchKit.misbehaviour = hasSecondSource ? { kind: "none" } : { kind: "failing" };
  return { client: createClient(BitcoinService, transport), clock, standIns: { charts, coinbase, kraken, binance, researchKit } };
}

/** The reason and message of a call that fails. */
export async function failureOf(call: Promise<unknown>): Promise<unknown> {
  const thrown = await call.catch((error: unknown) => error);
  return thrown instanceof ConnectError ? [thrown.findDetails(ErrorInfoSchema)[0]?.reason, thrown.rawMessage] : thrown;
}
