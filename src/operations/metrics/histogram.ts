// Histograms in a worker's memory, with a cell for each bucket and one for the sum. A value is counted in one bucket. The buckets are added
// up when they are read, as Prometheus requires.

/** Counts a value in the histogram that begins at `offset`. `bounds` are the upper bounds of its buckets. */
export function observe(cells: Float64Array, offset: number, bounds: readonly number[], value: number): void {
  let bucket = 0;
  // Most values are in one of the first buckets, so a linear search is fastest.
  while (bucket < bounds.length && value > (bounds[bucket] as number)) {
    bucket += 1;
  }
  (cells[offset + bucket] as number)++;
  (cells[offset + bounds.length + 1] as number) += value;
}
