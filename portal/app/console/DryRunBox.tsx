// The checkbox for a dry run: the call is checked but not made.
import { useId } from "preact/hooks";
import styles from "./Console.module.css";

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
        Dry run
      </label>
      <p id={id} class={styles.hint}>
        Checks whether the call would be admitted, without making it. This counts against the rate limit, but not against the quota.
      </p>
    </div>
  );
}
