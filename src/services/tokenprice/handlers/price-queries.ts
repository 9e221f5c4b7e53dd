// What the operations share when they query the price source: the deadline, the plan's limit, and the handling of failures.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { FreshnessSchema } from "../../../../gen/quintet/common/v1/freshness_pb.js";
import type { TokenPriceService } from "../../../../gen/quintet/tokenprice/v1/token_price_pb.js";
import { entitlementsKey } from "../../../catalogue/entitlements.ts";
import type { Clock } from "../../../runtime/clock.ts";
import { deadlineOf } from "../../../upstream/deadline.ts";
import { upstreamFailure } from "../../../upstream/upstream-failure.ts";
import type { PriceSource, SourceCall } from "../source/price-source.ts";
import type { Token } from "../token-id.ts";
import { checkPlan } from "./request-checks.ts";

export type Handler<Name extends keyof ServiceImpl<typeof TokenPriceService>> = ServiceImpl<typeof TokenPriceService>[Name];

/** Queries the price source on behalf of a call. */
export interface PriceQueries {
  /** The time, in Unix seconds. */
  nowSeconds(): number;
  /**
   * Runs a query for some tokens within the call's deadline. Throws a Failure: PLAN_LIMIT if the plan includes fewer tokens,
   * otherwise as `upstreamFailure` does.
   */
  queryPrices<Value>(
    context: HandlerContext,
    tokens: readonly Token[],
    query: (source: PriceSource, ids: readonly string[], call: SourceCall) => Promise<Value>,
  ): Promise<Answer<Value>>;
}

/** What a query found, and how fresh it is: an old response is never used. */
interface Answer<Value> {
  readonly value: Value;
  readonly freshness: MessageInitShape<typeof FreshnessSchema>;
}

/** Queries `source`, for at most `timeoutMs` per call. */
export function createPriceQueries({
  source,
  clock,
  timeoutMs,
}: {
  source: PriceSource;
  clock: Clock;
  timeoutMs: number;
}): PriceQueries {
  return {
    nowSeconds: () => Math.floor(clock.nowMs() / 1000),
    async queryPrices(context, tokens, query) {
      checkPlan(tokens, context.values.get(entitlementsKey).tokensPerCallMax);
      const deadline = deadlineOf(context, clock, timeoutMs);
      const ids = [...new Set(tokens.map(({ id }) => id))];
      let fetchedAtMs = clock.nowMs();
      const onReceive = (atMs: number): void => {
        fetchedAtMs = Math.min(fetchedAtMs, atMs);
      };
      try {
        const value = await query(source, ids, { ...deadline, onReceive });
        return { value, freshness: { fetchedAt: timestampFromMs(fetchedAtMs), stale: false } };
      } catch (thrown) {
        throw upstreamFailure(thrown, deadline, "the price source");
      }
    },
  };
}
