// The list of a section's pages next to a page. It can be folded on a narrow screen.
import { Identifier } from "./Identifier.tsx";
import styles from "./SideNav.module.css";

export interface LinkGroup {
  readonly title: string;
  readonly links: readonly { readonly href: string; readonly label: string }[];
}

/** `path` is the path of the current page. */
export function SideNav({
  label,
  groups,
  path,
}: {
  readonly label: string;
  readonly groups: readonly LinkGroup[];
  readonly path: string;
}) {
  return (
    <details class={styles.side} data-side-nav open>
      <summary>{label}</summary>
      <nav aria-label={label}>
        {groups.map(({ title, links }) => (
          <section key={title}>
            <h2>{title}</h2>
            <ul>
              {links.map(({ href, label }) => (
                <li key={href}>
                  <a href={href} aria-current={href === path ? "page" : undefined}>
                    <Identifier name={label} />
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </nav>
    </details>
  );
}
