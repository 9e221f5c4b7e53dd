// Something that the user should know now.
import type { ComponentChildren } from "preact";
import { Button } from "./Button.tsx";
import styles from "./Notice.module.css";

interface NoticeProps {
  readonly tone: "good" | "bad" | "plain";
  /** If given, the notice stays in view however far the page is scrolled, and has a button that calls this. */
  readonly onClose?: () => void;
  readonly children: ComponentChildren;
}

/** Screen readers read out a `bad` notice at once, and any other notice when the user pauses. */
export const Notice = ({ tone, onClose, children }: NoticeProps) => (
  <div
    class={`${styles.notice} ${styles[tone]} ${onClose === undefined ? "" : styles.pinned}`}
    role={tone === "bad" ? "alert" : "status"}
  >
    {onClose === undefined ? children : <div>{children}</div>}
    {onClose !== undefined && (
      <Button kind="plain" label="Dismiss" onClick={onClose}>
        ✕
      </Button>
    )}
  </div>
);
