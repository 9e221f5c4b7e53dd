// The heading of a page, with the page's actions next to it.
import type { ComponentChildren } from "preact";
import styles from "./Heading.module.css";

/** `lead` says in a sentence what the page is for. */
export const Heading = ({
  title,
  lead,
  children,
}: {
  readonly title: string;
  readonly lead?: ComponentChildren;
  readonly children?: ComponentChildren;
}) => (
  <div class={styles.heading}>
    <div>
      {/* The heading takes the focus when another page is opened. */}
      <h1 tabIndex={-1}>{title}</h1>
      {lead !== undefined && <p class={styles.lead}>{lead}</p>}
    </div>
    {children !== undefined && <div class={styles.actions}>{children}</div>}
  </div>
);
