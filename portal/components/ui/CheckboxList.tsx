// Checkboxes: any number of values from a list.
import { useId } from "preact/hooks";
import styles from "./CheckboxList.module.css";

/** `options`: value → label. */
export function CheckboxList({
  legend,
  name,
  options,
  chosen = [],
  hint,
  error,
}: {
  readonly legend: string;
  readonly name: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  /** The values that are checked at the start. */
  readonly chosen?: readonly string[];
  readonly hint?: string;
  /** What is wrong; follows the legend: `is required`. */
  readonly error?: string | undefined;
}) {
  const id = useId();
  return (
    <fieldset class={styles.list} aria-describedby={`${id}-hint`}>
      <legend>{legend}</legend>
      <div class={styles.options}>
        {options.map(([value, label]) => (
          <label key={value}>
            <input
              type="checkbox"
              name={name}
              value={value}
              defaultChecked={chosen.includes(value)}
              aria-invalid={error === undefined ? undefined : true}
            />{" "}
            {label}
          </label>
        ))}
      </div>
      <p id={`${id}-hint`} class={error === undefined ? styles.hint : styles.error}>
        {error === undefined ? hint : `${legend} ${error}.`}
      </p>
    </fieldset>
  );
}
