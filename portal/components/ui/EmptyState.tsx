// Shown where there is nothing yet: says what would be there, and how to get it.
import type { ComponentChildren } from "preact";
import styles from "./EmptyState.module.css";

/** `children`: what to do. */
export const EmptyState = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <div class={styles.empty}>
    <h2>{title}</h2>
    {children}
  </div>
);
