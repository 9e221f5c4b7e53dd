// A block of code with a button that copies it.
import type { ComponentChildren } from "preact";
import styles from "./CopyBlock.module.css";
import { CopyButton } from "./CopyButton.tsx";

/** `label` says what it is: `the command`. `children` is how it is shown, where that is not as plain text. */
export const CopyBlock = ({
  code,
  label,
  children = code,
}: {
  readonly code: string;
  readonly label: string;
  readonly children?: ComponentChildren;
}) => (
  <div class={styles.block}>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard. */}
    <pre tabIndex={0}>
      <code>{children}</code>
    </pre>
    <CopyButton text={code} label={label} />
  </div>
);
