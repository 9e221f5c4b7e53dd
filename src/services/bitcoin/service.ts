// BitcoinService on the Connect router: each method gets the data it needs from the feeds, and what they say is computed once a reading.
import type { HandlerContext } from "@connectrpc/connect";
import { BitcoinService } from "../../../gen/quintet/bitcoin/v1/bitcoin_pb.js";
import { type Deadline, deadlineOf } from "../../upstream/deadline.ts";
import { upstreamFailure } from "../../upstream/upstream-failure.ts";
import type { DataService } from "../service.ts";
import { mayerAnswer, nvtAnswer, puellAnswer, s2fAnswer } from "./answers.ts";
import { cycleOf } from "./cycle.ts";
import { createFeeds, type Feeds, type FeedsOptions } from "./feeds.ts";
import { createSeries, historyAnswer, type IndicatorName, type Series } from "./get-history.ts";
import { rememberLast } from "./memo.ts";

// The first reading is of eleven years of days.
const budgetMs = 20_000;

const historyDaysByDefault = 365;

/** The Bitcoin valuation service. It reads nothing before it is called. */
export function createBitcoin(options: FeedsOptions): DataService<typeof BitcoinService> {
  const feeds = createFeeds(options);
  const mayer = rememberLast(mayerAnswer);
  const puell = rememberLast(puellAnswer);
  const nvt = rememberLast(nvtAnswer);
  const s2f = rememberLast(s2fAnswer);
  const series = createSeries();

  /** Runs one call within its time, and makes a caller's Failure of what goes wrong. */
  const within = async <Answer>(context: HandlerContext, work: (deadline: Deadline) => Promise<Answer>): Promise<Answer> => {
    const deadline = deadlineOf(context, options.clock, budgetMs);
    try {
      return await work(deadline);
    } catch (thrown) {
      throw upstreamFailure(thrown, deadline, "the source of Bitcoin's data");
    }
  };

  return {
    name: "bitcoin",
    desc: BitcoinService,
    implementation: {
      getMayer: (_request, context) => within(context, async (deadline) => mayer(await feeds.closes.get(deadline)).message),
      getPuell: (_request, context) => within(context, async (deadline) => puell(await feeds.revenue.get(deadline)).message),
      getNvt: (_request, context) => within(context, async (deadline) => nvt(...(await forNvt(feeds, deadline))).message),
      getS2f: (_request, context) => within(context, async (deadline) => s2f(...(await forS2f(feeds, deadline))).message),

      getSummary: (_request, context) =>
        within(context, async (deadline) => {
          const [nvtInputs, s2fInputs, revenue] = await Promise.all([
            forNvt(feeds, deadline),
            forS2f(feeds, deadline),
            feeds.revenue.get(deadline),
          ]);
          const four = { mayer: mayer(s2fInputs[0]), puell: puell(revenue), nvt: nvt(...nvtInputs), s2f: s2f(...s2fInputs) };
          const zones = { mayer: four.mayer.zone, puell: four.puell.zone, nvt: four.nvt.zone, s2f: four.s2f.zone };
          return {
            cycle: cycleOf(zones),
            mayer: four.mayer.message,
            puell: four.puell.message,
            nvt: four.nvt.message,
            s2f: four.s2f.message,
          };
        }),

      getHistory: ({ indicator, days = historyDaysByDefault }, context) =>
        within(context, async (deadline) => {
          const whole: Record<IndicatorName, () => Promise<Series>> = {
            mayer: async () => series.mayer(await feeds.closes.get(deadline)),
            puell: async () => series.puell(await feeds.revenue.get(deadline)),
            nvt: async () => series.nvt(...(await forNvt(feeds, deadline))),
            s2f: async () => series.s2f(...(await forS2f(feeds, deadline))),
          };
          // The contract's own rule lets no other name through.
          const name = indicator as IndicatorName;
          return historyAnswer(name, days, await whole[name]());
        }),
    },
    close: () => feeds.close(),
  };
}

const forNvt = ({ closes, supply, volume }: Feeds, deadline: Deadline) =>
  Promise.all([closes.get(deadline), supply.get(deadline), volume.get(deadline)]);

const forS2f = ({ closes, supply }: Feeds, deadline: Deadline) => Promise.all([closes.get(deadline), supply.get(deadline)]);
