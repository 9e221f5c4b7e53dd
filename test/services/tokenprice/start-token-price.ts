// The token price service behind an in-memory transport, with the validation that the server applies, over any price source.
import { type Client, createClient, createRouterTransport, type Interceptor } from "@connectrpc/connect";
import { onTestFinished } from "vitest";
import { TokenPriceService } from "../../../gen/quintet/tokenprice/v1/token_price_pb.js";
import { entitlementsKey, LOWEST_ENTITLEMENTS } from "../../../src/catalogue/entitlements.ts";
import { createValidation, validationInterceptor } from "../../../src/gateway/rpc/validation.ts";
import { callingAccountKey, upstreamRequestKey } from "../../../src/runtime/calling-account.ts";
import { type Clock, systemClock } from "../../../src/runtime/clock.ts";
import { createLog } from "../../../src/runtime/log.ts";
import { systemRandomness } from "../../../src/runtime/randomness.ts";
import type { TokenPriceConfig } from "../../../src/services/tokenprice/config.ts";
import { createTokenPrice } from "../../../src/services/tokenprice/service.ts";

/** 2026-11-21 12:00:07 UTC. */
export const nowMs = Date.UTC(2026, 10, 21, 12, 0, 7);

/** The system's timers, with a time of day that stands still. */
export const stillClock: Clock = { ...systemClock, nowMs: () => nowMs };

/**
 * Starts the service over the source at `url`, for callers whose plan includes `tokensPerCallMax`, and closes it after the test. The header
 * `account` names the caller. `onSend` hears of each request that a call causes.
 */
export function startTokenPrice(
  url: string,
  {
    tokensPerCallMax = 100,
    clock = stillClock,
    onSend,
    ...config
  }: Partial<TokenPriceConfig> & { tokensPerCallMax?: number; clock?: Clock; onSend?: () => void } = {},
): Client<typeof TokenPriceService> {
  const service = createTokenPrice({
    config: { url, timeoutMs: 10_000, cacheMs: 0, concurrencyMax: 4, requestsPerSecondMax: 1000, ...config },
    outbound: { userAgent: "Quintet/test", connectTimeoutMs: 2000 },
    clock,
    randomness: systemRandomness,
    log: createLog("silent"),
  });
  onTestFinished(() => service.close());
  const entitle: Interceptor = (next) => (request) => {
    request.contextValues.set(entitlementsKey, { ...LOWEST_ENTITLEMENTS, tokensPerCallMax });
    request.contextValues.set(callingAccountKey, request.header.get("account") ?? undefined);
    request.contextValues.set(upstreamRequestKey, onSend);
    return next(request);
  };
  const transport = createRouterTransport(({ service: register }) => register(service.desc, service.implementation), {
    router: { interceptors: [entitle, validationInterceptor(createValidation())] },
  });
  return createClient(TokenPriceService, transport);
}
