// The handlers of BitcoinService: each method gets the data it needs from the feeds. Results are computed once for each reading of
// the sources. An indicator whose newest day is too old fails; a history ends with its newest day; the summary has what there is.
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { BitcoinService, type GetSummaryResponseSchema } from "../../../gen/quintet/bitcoin/v1/bitcoin_pb.js";
import { Failure } from "../../problem/failure.ts";
import { type Deadline, deadlineOf } from "../../upstream/deadline.ts";
import { UpstreamFault } from "../../upstream/fault.ts";
import { upstreamFailure } from "../../upstream/upstream-failure.ts";
import { withPrecision } from "../precision.ts";
import type { DataService } from "../service.ts";
import { dayOfMs, isoDay } from "./day.ts";
import { AGE_DAYS_MAX, type Feed } from "./feeds/feed.ts";
import { createFeeds, type FeedsOptions } from "./feeds/feeds.ts";
import { createSeries, historyResponse, type IndicatorName, requestedDays, type Series } from "./get-history.ts";
import { cycleOf } from "./indicators/cycle.ts";
import { memoizeLast } from "./memoize-last.ts";
import {
  earliestRead,
  extentsOf,
  freshnessAt,
  type IndicatorResponse,
  mayerResponse,
  nvtResponse,
  puellResponse,
  s2fResponse,
  Unavailable,
} from "./responses.ts";

// The first reading fetches eleven years of daily data.
const BUDGET_MS = 20_000;
// How much of a caller's time the summary waits for its indicators. The rest is for the response with those that are there.
const SUMMARY_SHARE = 0.9;

const TITLES: Readonly<Record<IndicatorName, string>> = {
  mayer: "The Mayer Multiple",
  puell: "The Puell Multiple",
  nvt: "The NVT ratio",
  s2f: "Stock-to-Flow",
};

/** A feed has no data. */
class NoData extends Error {
  readonly source: string;

  constructor(what: string, fault: UpstreamFault) {
    super("no data", { cause: fault });
    this.source = `the source of ${what}`;
  }
}

