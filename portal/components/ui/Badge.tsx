// A state in a word or two.
import styles from "./Badge.module.css";

/** `good`: works. `waits`: will work later. `off`: does not work. */
export const Badge = ({ tone, label }: { readonly tone: "good" | "waits" | "off"; readonly label: string }) => (
  <span class={`${styles.badge} ${styles[tone]}`}>{label}</span>
);
