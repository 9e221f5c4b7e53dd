// The list of the application's pages, in groups. On a narrow screen it folds under the name of the page that is open.
import { useEffect, useState } from "preact/hooks";
import { Icon } from "../components/Icon.tsx";
import styles from "./Navigation.module.css";
import { type AppPage, PAGES } from "./pages.ts";
import { useOwnAccount } from "./role.ts";
import { fixedPathOf, sectionOf } from "./routes.ts";

// The same width as in the styles.
const NARROW = matchMedia("(max-width: 60rem)");

const LISTED = PAGES.flatMap((page) => (page.nav === undefined ? [] : [{ page, ...page.nav }]));

/** `page` is the open page. */
export function Navigation({ page }: { readonly page: AppPage }) {
  const isOperator = useOwnAccount()?.operator === true;
  const section = sectionOf(PAGES, page);
  const [isOpen, setOpen] = useState(!NARROW.matches);
  // Folds the list once a page has been chosen from it.
  useEffect(() => setOpen(!NARROW.matches), [page]);
  useEffect(() => {
    const fold = (): void => setOpen(!NARROW.matches);
    NARROW.addEventListener("change", fold);
    return () => NARROW.removeEventListener("change", fold);
  }, []);
  const groups = Map.groupBy(
    LISTED.filter((one) => one.page.access !== "operator" || isOperator),
    ({ group }) => group,
  );
  return (
    <details class={styles.fold} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="menu" /> {section?.nav?.label ?? "Menu"}
      </summary>
      <nav class={styles.nav} aria-label="Dashboard">
        {Array.from(groups, ([group, entries]) => (
          <section key={group} aria-label={group === "" ? "Start" : group}>
            {group !== "" && <h2>{group}</h2>}
            {entries.map((one) => (
              <a
                key={one.page.path}
                href={fixedPathOf(one.page)}
                aria-current={one.page !== section ? undefined : one.page === page ? "page" : "true"}
              >
                <Icon name={one.icon} /> {one.label}
              </a>
            ))}
          </section>
        ))}
      </nav>
    </details>
  );
}
