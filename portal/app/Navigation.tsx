// The list of the application's pages. On a narrow screen it folds under the name of the page that is open.
import { useEffect, useState } from "preact/hooks";
import { AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import { useQuery } from "../api/use-query.ts";
import styles from "./Navigation.module.css";
import type { ShellPage } from "./Shell.tsx";

// The same as in the styles.
const NARROW = matchMedia("(max-width: 60rem)");

/** `page` is the one that is open. */
export function Navigation({ pages, page }: { readonly pages: readonly ShellPage[]; readonly page: ShellPage }) {
  const { data } = useQuery(AccountService.method.getAccount, {});
  const isOperator = data?.account?.isOperator === true;
  const [isOpen, setOpen] = useState(!NARROW.matches);
  // Whoever has chosen a page wants to see it.
  useEffect(() => setOpen(!NARROW.matches), [page]);
  useEffect(() => {
    const fold = (): void => setOpen(!NARROW.matches);
    NARROW.addEventListener("change", fold);
    return () => NARROW.removeEventListener("change", fold);
  }, []);
  return (
    <details class={styles.fold} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{page.nav ?? "Menu"}</summary>
      <nav class={styles.nav} aria-label="Dashboard">
        {pages
          .filter(({ nav, access }) => nav !== undefined && (access !== "operator" || isOperator))
          .map((one) => (
            <a
              key={one.path}
              // Without what may be missing.
              href={one.path.replaceAll(/\/:\w+\?/g, "")}
              aria-current={one === page ? "page" : undefined}
              onPointerEnter={() => void one.component.preload()}
              onFocus={() => void one.component.preload()}
            >
              {one.nav}
            </a>
          ))}
      </nav>
    </details>
  );
}
