// What AccountService says of usage.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type AccountService,
  UsageDimension as Dimension,
  type MonthStandingSchema,
} from "../../gen/quintet/account/v1/account_pb.js";
import type { ServiceName } from "../services/service.ts";
import type { UsageDimension } from "../store/store.ts";
import type { Handlers } from "./handlers.ts";
import { type Standing, type UsageDeps, usageHistory } from "./usage-history.ts";
import type { SignedIn } from "./visitor.ts";

const DEFAULT_LIMIT = 100;

// The contract does not let the first one through.
const DIMENSIONS: Readonly<Record<Dimension, UsageDimension>> = {
  [Dimension.UNSPECIFIED]: "day",
  [Dimension.DAY]: "day",
  [Dimension.SERVICE]: "service",
  [Dimension.METHOD]: "method",
  [Dimension.OUTCOME]: "outcome",
  [Dimension.KEY]: "key",
};

/** The handler. */
export function createUsageHandlers(deps: UsageDeps): Pick<Handlers<typeof AccountService, SignedIn>, "getUsage"> {
  return {
    async getUsage({ service, fromDay, toDay, groupBy, limit = DEFAULT_LIMIT, offset }, { accountId }) {
      const { standings, rows, ...history } = await usageHistory(deps, accountId, {
        service: service === "" ? undefined : (service as ServiceName),
        fromDay,
        toDay,
        groupBy: groupBy.length === 0 ? ["day"] : groupBy.map((dimension) => DIMENSIONS[dimension]),
        limit,
        offset,
      });
      return { ...history, standings: standings.map(standingMessage), count: rows.length, results: [...rows] };
    },
  };
}

function standingMessage(standing: Standing): MessageInitShape<typeof MonthStandingSchema> {
  const { subscriptionId, service, plan, month, callsPerMonth, counted, remaining, resetsAtMs } = standing;
  return {
    subscriptionId,
    service,
    plan,
    month,
    counted,
    resetsAt: timestampFromMs(resetsAtMs),
    ...(callsPerMonth !== undefined && { callsPerMonth }),
    ...(remaining !== undefined && { remaining }),
  };
}
