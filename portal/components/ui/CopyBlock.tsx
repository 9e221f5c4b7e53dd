// A block of code with a button that copies it.
import { Code } from "../code/Code.tsx";
import type { CodeLanguage } from "../code/parts.ts";
import styles from "./CopyBlock.module.css";
import { CopyButton } from "./CopyButton.tsx";

/** `label` says what the code is: `the command`. Without a `language` the code is not coloured. */
export const CopyBlock = ({
  code,
  label,
  language,
  onCopied,
}: {
  readonly code: string;
  readonly label: string;
  readonly language?: CodeLanguage;
  readonly onCopied?: () => void;
}) => (
  <div class={styles.block}>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard. */}
    <pre tabIndex={0}>{language === undefined ? <code>{code}</code> : <Code code={code} language={language} />}</pre>
    <CopyButton text={code} label={label} {...(onCopied && { onCopied })} />
  </div>
);
