// The frame of a list of calls.
import type { ComponentChildren } from "preact";
import styles from "./CallRows.module.css";

/** `children` are rows, newest first. */
export const CallRows = ({ children }: { readonly children: ComponentChildren }) => (
  <ul class={styles.list} aria-label="Calls, newest first">
    {children}
  </ul>
);
