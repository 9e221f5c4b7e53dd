// What every document has around its content: head, header, footer.
import type { ComponentChildren } from "preact";
import { markdownPathOf } from "../content/guides.ts";
import { Brand } from "./Brand.tsx";
import styles from "./Layout.module.css";

/** The hashed files that documents load. */
export interface Assets {
  readonly stylesheet: string;
  readonly script: string;
  /** Runs before anything is painted: the chosen colours. */
  readonly themeScript: string;
}

/** The hashed files of a page that has a script of its own. */
export interface LoadedAssets {
  readonly script: string;
  /** What the script imports. */
  readonly modules: readonly string[];
  readonly stylesheets: readonly string[];
}

/** What a document is made with. */
export interface LayoutProps {
  readonly assets: Assets;
  readonly title: string;
  /** One sentence for search engines and previews. */
  readonly description: string;
  readonly path: string;
  /** Whether the page also exists as Markdown. */
  readonly hasMarkdown?: boolean;
  /** Left out if the page has no script of its own. */
  readonly own?: LoadedAssets;
  readonly children: ComponentChildren;
}

const SECTIONS = [
  ["/docs", "Docs"],
  ["/reference", "Reference"],
  ["/errors", "Errors"],
  ["/plans", "Plans"],
  ["/explore", "Explore"],
] as const;

const isIn = (path: string, section: string): boolean => path === section || path.startsWith(`${section}/`);

/** A whole document. */
export function Layout({ assets, title, description, path, hasMarkdown = false, own, children }: LayoutProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{path === "/" ? title : `${title} – Quintet`}</title>
        <meta name="description" content={description} />
        {hasMarkdown && <link rel="alternate" type="text/markdown" href={markdownPathOf(path)} />}
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <script src={assets.themeScript} />
        <link rel="stylesheet" href={assets.stylesheet} />
        {own?.stylesheets.map((href) => (
          <link key={href} rel="stylesheet" href={href} />
        ))}
        <script type="module" src={assets.script} />
        {own?.modules.map((href) => (
          <link key={href} rel="modulepreload" href={href} />
        ))}
        {own !== undefined && <script type="module" src={own.script} />}
      </head>
      <body>
        <a class={styles.skip} href="#content">
          Skip to content
        </a>
        <header class={styles.header}>
          <div class={styles.bar}>
            <a class={styles.home} href="/" aria-label="Quintet, front page">
              <Brand />
              <span>Quintet</span>
            </a>
            <nav class={styles.nav} aria-label="Site">
              {SECTIONS.map(([href, words]) => (
                <a key={href} href={href} aria-current={isIn(path, href) ? (path === href ? "page" : "true") : undefined}>
                  {words}
                </a>
              ))}
            </nav>
            <div class={styles.tools}>
              {/* It leads whoever is not signed in to signing in. */}
              <a class={styles.dashboard} href="/app">
                Dashboard
              </a>
              <button type="button" class={styles.search} data-search hidden>
                <span>Search</span> <kbd>/</kbd>
              </button>
              <button type="button" class={styles.theme} data-theme-toggle hidden aria-label="Theme: system" />
            </div>
          </div>
        </header>
        <main id="content" class={styles.main}>
          {children}
        </main>
        <footer class={styles.footer}>
          <div>
            <span>Quintet: data services, one key.</span>
            <nav aria-label="Machine-readable">
              <a href="/openapi.json">OpenAPI</a>
              <a href="/descriptors.binpb">Descriptors</a>
              <a href="/protos.zip">Protos</a>
              <a href="/docs/clients">Clients</a>
            </nav>
          </div>
        </footer>
      </body>
    </html>
  );
}
