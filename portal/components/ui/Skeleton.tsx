// Holds the place of something that is being read, so that nothing moves when it arrives.
import styles from "./Skeleton.module.css";

/** `rem` is the height that it will have. */
export const Skeleton = ({ rem }: { readonly rem: number }) => (
  <div class={styles.skeleton} style={{ height: `${rem}rem` }} role="status" aria-label="Loading" />
);