/** Reads nothing before the first call. */
export function createBitcoin(options: FeedsOptions): DataService<typeof BitcoinService> {
  const { clock } = options;
  const feeds = createFeeds(options);
  const mayer = memoizeLast(mayerResponse);
  const puell = memoizeLast(puellResponse);
  const nvt = memoizeLast(nvtResponse);
  const s2f = memoizeLast(s2fResponse);
  const series = createSeries();

  const closes = reader(feeds.closes, "closing prices");
  const revenue = reader(feeds.revenue, "miner revenue");
  const supply = reader(feeds.supply, "the supply");
  const volume = reader(feeds.volume, "transaction values");
  const forNvt = (deadline: Deadline) => Promise.all([closes(deadline), supply(deadline), volume(deadline)]);
  const forS2f = (deadline: Deadline) => Promise.all([closes(deadline), supply(deadline)]);

  /** Returns the reading, or throws Unavailable if its day is too old. Feeds may be recent without sharing a recent day. */
  const requireRecent = <Message>(reading: IndicatorResponse<Message>): IndicatorResponse<Message> => {
    const { asOf, inputs } = reading;
    if (dayOfMs(clock.nowMs()) - asOf > AGE_DAYS_MAX) {
      throw new Unavailable(`${extentsOf(inputs)}; ${isoDay(asOf)}, the last complete day, is more than ${AGE_DAYS_MAX} days ago`);
    }
    return reading;
  };

  const readings = {
    mayer: async (deadline: Deadline) => requireRecent(mayer(await closes(deadline))),
    puell: async (deadline: Deadline) => requireRecent(puell(await revenue(deadline))),
    nvt: async (deadline: Deadline) => requireRecent(nvt(...(await forNvt(deadline)))),
    s2f: async (deadline: Deadline) => requireRecent(s2f(...(await forS2f(deadline)))),
  };

  const freshness = (fetchedAtMs: number) => freshnessAt(fetchedAtMs, clock.nowMs());

  const wholeSeries: Readonly<Record<IndicatorName, (deadline: Deadline) => Promise<Series>>> = {
    mayer: async (deadline) => series.mayer(await closes(deadline)),
    puell: async (deadline) => series.puell(await revenue(deadline)),
    nvt: async (deadline) => series.nvt(...(await forNvt(deadline))),
    s2f: async (deadline) => series.s2f(...(await forS2f(deadline))),
  };

  /** Runs one call within its deadline, and turns errors into Failures for the caller. */
  const withinDeadline = async <Result>(
    context: HandlerContext,
    what: string,
    work: (deadline: Deadline) => Promise<Result>,
  ): Promise<Result> => {
    const deadline = deadlineOf(context, clock, BUDGET_MS);
    try {
      return await work(deadline);
    } catch (thrown) {
      if (thrown instanceof Unavailable) {
        throw unavailable(what, thrown.message);
      }
      throw thrown instanceof NoData
        ? upstreamFailure(thrown.cause, deadline, thrown.source)
        : upstreamFailure(thrown, deadline, what);
    }
  };

  const getSummary = async (deadline: Deadline): Promise<MessageInitShape<typeof GetSummaryResponseSchema>> => {
    const shorter = { ...deadline, timeLeftMs: () => deadline.timeLeftMs() * SUMMARY_SHARE };
    const missing: { indicator: IndicatorName; reason: string }[] = [];
    const readingOf = async <Name extends IndicatorName>(indicator: Name) => {
      try {
        return await (readings[indicator](shorter) as ReturnType<(typeof readings)[Name]>);
      } catch (thrown) {
        if (deadline.signal.aborted || !(thrown instanceof Unavailable || thrown instanceof NoData)) {
          throw thrown;
        }
        missing.push({ indicator, reason: thrown instanceof NoData ? whyNoData(thrown) : thrown.message });
        return undefined;
      }
    };
    const [mayerNow, puellNow, nvtNow, s2fNow] = await Promise.all([
      readingOf("mayer"),
      readingOf("puell"),
      readingOf("nvt"),
      readingOf("s2f"),
    ]);
    const known = [mayerNow, puellNow, nvtNow, s2fNow].filter((reading) => reading !== undefined);
    if (known.length === 0) {
      throw new Unavailable(missing.map(({ indicator, reason }) => `${indicator}: ${reason}`).join("; "));
    }
    const isComplete = mayerNow !== undefined && puellNow !== undefined && nvtNow !== undefined && s2fNow !== undefined;
    return {
      ...(isComplete && { cycle: cycleOf({ mayer: mayerNow.zone, puell: puellNow.zone, nvt: nvtNow.zone, s2f: s2fNow.zone }) }),
      ...(mayerNow && { mayer: mayerNow.message }),
      ...(puellNow && { puell: puellNow.message }),
      ...(nvtNow && { nvt: nvtNow.message }),
      ...(s2fNow && { s2f: s2fNow.message }),
      asOf: isoDay(Math.min(...known.map(({ asOf }) => asOf))),
      unavailable: missing,
      freshness: freshness(earliestRead(known)),
    };
  };

  return {
    name: "bitcoin",
    desc: BitcoinService,
    implementation: withPrecision(BitcoinService, {
      getMayer: (_request, context) =>
        withinDeadline(context, TITLES.mayer, async (deadline) => {
          const { message, fetchedAtMs } = await readings.mayer(deadline);
          return { mayer: message, freshness: freshness(fetchedAtMs) };
        }),
      getPuell: (_request, context) =>
        withinDeadline(context, TITLES.puell, async (deadline) => {
          const { message, fetchedAtMs } = await readings.puell(deadline);
          return { puell: message, freshness: freshness(fetchedAtMs) };
        }),
      getNvt: (_request, context) =>
        withinDeadline(context, TITLES.nvt, async (deadline) => {
          const { message, fetchedAtMs } = await readings.nvt(deadline);
          return { nvt: message, freshness: freshness(fetchedAtMs) };
        }),
      getS2f: (_request, context) =>
        withinDeadline(context, TITLES.s2f, async (deadline) => {
          const { message, fetchedAtMs } = await readings.s2f(deadline);
          return { s2f: message, freshness: freshness(fetchedAtMs) };
        }),
      getSummary: (_request, context) => withinDeadline(context, "The summary", getSummary),
      getHistory: ({ indicator, ...request }, context) => {
        // The proto's rule allows no other name.
        const name = indicator as IndicatorName;
        const days = requestedDays(request);
        return withinDeadline(context, `The history of ${name}`, async (deadline) =>
          historyResponse(days, await wholeSeries[name](deadline), clock.nowMs()),
        );
      },
    }),
    close: () => feeds.close(),
  };
}

const reader =
  <Data>(feed: Feed<Data>, what: string) =>
  (deadline: Deadline): Promise<Data> =>
    feed.get(deadline).catch((thrown: unknown) => {
      throw thrown instanceof UpstreamFault ? new NoData(what, thrown) : thrown;
    });

const whyNoData = ({ source, cause }: NoData): string =>
  (cause as UpstreamFault).kind === "timeout" ? `${source} has not responded in time` : `${source} gave no usable response`;

const unavailable = (what: string, reason: string): Failure =>
  new Failure({ reason: "UPSTREAM_FAILED", message: `${what} cannot be computed: ${reason}. The call was not counted.` });
