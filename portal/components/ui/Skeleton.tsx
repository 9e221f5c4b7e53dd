// A placeholder for content that is loading, so that nothing moves when it arrives.
import styles from "./Skeleton.module.css";

/** `rem` is the height of the content once it has loaded. */
export const Skeleton = ({ rem }: { readonly rem: number }) => (
  <div class={styles.skeleton} style={{ height: `${rem}rem` }} role="status" aria-label="Loading" />
);
