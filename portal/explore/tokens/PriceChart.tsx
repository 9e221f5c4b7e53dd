// A token's price over a span: a plot, how much it changed, and a table.
import { useMemo } from "preact/hooks";
import { TokenPriceService } from "../../../gen/quintet/tokenprice/v1/token_price_pb.js";
import { useQuery } from "../../api/use-query.ts";
import { Plot } from "../../components/plot/Plot.tsx";
import { PlotTable } from "../../components/plot/PlotTable.tsx";
import type { LinesData } from "../../components/plot/plot-data.ts";
import { EmptyState } from "../../components/ui/EmptyState.tsx";
import { Problem } from "../../components/ui/Problem.tsx";
import { Skeleton } from "../../components/ui/Skeleton.tsx";
import { Choices } from "../Choices.tsx";
import { formatDateTime, formatPercent, formatUsd, formatUsdTick, millisOf } from "../formats.ts";
import type { UrlState } from "../url-state.ts";
import styles from "./Tokens.module.css";

// The number and spacing of the points that each choice requests. A call returns at most 500 points.
const SPANS = {
  day: { label: "1 day", span: 288, period: "5m" },
  week: { label: "1 week", span: 168, period: "1h" },
  month: { label: "1 month", span: 186, period: "4h" },
  year: { label: "1 year", span: 366, period: "1d" },
  all: { label: "5 years", span: 261, period: "1w" },
} as const;

/** The source records a price every five minutes. */
const FRESH_MS = 300_000;

type Span = keyof typeof SPANS;

const isSpan = (name: string | undefined): name is Span => name !== undefined && Object.hasOwn(SPANS, name);

/** `id` is `chain:address`. */
export function PriceChart({ id, url }: { readonly id: string; readonly url: UrlState }) {
  const named = url.get("span");
  const chosen = isSpan(named) ? named : "month";
  const { span, period } = SPANS[chosen];
  // The day's chart grows while the user watches.
  const chart = useQuery(
    TokenPriceService.method.getPriceCharts,
    { tokens: [id], span, period },
    { staleTime: FRESH_MS, ...(chosen === "day" && { refetchInterval: FRESH_MS }) },
  );
  const points = chart.data?.results[0]?.points;
  const data = useMemo(
    (): LinesData => ({
      kind: "lines",
      timesMs: (points ?? []).map(({ time }) => millisOf(time)),
      series: [{ label: "Price", colour: "var(--token-price)", values: (points ?? []).map(({ price }) => price) }],
      bands: [],
      isLogarithmic: false,
      formatTime: formatDateTime,
      formatValue: formatUsd,
      formatTick: formatUsdTick,
    }),
    [points],
  );
  const [first, last] = [points?.[0]?.price, points?.at(-1)?.price];
  return (
    <>
      <div class={styles.spans}>
        <Choices
          label="Period"
          choices={(Object.keys(SPANS) as Span[]).map((name) => [name, SPANS[name].label] as const)}
          chosen={chosen}
          onChoose={(name) => url.set({ span: name })}
        />
        {first !== undefined && last !== undefined && (
          <span>
            {formatPercent(last / first - 1)} in {SPANS[chosen].label}
          </span>
        )}
      </div>
      <Problem problem={chart.problem} isBusy={chart.isFetching} onRetry={chart.refetch} />
      {chart.data === undefined && chart.problem === undefined && <Skeleton rem={24} />}
      {chart.data !== undefined && data.timesMs.length === 0 && (
        <EmptyState title="No price found">
          <p>The source has no price for this token in this period. Choose another period or token.</p>
        </EmptyState>
      )}
      {data.timesMs.length > 0 && (
        <>
          <Plot label={`Price over ${SPANS[chosen].label}`} data={data} />
          <PlotTable label="Price over time" heading="Time" data={data} />
        </>
      )}
    </>
  );
}
