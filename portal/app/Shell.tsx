// The frame of every page of the application: the header, and the navigation for customers.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso";
import { AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import { useQuery } from "../api/use-query.ts";
import { Brand } from "../components/Brand.tsx";
import { AccountChanged } from "../components/ui/AccountChanged.tsx";
import { bindSearch } from "../scripts/search-box.ts";
import { bindThemeToggle } from "../scripts/theme-toggle.ts";
import { Navigation } from "./Navigation.tsx";
import { pageAt } from "./pages.ts";
import styles from "./Shell.module.css";
import { SignOutButton } from "./SignOutButton.tsx";
import { Suspended } from "./Suspended.tsx";

const SITE_LINKS = [
  ["/docs", "Docs"],
  ["/reference", "Reference"],
  ["/plans", "Plans"],
  ["/explore", "Explore"],
] as const;

/** The frame around the page that is open. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  const { path } = useLocation();
  const page = pageAt(path);
  useEffect(() => {
    document.title = `${page.title} – Quintet`;
  }, [page]);
  const isOpen = page.access === "open";
  const account = useQuery(AccountService.method.getAccount, {}, { enabled: !isOpen });
  const isSuspended = !isOpen && account.data?.account?.suspended === true;
  const isNarrow = isOpen || isSuspended;
  return (
    <>
      <a class={styles.skip} href="#content">
        Skip to content
      </a>
      <header class={styles.header}>
        <div class={styles.bar}>
          <a class={styles.home} href="/" aria-label="Quintet, front page">
            <Brand />
            <span>Quintet</span>
          </a>
          <nav class={styles.site} aria-label="Site">
            {SITE_LINKS.map(([href, words]) => (
              <a key={href} href={href}>
                {words}
              </a>
            ))}
          </nav>
          {!isOpen && <Customer />}
          <Tools />
        </div>
      </header>
      {/* The pages keep their place in the tree: a new router, made after signing in, would miss that the page changed. */}
      <div class={isNarrow ? undefined : styles.columns}>
        {!isNarrow && <Navigation page={page} />}
        <main id="content" class={isNarrow ? styles.narrow : styles.main}>
          <AccountChanged email={account.data?.account?.email} />
          {isSuspended ? <Suspended /> : children}
        </main>
      </div>
    </>
  );
}

function Tools() {
  const search = useRef<HTMLButtonElement>(null);
  const theme = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    bindSearch(search.current);
    bindThemeToggle(theme.current);
  }, []);
  return (
    <div class={styles.tools}>
      <button type="button" ref={search} class={styles.tool}>
        <span>Search</span> <kbd>/</kbd>
      </button>
      <button type="button" ref={theme} class={styles.tool} aria-label="Theme: system" />
    </div>
  );
}

function Customer() {
  const { data } = useQuery(AccountService.method.getAccount, {});
  return (
    <div class={styles.customer}>
      <span class={styles.email}>{data?.account?.email ?? data?.account?.name}</span>
      <SignOutButton />
    </div>
  );
}
