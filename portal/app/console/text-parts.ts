// Long text in portions: a page shows the start, and more when it is asked for, up to what a browser can show without keeping its reader waiting.
import { useState } from "preact/hooks";

/** The shown part of a length, and how to see more of it. */
export interface Portion {
  readonly shown: number;
  /** Undefined where all is shown that can be. */
  readonly more: (() => void) | undefined;
}

/** Shows `first` at first, and four times as much each time, until it is `most`. */
export function usePortion(length: number, first: number, most: number): Portion {
  const [limit, setLimit] = useState(first);
  return { shown: Math.min(limit, length), more: length > limit && limit < most ? () => setLimit(limit * 4) : undefined };
}
