// A block of code with a button that copies it.
import styles from "./CopyBlock.module.css";
import { CopyButton } from "./CopyButton.tsx";

/** `label` says what it is: `the command`. */
export const CopyBlock = ({ code, label }: { readonly code: string; readonly label: string }) => (
  <div class={styles.block}>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard. */}
    <pre tabIndex={0}>
      <code>{code}</code>
    </pre>
    <CopyButton text={code} label={label} />
  </div>
);
