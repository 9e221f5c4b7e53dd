// A line without axes, for a cell of a table whose other cells give the numbers, so it is hidden from screen readers.
import styles from "./Sparkline.module.css";
import { HEIGHT, pointsOf, WIDTH } from "./sparkline-points.ts";

/** `colour` is a CSS value. */
export const Sparkline = ({ values, colour }: { readonly values: readonly number[]; readonly colour: string }) => {
  const points = pointsOf(values);
  return (
    <svg
      class={styles.line}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      style={{ color: colour }}
    >
      <polygon points={`0,${HEIGHT} ${points} ${WIDTH},${HEIGHT}`} fill="currentColor" opacity="0.13" />
      <polyline points={points} fill="none" stroke="currentColor" stroke-width="1.6" vector-effect="non-scaling-stroke" />
    </svg>
  );
};
