// Buttons in a row, one for each of a few values; one is chosen.
import styles from "./Choices.module.css";

/** `label` says what is chosen. */
export const Choices = <Value extends string>({
  label,
  choices,
  chosen,
  onChoose,
}: {
  readonly label: string;
  readonly choices: readonly (readonly [value: Value, label: string])[];
  readonly chosen: Value;
  readonly onChoose: (value: Value) => void;
}) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend, and looks like a form.
  <div class={styles.choices} role="group" aria-label={label}>
    {choices.map(([value, label]) => (
      <button key={value} type="button" aria-pressed={value === chosen} onClick={() => onChoose(value)}>
        {label}
      </button>
    ))}
  </div>
);
