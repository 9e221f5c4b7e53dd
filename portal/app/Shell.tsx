// The frame of every page of the application: the header, and the navigation for customers.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import { markMember } from "../api/member-mark.ts";
import { ownAccountOf } from "../api/names-account.ts";
import { pageAccount } from "../api/page-account.ts";
import { useQuery } from "../api/use-query.ts";
import { SiteHeader } from "../components/SiteHeader.tsx";
import { SkipLink } from "../components/SkipLink.tsx";
import { AccountChanged } from "../components/ui/AccountChanged.tsx";
import { useLoaded } from "../components/ui/use-loaded.ts";
import { bindSearch } from "../scripts/search-box.ts";
import { bindThemeToggle } from "../scripts/theme-toggle.ts";
import { AccountMenu } from "./AccountMenu.tsx";
import { takeAccessEnded } from "./access-ended.ts";
import { Navigation } from "./Navigation.tsx";
import { OpenIncidents } from "./OpenIncidents.tsx";
import { pageAt } from "./pages.ts";
import styles from "./Shell.module.css";

const loadSuspended = async () => (await import("./Suspended.tsx")).Suspended;
const loadBar = async () => (await import("./SharedAccountBar.tsx")).SharedAccountBar;

/** The frame around the page that is open. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  const { path } = useLocation();
  const page = pageAt(path);
  useEffect(() => {
    document.title = `${page.title} – Quintet`;
  }, [page]);
  useEffect(() => {
    bindSearch(document.querySelector<HTMLButtonElement>("[data-search]"));
    bindThemeToggle(document.querySelector<HTMLButtonElement>("[data-theme-toggle]"));
  }, []);
  const isOpen = page.access === "open";
  const account = useQuery(AccountService.method.getAccount, {}, { enabled: !isOpen });
  const isKnown = account.data?.account !== undefined;
  useEffect(() => {
    if (isKnown) {
      markMember(true);
    }
  }, [isKnown]);
  const [hasAccessEnded, setAccessEnded] = useState(takeAccessEnded);
  const SharedAccountBar = useLoaded(loadBar, hasAccessEnded || pageAccount.shared !== undefined);
  const isSuspended = !isOpen && account.data?.account?.suspended === true;
  const isNarrow = isOpen || isSuspended;
  const Suspended = useLoaded(loadSuspended, isSuspended);
  return (
    <>
      <SkipLink />
      <SiteHeader path={path}>{isOpen ? undefined : <AccountMenu />}</SiteHeader>
      {/* The pages keep their place in the tree: a new router, created after signing in, would not notice that the page has changed. */}
      <div class={isNarrow ? undefined : `${styles.columns} ${page.isWide === true ? styles.wide : ""}`}>
        {!isNarrow && <Navigation page={page} />}
        <main id="content" class={isNarrow ? styles.narrow : styles.main}>
          <AccountChanged email={account.data && ownAccountOf(account.data)?.email} />
          {!isOpen && SharedAccountBar && (
            <SharedAccountBar hasAccessEnded={hasAccessEnded} onClose={() => setAccessEnded(false)} />
          )}
          {!isNarrow && <OpenIncidents />}
          {isSuspended ? Suspended && <Suspended /> : children}
        </main>
      </div>
    </>
  );
}
