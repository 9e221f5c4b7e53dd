// A few bars over time, as an inline SVG: a plain grid, and above it a legend with the values at the pointer. For more times than fit side
// by side, use Plot.tsx.

import styles from "./BarChart.module.css";
import { stackOf, tickOf } from "./bar-stack.ts";
import { type BarsData, valueText } from "./plot-data.ts";
import { usePointed } from "./use-pointed.ts";

const HEIGHT = 100;
// In hundredths of the space for a bar.
const BAR_FROM = 15;
const BAR_WIDTH = 70;
const BAR_SPACE = 100;

/** `label` says in a sentence what the chart shows. While no bar is pointed at, the legend shows the totals, labelled `whole`. */
export function BarChart({
  label,
  data,
  whole,
  formatTick,
}: {
  readonly label: string;
  readonly data: BarsData;
  readonly whole: string;
  readonly formatTick: (value: number) => string;
}) {
  const { timesMs, series, formatTime } = data;
  const textAt = (index: number): string =>
    [formatTime(timesMs[index] ?? 0), ...series.map((one) => `${one.label} ${valueText(data, one.values[index])}`)].join(", ");
  const { index, point, attributes } = usePointed(timesMs.length, label, textAt);
  const stacks = stackOf(series);
  const tick = tickOf(Math.max(0, ...stacks.map((stack) => stack.at(-1)?.to ?? 0)));
  const top = 2 * tick;
  const y = (value: number): number => HEIGHT - (value / top) * HEIGHT;
  const sumOf = (values: readonly (number | null)[]): number => values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  return (
    <figure class={styles.chart}>
      <figcaption class={styles.legend}>
        <span class={styles.time}>{index === undefined ? whole : formatTime(timesMs[index] ?? 0)}</span>
        {series.map(({ label: name, colour, values }) => (
          <span key={name}>
            <i style={{ background: colour }} /> {name}{" "}
            <b>{valueText(data, index === undefined ? sumOf(values) : values[index])}</b>
          </span>
        ))}
      </figcaption>
      <div class={styles.body}>
        <div class={styles.ticks} aria-hidden="true">
          {[top, tick, 0].map((value) => (
            <span key={value}>{formatTick(value)}</span>
          ))}
        </div>
        <div
          class={styles.plot}
          {...attributes}
          onPointerMove={({ currentTarget, clientX }) => {
            const { left, width } = currentTarget.getBoundingClientRect();
            point(Math.max(0, Math.min(timesMs.length - 1, Math.floor(((clientX - left) / width) * timesMs.length))));
          }}
          onPointerLeave={() => point(undefined)}
        >
          <svg viewBox={`0 0 ${timesMs.length * BAR_SPACE} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
            {[top, tick, 0].map((value) => (
              <line key={value} class={styles.grid} x1="0" x2={timesMs.length * BAR_SPACE} y1={y(value)} y2={y(value)} />
            ))}
            {index !== undefined && <rect class={styles.pointed} x={index * BAR_SPACE} width={BAR_SPACE} y="0" height={HEIGHT} />}
            {stacks.flatMap((stack, at) =>
              stack.map(({ from, to, colour }) => (
                <rect
                  key={`${at} ${colour}`}
                  x={at * BAR_SPACE + BAR_FROM}
                  width={BAR_WIDTH}
                  y={y(to)}
                  height={y(from) - y(to)}
                  style={{ fill: colour }}
                />
              )),
            )}
          </svg>
        </div>
        <div class={styles.times} aria-hidden="true">
          {[0, 0.25, 0.5, 0.75].map((part) => (
            <span key={part}>{formatTime(timesMs[Math.floor(part * timesMs.length)] ?? 0)}</span>
          ))}
        </div>
      </div>
    </figure>
  );
}
