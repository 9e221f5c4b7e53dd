// Bitcoin: the values of the four indicators today, and the history of one of them. The URL says which one, and over how long.
import {
  BitcoinService,
  type Cycle,
  CycleRead,
  type GetSummaryResponse,
  type Mayer,
  ZoneName,
} from "../../../gen/quintet/bitcoin/v1/bitcoin_pb.js";
import { faultOf } from "../../api/reason.ts";
import { useQuery } from "../../api/use-query.ts";
import { Loaded } from "../../components/ui/Loaded.tsx";
import { Problem } from "../../components/ui/Problem.tsx";
import { Skeleton } from "../../components/ui/Skeleton.tsx";
import { Choices } from "../Choices.tsx";
import { formatDay, formatPercent, formatRatio, formatScore, formatWhole } from "../formats.ts";
import { LivePrice } from "../LivePrice.tsx";
import { useUrlState } from "../url-state.ts";
import styles from "./Bitcoin.module.css";
import { HISTORY_REM, History } from "./History.tsx";
import { INDICATORS, indicatorNamed } from "./indicators.ts";

const SPANS = [
  ["365", "1 year"],
  ["1460", "4 years"],
  ["2920", "8 years"],
] as const;

/** Each day has one value. */
const FRESH = { staleTime: 3_600_000 };

export function Bitcoin() {
  const url = useUrlState();
  const summary = useQuery(BitcoinService.method.getSummary, {}, FRESH);
  const indicator = indicatorNamed(url.get("indicator"));
  const days = SPANS.find(([value]) => value === url.get("days"))?.[0] ?? "1460";
  if (faultOf(summary.problem?.reason) === "subscription") {
    return <Problem problem={summary.problem} onRetry={summary.refetch} />;
  }
  return (
    <>
      <section class={styles.now} aria-label="Price now">
        <LivePrice id="coingecko:bitcoin">
          {(usd) => summary.data?.mayer !== undefined && <SinceClose usd={usd} mayer={summary.data.mayer} />}
        </LivePrice>
      </section>
      <Loaded query={summary} rem={14}>
        {(data) => (
          <>
            {data.cycle !== undefined && <CycleText cycle={data.cycle} />}
            <div class={styles.tiles}>
              {INDICATORS.map(({ name, title }) => (
                <Tile
                  key={name}
                  title={title}
                  standing={data[name]}
                  isChosen={name === indicator.name}
                  onChoose={() => url.set({ indicator: name })}
                />
              ))}
            </div>
          </>
        )}
      </Loaded>
      <section aria-label={indicator.title}>
        <div class={styles.heading}>
          <h2>{indicator.title}</h2>
          <Choices label="Period" choices={SPANS} chosen={days} onChoose={(value) => url.set({ days: value })} />
        </div>
        <p class={styles.about}>{indicator.about}</p>
        {/* The history waits for the summary, so that a missing subscription is reported only once. */}
        {summary.data === undefined && summary.problem === undefined ? (
          <Skeleton rem={HISTORY_REM} />
        ) : (
          <History indicator={indicator} days={Number(days)} standing={summary.data?.[indicator.name]} />
        )}
      </section>
    </>
  );
}

// The indicators are for the last full day; the price is today's.
const SinceClose = ({ usd, mayer: { price, average, asOf } }: { readonly usd: number; readonly mayer: Mayer }) => (
  <p>
    {formatPercent(usd / price - 1)} since the close of {formatDay(Date.parse(asOf))}. At this price the Mayer Multiple is{" "}
    {formatRatio(usd / average)}.
  </p>
);

const READ_NAMES: Readonly<Record<CycleRead, string>> = {
  [CycleRead.UNSPECIFIED]: "",
  [CycleRead.DEEP_VALUE]: "deep value",
  [CycleRead.VALUE]: "value",
  [CycleRead.NEUTRAL]: "neutral",
  [CycleRead.RICH]: "rich",
  [CycleRead.EUPHORIA]: "euphoria",
};

const ZONE_NAMES: Readonly<Record<ZoneName, string>> = {
  [ZoneName.UNSPECIFIED]: "",
  [ZoneName.UNDERVALUED]: "undervalued",
  [ZoneName.NEUTRAL]: "neutral",
  [ZoneName.OVERVALUED]: "overvalued",
};

const CycleText = ({ cycle: { read, score, agreement } }: { readonly cycle: Cycle }) => (
  <p class={styles.cycle}>
    Overall reading: <b>{READ_NAMES[read]}</b>, {formatScore(score)} out of 100, where 0 is the cheapest.{" "}
    {formatWhole(agreement * 4)} of the 4 indicators agree.
  </p>
);

type Standing = GetSummaryResponse["mayer" | "puell" | "nvt" | "s2f"];

function Tile({
  title,
  standing,
  isChosen,
  onChoose,
}: {
  readonly title: string;
  readonly standing: Standing;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}) {
  const zone = ZONE_NAMES[standing?.zone?.name ?? ZoneName.UNSPECIFIED];
  return (
    <button type="button" class={styles.tile} aria-pressed={isChosen} onClick={onChoose}>
      <span class={styles.title}>{title}</span>
      <b class={styles.ratio}>{standing === undefined ? "–" : formatRatio(standing.ratio)}</b>
      <span class={styles.zone} data-zone={zone}>
        {zone}
      </span>
      <span class={styles.day}>
        {standing?.$typeName === "quintet.bitcoin.v1.S2f"
          ? `Model vs. price ${formatPercent(standing.modelGapPercent / 100)}`
          : standing?.asOf !== undefined && formatDay(Date.parse(standing.asOf))}
      </span>
    </button>
  );
}
