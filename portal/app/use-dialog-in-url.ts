// Which dialog of a page is open, kept in the URL of the page (`?do=rotate&id=…`): it stays open through a reload, and Back closes it.

import { useRef } from "preact/hooks";
import { useLocation } from "preact-iso";

/** The open dialog, and functions that open and close it. */
export interface DialogInUrl {
  /** The value of `do`, which names the dialog; undefined if none is open. */
  readonly name: string | undefined;
  /** The other values of the query. */
  readonly query: Readonly<Record<string, string>>;
  readonly open: (name: string, values?: Readonly<Record<string, string>>) => void;
  readonly close: () => void;
  /** Closes the dialog without going back: its history entry becomes the page's. */
  readonly closeHere: () => void;
}

/** The URL of a page with a dialog open. */
export const dialogPath = (path: string, name: string, values: Readonly<Record<string, string>> = {}): string =>
  `${path}?${new URLSearchParams({ do: name, ...values })}`;

/** The dialog of the page that calls this. */
export function useDialogInUrl(): DialogInUrl {
  const { path, query, route } = useLocation();
  const wasOpenedHere = useRef(false);
  return {
    name: query.do,
    query,
    open(name, values = {}) {
      // A dialog opened from another one replaces it, so closing it leads back to the page.
      const isReplaced = query.do !== undefined;
      wasOpenedHere.current ||= !isReplaced;
      route(dialogPath(path, name, values), isReplaced);
    },
    close() {
      if (wasOpenedHere.current) {
        wasOpenedHere.current = false;
        history.back();
      } else {
        route(path, true);
      }
    },
    closeHere() {
      wasOpenedHere.current = false;
      route(path, true);
    },
  };
}
