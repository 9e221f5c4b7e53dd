// The document of a page of the application. It holds only the header; the application adds the rest once its script has loaded.
import { Brand } from "../components/Brand.tsx";
import type { LoadedAssets } from "../components/Layout.tsx";
import styles from "./Shell.module.css";

/** The whole document. `themeScript` runs before anything is painted: the chosen colours. */
export const AppDocument = ({
  title,
  assets,
  themeScript,
}: {
  readonly title: string;
  readonly assets: LoadedAssets;
  readonly themeScript: string;
}) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>{`${title} – Quintet`}</title>
      <meta name="robots" content="noindex" />
      <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      <script src={themeScript} />
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
        <header class={styles.header}>
          <div class={styles.bar}>
            <a class={styles.home} href="/" aria-label="Quintet, front page">
              <Brand />
              <span>Quintet</span>
            </a>
          </div>
        </header>
        <noscript>
          <main class={styles.noscript}>
            <h1>The dashboard needs scripts</h1>
            <p>
              Allow scripts for this address and reload the page. Everything the dashboard does can also be done by calling the{" "}
              <a href="/docs/accounts">account services</a>.
            </p>
          </main>
        </noscript>
      </div>
    </body>
  </html>
);
