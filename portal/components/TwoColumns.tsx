// A page of a section, such as the reference: the section's pages listed on the left, the page on the right.
import type { ComponentChildren } from "preact";
import { type LinkGroup, SideNav } from "./SideNav.tsx";
import styles from "./TwoColumns.module.css";

/** The contents of the two columns. */
export interface TwoColumnsProps {
  readonly label: string;
  readonly groups: readonly LinkGroup[];
  readonly path: string;
  readonly children: ComponentChildren;
}

export const TwoColumns = ({ label, groups, path, children }: TwoColumnsProps) => (
  <div class={styles.columns}>
    <SideNav label={label} groups={groups} path={path} />
    <article class={styles.content}>{children}</article>
  </div>
);
