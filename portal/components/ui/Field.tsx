// One input of a form, with its label, a hint, and what is wrong with it.
import type { ComponentChildren, InputHTMLAttributes, TextareaHTMLAttributes } from "preact";
import { useId } from "preact/hooks";
import styles from "./Field.module.css";

interface FieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  /** What is wrong; follows the label: `is required`. */
  readonly error?: string | undefined;
  /** Replaces the label before the error: `dice[0]` instead of `dice (required)`. */
  readonly errorLabel?: string | undefined;
}

interface Described {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": true | undefined;
}

function Labelled({
  label,
  hint,
  error,
  errorLabel = label,
  children,
}: FieldProps & { readonly children: (described: Described) => ComponentChildren }) {
  const id = useId();
  const describedBy = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`].filter((one) => one !== false);
  return (
    <div class={styles.field}>
      <label for={id}>{label}</label>
      {children({
        id,
        "aria-describedby": describedBy.length === 0 ? undefined : describedBy.join(" "),
        "aria-invalid": error === undefined ? undefined : true,
      })}
      {hint !== undefined && (
        <p id={`${id}-hint`} class={styles.hint}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} class={styles.error}>
          {errorLabel} {error}.
        </p>
      )}
    </div>
  );
}

/** A line of text. */
export const Field = ({ label, hint, error, errorLabel, ...input }: FieldProps & InputHTMLAttributes<HTMLInputElement>) => (
  <Labelled label={label} hint={hint} error={error} errorLabel={errorLabel}>
    {(described) => <input class={styles.input} {...input} {...described} />}
  </Labelled>
);

/** Several lines of text. */
export const TextAreaField = ({
  label,
  hint,
  error,
  errorLabel,
  ...area
}: FieldProps & TextareaHTMLAttributes<HTMLTextAreaElement>) => (
  <Labelled label={label} hint={hint} error={error} errorLabel={errorLabel}>
    {(described) => <textarea class={styles.input} {...area} {...described} />}
  </Labelled>
);

/** One of several values. */
export const SelectField = ({
  label,
  hint,
  error,
  errorLabel,
  name,
  value,
  options,
  onChange,
}: FieldProps & {
  readonly name: string;
  readonly value: string;
  /** Value → label. */
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly onChange?: (value: string) => void;
}) => (
  <Labelled label={label} hint={hint} error={error} errorLabel={errorLabel}>
    {(described) => (
      <select class={styles.input} name={name} onChange={(event) => onChange?.(event.currentTarget.value)} {...described}>
        {options.map(([one, label]) => (
          <option key={one} value={one} selected={one === value}>
            {label}
          </option>
        ))}
      </select>
    )}
  </Labelled>
);
