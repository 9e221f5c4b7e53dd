// How close a record of calls comes to its rate: the time window that admitted the most, as a percentage of the rate times its length plus
// the burst. A call was admitted between its start and its end, so all calls completely inside a window were admitted in it.

/** An admitted call. */
export interface AdmittedCall {
  readonly startMs: number;
  readonly endMs: number;
}

/** The worst of all windows: 100 is exactly the rate and the burst. */
export function worstWindowPercent(calls: readonly AdmittedCall[], requestsPerSecond: number): number {
  const byEnd = calls.toSorted((a, b) => a.endMs - b.endMs);
  const starts = Float64Array.from(byEnd, ({ startMs }) => startMs);
  const ends = Float64Array.from(byEnd, ({ endMs }) => endMs);
  let worst = 0;
  let first = 0;
  for (const fromMs of starts.toSorted()) {
    while ((ends[first] as number) < fromMs) {
      first++;
    }
    let inside = 0;
    for (let last = first; last < ends.length; last++) {
      if ((starts[last] as number) >= fromMs) {
        inside++;
        const allowed = requestsPerSecond * (1 + ((ends[last] as number) - fromMs) / 1000);
        worst = Math.max(worst, inside / allowed);
      }
    }
  }
  return 100 * worst;
}
