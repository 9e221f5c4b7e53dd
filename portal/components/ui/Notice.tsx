// Something that the reader should know now.
import type { ComponentChildren } from "preact";
import styles from "./Notice.module.css";

/** `bad` is read out at once, the others when the reader pauses. */
export const Notice = ({ tone, children }: { readonly tone: "good" | "bad" | "plain"; readonly children: ComponentChildren }) => (
  <div class={`${styles.notice} ${styles[tone]}`} role={tone === "bad" ? "alert" : "status"}>
    {children}
  </div>
);
