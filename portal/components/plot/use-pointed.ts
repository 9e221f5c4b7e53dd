// Which time of a plot is pointed at, by the pointer or by the arrow keys.
import { useState } from "preact/hooks";

/** The time, and the attributes that let the keyboard move it. */
export interface Pointed {
  /** The index of the time; undefined if none is pointed at. */
  readonly index: number | undefined;
  readonly point: (index: number | undefined) => void;
  /** Attributes for the element that contains the plot. Screen readers read out the values at each time. */
  readonly attributes: {
    readonly role: "slider";
    readonly tabIndex: 0;
    readonly "aria-label": string;
    readonly "aria-valuemin": number;
    readonly "aria-valuemax": number;
    readonly "aria-valuenow": number;
    readonly "aria-valuetext": string;
    readonly onKeyDown: (event: KeyboardEvent) => void;
    readonly onBlur: () => void;
  };
}

/**
 * `label` says what the plot shows; `textAt` gives the values at one of `count` times, in words. The keyboard starts at the last one.
 * `onKey` is called with the index that a key has moved to.
 */
export function usePointed(
  count: number,
  label: string,
  textAt: (index: number) => string,
  onKey: (index: number | undefined) => void = () => undefined,
): Pointed {
  const [index, point] = useState<number | undefined>(undefined);
  const last = Math.max(0, count - 1);
  const shown = Math.min(index ?? last, last);
  return {
    index: index === undefined ? undefined : shown,
    point,
    attributes: {
      role: "slider",
      tabIndex: 0,
      "aria-label": label,
      "aria-valuemin": 1,
      "aria-valuemax": last + 1,
      "aria-valuenow": shown + 1,
      "aria-valuetext": textAt(shown),
      onKeyDown(event) {
        const next = nextIndex(event.key, index, last);
        if (next !== undefined) {
          event.preventDefault();
          const pointed = next < 0 ? undefined : next;
          point(pointed);
          onKey(pointed);
        }
      },
      onBlur: () => point(undefined),
    },
  };
}

/** The index that a key moves to: -1 for none, undefined for a key that does nothing here. */
export function nextIndex(key: string, index: number | undefined, last: number): number | undefined {
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      return index === undefined ? last : Math.max(0, index - 1);
    case "ArrowRight":
    case "ArrowUp":
      return index === undefined ? last : Math.min(last, index + 1);
    case "Home":
      return 0;
    case "End":
      return last;
    case "Escape":
      return -1;
    default:
      return undefined;
  }
}
