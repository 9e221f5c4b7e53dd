// Links to the same page for another span of time, or with other filters.
import styles from "./SpanNav.module.css";

export interface SpanLink {
  readonly href: string;
  readonly label: string;
  readonly isCurrent: boolean;
}

export const SpanNav = ({ links, label = "Period" }: { readonly links: readonly SpanLink[]; readonly label?: string }) => (
  <nav class={styles.spans} aria-label={label}>
    {links.map(({ href, label, isCurrent }) => (
      <a key={href} href={href} aria-current={isCurrent ? "true" : undefined}>
        {label}
      </a>
    ))}
  </nav>
);
