// The first link of every page, for people who use a keyboard.
import styles from "./SkipLink.module.css";

/** Leads to the element with the id `content`. */
export const SkipLink = () => (
  <a class={styles.skip} href="#content">
    Skip to content
  </a>
);
