// Which dialog of a page is open, kept in the page's address (`?do=rotate&id=…`): it stays open when the page is loaded again, and Back closes it.

import { useRef } from "preact/hooks";
import { useLocation } from "preact-iso";

/** The dialog that is open, and what opens and closes it. */
export interface DialogInUrl {
  /** What it does, as in `do`; undefined when none is open. */
  readonly name: string | undefined;
  /** The other values of the query. */
  readonly query: Readonly<Record<string, string>>;
  readonly open: (name: string, values?: Readonly<Record<string, string>>) => void;
  readonly close: () => void;
}

/** For the page that it is called in. */
export function useDialogInUrl(): DialogInUrl {
  const { path, query, route } = useLocation();
  const wasOpenedHere = useRef(false);
  return {
    name: query.do,
    query,
    open(name, values = {}) {
      wasOpenedHere.current = true;
      route(`${path}?${new URLSearchParams({ do: name, ...values })}`);
    },
    close() {
      if (wasOpenedHere.current) {
        wasOpenedHere.current = false;
        history.back();
      } else {
        route(path, true);
      }
    },
  };
}
