// The input of one field of a request: what it is for, what it takes, and what the server found wrong with it.
import { Field, SelectField, TextAreaField } from "../../components/ui/Field.tsx";
import styles from "./Console.module.css";
import type { FormField } from "./form/fields.ts";
import type { FieldFault, FormValues } from "./form/values.ts";

/** What an input is made with. */
export interface FormInputProps {
  readonly field: FormField;
  /** Its path: its name, after the messages that it is in. */
  readonly path: string;
  /** What the field means, in Markdown. */
  readonly comment: string | undefined;
  readonly values: FormValues;
  readonly faults: readonly FieldFault[];
  /** Undefined where it is not given any more. */
  readonly onChange: (path: string, texts: readonly string[] | undefined) => void;
}

const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** The input. */
export function FormInput(props: FormInputProps) {
  const { field, path, values, onChange } = props;
  if (field.kind === "message") {
    return <MessageInput {...props} />;
  }
  const common = { label: labelOf(field), hint: hintOf(props), ...errorOf(props), name: path };
  const texts = values[path] ?? [];
  const [text = ""] = texts;
  const give = (typed: string): void => onChange(path, typed === "" ? undefined : [typed]);
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
      return <SelectField {...common} value={text} options={optionsOf(field, ["true", "false"])} onChange={give} />;
    case "choice":
      return <SelectField {...common} value={text} options={optionsOf(field, field.choices, text)} onChange={give} />;
    case "json":
      return (
        <TextAreaField
          {...common}
          rows={3}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => give(currentTarget.value)}
        />
      );
    default:
      return (
        <Field
          {...common}
          type="text"
          autoComplete="off"
          spellcheck={false}
          inputMode={field.kind === "integer" ? "numeric" : field.kind === "number" ? "decimal" : undefined}
          placeholder={field.byDefault ?? field.example}
          value={text}
          onInput={({ currentTarget }) => give(currentTarget.value)}
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

const labelOf = ({ name, isRequired, oneof }: FormField): string =>
  `${name}${isRequired ? " (required)" : ""}${oneof === undefined ? "" : ` (one of ${oneof})`}`;

// The first sentence. The reference has the others.
const inShort = (comment: string): string => plain(/^.*?[.!?](?=\s|$)/s.exec(comment)?.[0] ?? comment);

function hintOf({ field, comment = "", path, values }: FormInputProps): string {
  const { bounds, isList, kind, isUnixSeconds } = field;
  const seconds = Number(values[path]?.[0] ?? Number.NaN);
  const moment = isUnixSeconds && Math.abs(seconds) < 8.64e12 ? `That is ${DATE.format(seconds * 1000)}.` : "";
  const list = isList && kind !== "json" ? (kind === "text" ? "One a line." : "One a line, or with commas between.") : "";
  // Most comments say the bounds themselves.
  const limits = bounds === "" || inShort(comment).includes(bounds) ? "" : `${bounds.charAt(0).toUpperCase()}${bounds.slice(1)}.`;
  return [inShort(comment), limits, list, moment].filter((part) => part !== "").join(" ");
}

// Comments are Markdown; of that they use little.
const plain = (markdown: string): string => markdown.replaceAll(/[`*]|\[([^\]]+)\]\([^)]*\)/g, "$1");

// With the name of what is wrong, which may be one of a list.
function errorOf({ field: { name }, path, faults }: FormInputProps): { readonly error?: string; readonly faulty?: string } {
  const [first, ...others] = faults
    .filter(({ field }) => field === path || field.startsWith(`${path}[`))
    .map(({ field, description }) => ({ faulty: `${name}${field.slice(path.length)}`, description }));
  if (first === undefined) {
    return {};
  }
  const { faulty, description } = first;
  return { faulty, error: [description, ...others.map((other) => `${other.faulty} ${other.description}`)].join("; ") };
}

function optionsOf(
  { byDefault }: FormField,
  choices: readonly string[],
  text = "",
): readonly (readonly [value: string, words: string])[] {
  const unknown = text === "" || choices.includes(text) ? [] : [text];
  return [
    ["", byDefault === undefined ? "not given" : `not given (${byDefault})`],
    ...[...choices, ...unknown].map((choice) => [choice, choice] as const),
  ];
}

// Texts may hold commas and blanks; other values may not.
function linesOf({ kind }: FormField, typed: string): readonly string[] | undefined {
  const lines = typed.split(kind === "text" ? "\n" : /[\n,]/).map((line) => (kind === "text" ? line : line.trim()));
  // What is being typed may end with an empty line.
  return typed === "" ? undefined : lines;
}
