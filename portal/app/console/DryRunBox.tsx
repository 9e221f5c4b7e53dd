// Whether the call is only checked.
import { useId } from "preact/hooks";
import styles from "./Console.module.css";

/** The box. */
export function DryRunBox({ isDryRun, onChange }: { readonly isDryRun: boolean; readonly onChange: (isDryRun: boolean) => void }) {
  const id = useId();
  return (
    <div class={styles.check}>
      <label>
        <input
          type="checkbox"
          name="console-dry-run"
          aria-describedby={id}
          checked={isDryRun}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />{" "}
        Check only
      </label>
      <p id={id} class={styles.hint}>
        Asks whether the call would be let in, and does not make it. That counts against the second, and not against the month.
      </p>
    </div>
  );
}
