// Quantiles of a window that moves over a series. Pure.

/**
 * For each of `shares` (from 0 to 1), the quantiles of a window that ends with each value and has `window` values; null while there are
 * fewer. The window is kept sorted, so no step has to sort it.
 */
export function rollingQuantiles(
  values: readonly number[],
  window: number,
  shares: readonly number[],
): readonly (readonly (number | null)[])[] {
  const sorted: number[] = [];
  const quantiles = shares.map((): (number | null)[] => []);
  for (const [index, value] of values.entries()) {
    sorted.splice(placeOf(sorted, value), 0, value);
    const left = values[index - window];
    if (left !== undefined) {
      sorted.splice(placeOf(sorted, left), 1);
    }
    for (const [at, share] of shares.entries()) {
      quantiles[at]?.push(sorted.length < window ? null : (sorted[Math.floor(share * (window - 1))] ?? null));
    }
  }
  return quantiles;
}

// The first index whose value is not smaller.
function placeOf(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? Number.POSITIVE_INFINITY) < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
