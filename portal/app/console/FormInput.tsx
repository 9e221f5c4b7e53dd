// The input of one field of a request: what it is for, what it accepts, and what the server found wrong with it.
import { Field, SelectField, TextAreaField } from "../../components/ui/Field.tsx";
import styles from "./Console.module.css";
import type { FormField } from "./form/fields.ts";
import type { FieldFault, FormValues } from "./form/values.ts";

/** The properties of an input. */
export interface FormInputProps {
  readonly field: FormField;
  /** The field's path: its name, preceded by the names of the messages that contain it. */
  readonly path: string;
  /** What the field means, in Markdown. */
  readonly comment: string | undefined;
  readonly values: FormValues;
  readonly faults: readonly FieldFault[];
  /** `texts` is undefined if the field has been removed. */
  readonly onChange: (path: string, texts: readonly string[] | undefined) => void;
}

const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

export function FormInput(props: FormInputProps) {
  const { field, path, values, onChange } = props;
  if (field.kind === "message") {
    return <MessageInput {...props} />;
  }
  const common = { label: labelOf(field), hint: hintOf(props), ...errorOf(props), name: path };
  const texts = values[path] ?? [];
  const [text = ""] = texts;
  const setText = (typed: string): void => onChange(path, typed === "" ? undefined : [typed]);
  if (field.isList && field.kind !== "json") {
    return (
      <TextAreaField
        {...common}
        rows={Math.min(Math.max(texts.length + 1, 2), 8)}
        spellcheck={false}
        value={texts.join("\n")}
        onInput={({ currentTarget }) => onChange(path, linesOf(field, currentTarget.value))}
      />
    );
  }
  switch (field.kind) {
    case "boolean":
      return <SelectField {...common} value={text} options={optionsOf(field, ["true", "false"])} onChange={setText} />;
    case "choice":
      return <SelectField {...common} value={text} options={optionsOf(field, field.choices, text)} onChange={setText} />;
    case "json":
      return (
        <TextAreaField
          {...common}
          rows={3}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      );
    default:
      return (
        <Field
          {...common}
          type="text"
          autoComplete="off"
          spellcheck={false}
          inputMode={keyboardOf(field)}
          placeholder={field.byDefault ?? field.example}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      );
  }
}

function MessageInput({ field, path, comment, values, faults, onChange }: FormInputProps) {
  const isGiven = Object.keys(values).some((name) => name === path || name.startsWith(`${path}.`));
  return (
    <fieldset class={styles.message}>
      <legend>
        <label>
          <input
            type="checkbox"
            checked={isGiven}
            onChange={({ currentTarget }) => onChange(path, currentTarget.checked ? [""] : undefined)}
          />{" "}
          {field.name}
        </label>
      </legend>
      {comment !== undefined && <p class={styles.hint}>{plain(comment)}</p>}
      {isGiven &&
        field
          .children()
          .map((child) => (
            <FormInput
              key={child.name}
              field={child}
              path={`${path}.${child.name}`}
              comment={undefined}
              values={values}
              faults={faults}
              onChange={onChange}
            />
          ))}
    </fieldset>
  );
}

// A time in Unix seconds may also be typed as text, so it needs the whole keyboard.
const keyboardOf = ({ kind, isUnixSeconds }: FormField): "numeric" | "decimal" | undefined =>
  isUnixSeconds ? undefined : kind === "integer" ? "numeric" : kind === "number" ? "decimal" : undefined;

const labelOf = ({ name, isRequired, oneof }: FormField): string =>
  `${name}${isRequired ? " (required)" : ""}${oneof === undefined ? "" : ` (one of ${oneof})`}`;

// The reference has the rest of the comment.
const firstSentence = (comment: string): string => plain(/^.*?[.!?](?=\s|$)/s.exec(comment)?.[0] ?? comment);

function hintOf({ field, comment = "", path, values }: FormInputProps): string {
  const { bounds, isList, kind, isUnixSeconds } = field;
  const seconds = Number(values[path]?.[0] ?? Number.NaN);
  const readableTime = isUnixSeconds && Math.abs(seconds) < 8.64e12 ? `That is ${DATE.format(seconds * 1000)}.` : "";
  const list = isList && kind !== "json" ? (kind === "text" ? "One per line." : "One per line, or separated by commas.") : "";
  // Most comments already state the bounds.
  const limits =
    bounds === "" || firstSentence(comment).includes(bounds) ? "" : `${bounds.charAt(0).toUpperCase()}${bounds.slice(1)}.`;
  return [firstSentence(comment), limits, list, readableTime].filter((part) => part !== "").join(" ");
}

// Comments are Markdown, but use only code, emphasis and links.
const plain = (markdown: string): string => markdown.replaceAll(/[`*]|\[([^\]]+)\]\([^)]*\)/g, "$1");

// Names the faulty element if the field is a list.
function errorOf({ field: { name }, path, faults }: FormInputProps): { readonly error?: string; readonly errorLabel?: string } {
  const [first, ...others] = faults
    .filter(({ field }) => field === path || field.startsWith(`${path}[`))
    .map(({ field, description }) => ({ errorLabel: `${name}${field.slice(path.length)}`, description }));
  if (first === undefined) {
    return {};
  }
  const { errorLabel, description } = first;
  return { errorLabel, error: [description, ...others.map((other) => `${other.errorLabel} ${other.description}`)].join("; ") };
}

function optionsOf(
  { byDefault }: FormField,
  choices: readonly string[],
  text = "",
): readonly (readonly [value: string, label: string])[] {
  const unknown = text === "" || choices.includes(text) ? [] : [text];
  return [
    ["", byDefault === undefined ? "not set" : `default (${byDefault})`],
    ...[...choices, ...unknown].map((choice) => [choice, choice] as const),
  ];
}

// Only strings may contain commas and spaces.
function linesOf({ kind }: FormField, typed: string): readonly string[] | undefined {
  const lines = typed.split(kind === "text" ? "\n" : /[\n,]/).map((line) => (kind === "text" ? line : line.trim()));
  // Empty lines stay: the user may be about to type the next value.
  return typed === "" ? undefined : lines;
}
