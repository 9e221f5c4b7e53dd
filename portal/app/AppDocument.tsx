// The HTML document of a page of the application. It has only the header; the application adds the rest once its script has loaded.
import { SERVER_FACTS_PLACEHOLDER } from "../../src/portal/server-facts.ts";
import type { Assets, LoadedAssets } from "../components/Layout.tsx";
import { SiteHeader } from "../components/SiteHeader.tsx";
import menu from "./AccountMenu.module.css";
import styles from "./Shell.module.css";

/** The whole document. `isPublic`: its page needs no session. */
export const AppDocument = ({
  title,
  path,
  isPublic,
  assets,
  shared,
}: {
  readonly title: string;
  readonly path: string;
  readonly isPublic: boolean;
  readonly assets: LoadedAssets;
  /** The files that every page of the site loads. */
  readonly shared: Pick<Assets, "firstPaintScript" | "font">;
}) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>{`${title} – Quintet`}</title>
      <meta name="robots" content="noindex" />
      <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      <link rel="preload" href={shared.font} as="font" type="font/woff2" crossorigin="anonymous" />
      <script src={shared.firstPaintScript} />
      {assets.stylesheets.map((href) => (
        <link key={href} rel="stylesheet" href={href} />
      ))}
      {assets.modules.map((href) => (
        <link key={href} rel="modulepreload" href={href} />
      ))}
      <script type="module" src={assets.script} />
    </head>
    <body>
      <div id="app">
        <SiteHeader path={path}>{isPublic ? undefined : <span class={menu.avatar} />}</SiteHeader>
        <noscript>
          <main class={styles.noscript}>
            <h1>The dashboard needs JavaScript</h1>
            <p>
              Turn it on and reload the page, or call the <a href="/docs/accounts">account services</a> yourself.
            </p>
          </main>
        </noscript>
      </div>
      <template data-placeholder={SERVER_FACTS_PLACEHOLDER} />
    </body>
  </html>
);
