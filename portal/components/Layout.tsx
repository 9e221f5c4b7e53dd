// The frame of every document: head, header, footer.
import type { ComponentChildren } from "preact";
import { markdownPathOf } from "../content/guides.ts";
import styles from "./Layout.module.css";
import { SiteHeader } from "./SiteHeader.tsx";
import { SkipLink } from "./SkipLink.tsx";

/** The hashed files that documents load. */
export interface Assets {
  readonly stylesheet: string;
  readonly script: string;
  /** Runs before anything is painted. */
  readonly firstPaintScript: string;
  /** The file of the font. */
  readonly font: string;
}

/** The hashed files of a page that has a script of its own. */
export interface LoadedAssets {
  readonly script: string;
  /** What the script imports. */
  readonly modules: readonly string[];
  readonly stylesheets: readonly string[];
}

/** The kinds of documents that have styles of their own. */
export type PageKind = "front" | "plans" | "guide" | "quickstart" | "reference" | "error" | "status" | "explore";

/** The hashed files that a document loads in addition to the common ones. */
export interface OwnAssets extends Omit<LoadedAssets, "script"> {
  /** Undefined if the page has no script of its own. */
  readonly script?: string | undefined;
}

/** The properties of a document. */
export interface LayoutProps {
  readonly assets: Assets;
  readonly title: string;
  /** One sentence for search engines and previews. */
  readonly description: string;
  readonly path: string;
  /** Whether the page also exists as Markdown. */
  readonly hasMarkdown?: boolean;
  /** Whether the page is as wide as the header, for pages with columns. */
  readonly isWide?: boolean;
  readonly own: OwnAssets;
  readonly children: ComponentChildren;
}

const STATUS_PATH = "/status";

const FOOTER = [
  [
    "More",
    [
      [STATUS_PATH, "Status"],
      ["/errors", "Errors"],
      ["/docs/clients", "Clients"],
      ["/docs/support", "Support"],
      ["/docs/terms", "Terms"],
      ["/docs/privacy", "Privacy"],
    ],
  ],
  [
    "Machine-readable",
    [
      ["/openapi.json", "OpenAPI"],
      ["/descriptors.binpb", "Descriptors"],
      ["/protos.zip", "Protos"],
    ],
  ],
] as const;

export function Layout({ assets, title, description, path, hasMarkdown = false, isWide = false, own, children }: LayoutProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{path === "/" ? title : `${title} – Quintet`}</title>
        <meta name="description" content={description.replaceAll("`", "")} />
        {path === STATUS_PATH && (
          <link rel="alternate" type="application/atom+xml" title="Incidents" href={`${STATUS_PATH}/feed.atom`} />
        )}
        {hasMarkdown && <link rel="alternate" type="text/markdown" href={markdownPathOf(path)} />}
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="preload" href={assets.font} as="font" type="font/woff2" crossorigin="anonymous" />
        <script src={assets.firstPaintScript} />
        <link rel="stylesheet" href={assets.stylesheet} />
        {own.stylesheets.map((href) => (
          <link key={href} rel="stylesheet" href={href} />
        ))}
        <script type="module" src={assets.script} />
        {own.modules.map((href) => (
          <link key={href} rel="modulepreload" href={href} />
        ))}
        {own.script !== undefined && <script type="module" src={own.script} />}
      </head>
      <body>
        <SkipLink />
        <SiteHeader path={path} />
        <main id="content" class={isWide ? `${styles.main} ${styles.wide}` : styles.main}>
          {children}
        </main>
        <footer class={styles.footer}>
          <div>
            <p>Quintet: data services, one key.</p>
            {FOOTER.map(([label, links]) => (
              <nav key={label} aria-label={label}>
                {links.map(([href, label]) => (
                  <a key={href} href={href}>
                    {label}
                  </a>
                ))}
              </nav>
            ))}
          </div>
        </footer>
      </body>
    </html>
  );
}
