// The geometry of a sparkline. Pure.

/** The size of the drawing, which is stretched to fit. */
export const WIDTH = 120;
export const HEIGHT = 32;
// Keeps the line from being cut off at its top and bottom.
const MARGIN = 2;

/** The points of the line, as in an SVG: `0,30 120,2`. The largest value is at the top, 0 at the bottom. At least two values. */
export function pointsOf(values: readonly number[]): string {
  const most = Math.max(1, ...values);
  const round = (value: number): number => Math.round(value * 10) / 10;
  return values
    .map((value, index) => {
      const x = (index * WIDTH) / (values.length - 1);
      return `${round(x)},${round(HEIGHT - MARGIN - (value / most) * (HEIGHT - 2 * MARGIN))}`;
    })
    .join(" ");
}
