// A document of Explore before its script runs: where the user is on the site, and what the page shows.
import { EXPLORE_KEY_PLACEHOLDER } from "../../src/portal/explore-key.ts";
import type { ExplorePage } from "../content/explore-pages.ts";
import { EXPLORE_PAGES } from "../content/explore-pages.ts";
import styles from "./ExploreFrame.module.css";

/** The content of the document. The page's script puts the rest into `#explore`. */
export const ExploreFrame = ({ page }: { readonly page: ExplorePage }) => (
  <>
    <nav class={styles.nav} aria-label="Explore">
      {EXPLORE_PAGES.map(({ path, title }) => (
        <a key={path} href={path} aria-current={path === page.path ? "page" : undefined}>
          {title}
        </a>
      ))}
    </nav>
    <h1>{page.title}</h1>
    <p class={styles.lead}>{page.lead}</p>
    {/* The server puts the public key here, if it has one. */}
    <template data-placeholder={EXPLORE_KEY_PLACEHOLDER} />
    <div id="explore" class={styles.place}>
      <noscript>
        <p>
          This page calls the API from your browser, which needs JavaScript. Its calls are described in the{" "}
          <a href="/reference">reference</a>.
        </p>
      </noscript>
    </div>
  </>
);
