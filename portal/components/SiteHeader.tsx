// The header of every page: of the documents, of Explore and of the application.
import type { ComponentChildren } from "preact";
import { Brand } from "./Brand.tsx";
import { Icon } from "./Icon.tsx";
import styles from "./SiteHeader.module.css";
import { startPath } from "./visitor-paths.ts";

const SECTIONS = [
  ["/docs", "Docs"],
  ["/reference", "Reference"],
  ["/explore", "Explore"],
  ["/plans", "Plans"],
] as const;

const isInSection = (path: string, section: string): boolean => path === section || path.startsWith(`${section}/`);

/** `path` is the path of the current page. `children` come at the end, in place of the links to sign-in and the dashboard. */
export const SiteHeader = ({ path, children }: { readonly path: string; readonly children?: ComponentChildren }) => (
  <header class={styles.header}>
    <div class={styles.bar}>
      <a class={styles.home} href="/" aria-label="Quintet home">
        <Brand />
        <span>Quintet</span>
      </a>
      <nav class={styles.nav} aria-label="Site">
        {SECTIONS.map(([href, label]) => (
          <a key={href} href={href} aria-current={isInSection(path, href) ? (path === href ? "page" : "true") : undefined}>
            {label}
          </a>
        ))}
      </nav>
      <div class={styles.tools}>
        <button type="button" class={styles.tool} data-search hidden>
          <Icon name="search" size={16} />
          <span class={styles.label}>Search</span>
          <kbd>/</kbd>
        </button>
        {/* Its script names it, and shows it. */}
        <button type="button" class={styles.tool} data-theme-toggle hidden>
          <Icon name="system" size={16} />
          <Icon name="light" size={16} />
          <Icon name="dark" size={16} />
        </button>
      </div>
      <div class={styles.account}>{children ?? <AccountLinks path={path} />}</div>
    </div>
  </header>
);

// The links for members and those for visitors are all in the document; scripts/first-paint.ts decides which are shown.
const AccountLinks = ({ path }: { readonly path: string }) => (
  <>
    <a class={`${styles.link} ${styles.member}`} href="/app">
      Dashboard
    </a>
    <a class={`${styles.link} ${styles.visitor}`} href="/app/sign-in">
      Sign in
    </a>
    <a class={`${styles.start} ${styles.visitor}`} href={startPath(path)}>
      Start free
    </a>
  </>
);
