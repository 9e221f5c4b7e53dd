// Keeps what a page shows in its URL, so that the page can be reloaded, shared, and returned to.
import { useEffect, useState } from "preact/hooks";

/** Name → value; undefined removes the name. */
type Changes = Readonly<Record<string, string | undefined>>;

/** The values in the URL, and a function that changes them. A `step` gets a history entry; typing does not. */
export interface UrlState {
  readonly get: (name: string) => string | undefined;
  readonly set: (changes: Changes, how?: "step" | "typing") => void;
}

/** The URL of this page. The component is rendered again after each change. */
export function useUrlState(): UrlState {
  const [search, setSearch] = useState(location.search);
  useEffect(() => {
    const update = (): void => setSearch(location.search);
    addEventListener("popstate", update);
    return () => removeEventListener("popstate", update);
  }, []);
  const parameters = new URLSearchParams(search);
  return {
    get: (name) => parameters.get(name) ?? undefined,
    set(changes, how = "step") {
      const changed = new URLSearchParams(location.search);
      for (const [name, value] of Object.entries(changes)) {
        if (value === undefined || value === "") {
          changed.delete(name);
        } else {
          changed.set(name, value);
        }
      }
      const next = changed.size === 0 ? "" : `?${changed}`;
      if (next === location.search) {
        return;
      }
      if (how === "step") {
        history.pushState(null, "", location.pathname + next);
      } else {
        history.replaceState(null, "", location.pathname + next);
      }
      setSearch(next);
    },
  };
}
