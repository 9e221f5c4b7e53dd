// BitcoinService on the Connect router: each method gets the data it needs from the feeds. Results are computed once for each reading of
// the sources. If the newest day that the sources have in common is too old, the call fails.
import type { HandlerContext } from "@connectrpc/connect";
import { BitcoinService } from "../../../gen/quintet/bitcoin/v1/bitcoin_pb.js";
import { Failure } from "../../problem/failure.ts";
import { type Deadline, deadlineOf } from "../../upstream/deadline.ts";
import { upstreamFailure } from "../../upstream/upstream-failure.ts";
import type { DataService } from "../service.ts";
import { type Day, dayOfMs } from "./day.ts";
import { AGE_DAYS_MAX } from "./feeds/feed.ts";
import { createFeeds, type Feeds, type FeedsOptions } from "./feeds/feeds.ts";
import { createSeries, historyResponse, type IndicatorName, type Series } from "./get-history.ts";
import { cycleOf } from "./indicators/cycle.ts";
import { memoizeLast } from "./memoize-last.ts";
import { mayerResponse, nvtResponse, puellResponse, s2fResponse } from "./responses.ts";

// The first reading fetches eleven years of daily data.
const BUDGET_MS = 20_000;

const HISTORY_DAYS_BY_DEFAULT = 365;

/** Reads nothing before the first call. */
export function createBitcoin(options: FeedsOptions): DataService<typeof BitcoinService> {
  const feeds = createFeeds(options);
  const mayer = memoizeLast(mayerResponse);
  const puell = memoizeLast(puellResponse);
  const nvt = memoizeLast(nvtResponse);
  const s2f = memoizeLast(s2fResponse);
  const series = createSeries();

  /** Runs one call within its deadline, and turns errors into Failures for the caller. */
  const withinDeadline = async <Result>(
    context: HandlerContext,
    work: (deadline: Deadline) => Promise<Result>,
  ): Promise<Result> => {
    const deadline = deadlineOf(context, options.clock, BUDGET_MS);
    try {
      return await work(deadline);
    } catch (thrown) {
      throw upstreamFailure(thrown, deadline, "the source of Bitcoin's data");
    }
  };

  /** Returns the response, or throws if its day is too old. Each feed may be recent without sharing a recent day with the others. */
  const requireRecent = <Dated extends { readonly asOf: Day }>(response: Dated): Dated => {
    if (dayOfMs(options.clock.nowMs()) - response.asOf > AGE_DAYS_MAX) {
      const message = `The newest complete day of data is more than ${AGE_DAYS_MAX} days old; the call was not counted.`;
      throw new Failure({ reason: "UPSTREAM_FAILED", message });
    }
    return response;
  };

  return {
    name: "bitcoin",
    desc: BitcoinService,
    implementation: {
      getMayer: (_request, context) =>
        withinDeadline(context, async (deadline) => requireRecent(mayer(await feeds.closes.get(deadline))).message),
      getPuell: (_request, context) =>
        withinDeadline(context, async (deadline) => requireRecent(puell(await feeds.revenue.get(deadline))).message),
      getNvt: (_request, context) =>
        withinDeadline(context, async (deadline) => requireRecent(nvt(...(await forNvt(feeds, deadline)))).message),
      getS2f: (_request, context) =>
        withinDeadline(context, async (deadline) => requireRecent(s2f(...(await forS2f(feeds, deadline)))).message),

      getSummary: (_request, context) =>
        withinDeadline(context, async (deadline) => {
          const [nvtInputs, s2fInputs, revenue] = await Promise.all([
            forNvt(feeds, deadline),
            forS2f(feeds, deadline),
            feeds.revenue.get(deadline),
          ]);
          const four = {
            mayer: requireRecent(mayer(s2fInputs[0])),
            puell: requireRecent(puell(revenue)),
            nvt: requireRecent(nvt(...nvtInputs)),
            s2f: requireRecent(s2f(...s2fInputs)),
          };
          return {
            cycle: cycleOf({ mayer: four.mayer.zone, puell: four.puell.zone, nvt: four.nvt.zone, s2f: four.s2f.zone }),
            mayer: four.mayer.message,
            puell: four.puell.message,
            nvt: four.nvt.message,
            s2f: four.s2f.message,
          };
        }),

      getHistory: ({ indicator, days = HISTORY_DAYS_BY_DEFAULT }, context) =>
        withinDeadline(context, async (deadline) => {
          const wholeSeries: Record<IndicatorName, () => Promise<Series>> = {
            mayer: async () => series.mayer(await feeds.closes.get(deadline)),
            puell: async () => series.puell(await feeds.revenue.get(deadline)),
            nvt: async () => series.nvt(...(await forNvt(feeds, deadline))),
            s2f: async () => series.s2f(...(await forS2f(feeds, deadline))),
          };
          // The proto's rule allows no other name.
          const name = indicator as IndicatorName;
          return historyResponse(name, days, requireRecent(await wholeSeries[name]()));
        }),
    },
    close: () => feeds.close(),
  };
}

const forNvt = ({ closes, supply, volume }: Feeds, deadline: Deadline) =>
  Promise.all([closes.get(deadline), supply.get(deadline), volume.get(deadline)]);

const forS2f = ({ closes, supply }: Feeds, deadline: Deadline) => Promise.all([closes.get(deadline), supply.get(deadline)]);
