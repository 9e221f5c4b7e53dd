// The list of the application's pages. On a narrow screen it folds under the name of the page that is open.
import { useEffect, useState } from "preact/hooks";
import { AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import { useQuery } from "../api/use-query.ts";
import styles from "./Navigation.module.css";
import { type AppPage, PAGES } from "./pages.ts";
import { fixedPathOf, sectionOf } from "./routes.ts";

// The same width as in the styles.
const NARROW = matchMedia("(max-width: 60rem)");

/** `page` is the open page. */
export function Navigation({ page }: { readonly page: AppPage }) {
  const { data } = useQuery(AccountService.method.getAccount, {});
  const isOperator = data?.account?.isOperator === true;
  const section = sectionOf(PAGES, page);
  const [isOpen, setOpen] = useState(!NARROW.matches);
  // Folds the list once a page has been chosen from it.
  useEffect(() => setOpen(!NARROW.matches), [page]);
  useEffect(() => {
    const fold = (): void => setOpen(!NARROW.matches);
    NARROW.addEventListener("change", fold);
    return () => NARROW.removeEventListener("change", fold);
  }, []);
  return (
    <details class={styles.fold} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{section?.nav ?? "Menu"}</summary>
      <nav class={styles.nav} aria-label="Dashboard">
        {PAGES.filter(({ nav, access }) => nav !== undefined && (access !== "operator" || isOperator)).map((one) => (
          <a key={one.path} href={fixedPathOf(one)} aria-current={one !== section ? undefined : one === page ? "page" : "true"}>
            {one.nav}
          </a>
        ))}
      </nav>
    </details>
  );
}
