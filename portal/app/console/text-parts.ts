// Long text in portions: a page shows the start, and more on request, up to what a browser can show without a noticeable delay.
import { useState } from "preact/hooks";

/** How much of a string is shown, and how to show more. */
export interface Portion {
  readonly shown: number;
  /** Undefined if no more can be shown. */
  readonly more: (() => void) | undefined;
}

/** Starts with `first`, and shows four times as much each time, up to `most`. */
export function usePortion(length: number, first: number, most: number): Portion {
  const [limit, setLimit] = useState(first);
  return { shown: Math.min(limit, length), more: length > limit && limit < most ? () => setLimit(limit * 4) : undefined };
}
