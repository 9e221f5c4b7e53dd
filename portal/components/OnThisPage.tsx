// Links to the sections of a page, next to the page. On a narrow screen they are above it, and can be folded.
import type { Heading } from "../content/markdown.ts";
import styles from "./OnThisPage.module.css";

const LINKS_MAX = 40;
const HEADINGS_MIN = 2;

/** Shows nothing if the page has fewer than two sections. For a page with very many, lists only the sections of the second level. */
export function OnThisPage({ headings }: { readonly headings: readonly Heading[] }) {
  const listed = headings.filter(({ depth }) => depth === 2 || depth === 3);
  const shown = listed.length > LINKS_MAX ? listed.filter(({ depth }) => depth === 2) : listed;
  return shown.length < HEADINGS_MIN ? null : (
    <details class={styles.sections} data-on-this-page open>
      <summary>On this page</summary>
      <nav aria-label="On this page">
        <ul>
          {shown.map(({ id, text, depth }) => (
            <li key={id} class={depth === 3 ? styles.inner : undefined}>
              <a href={`#${id}`}>{text}</a>
            </li>
          ))}
        </ul>
      </nav>
    </details>
  );
}
