// Puts one named string into a message builder: a path variable, a query parameter or a form field. The name is a field's, in
// snake_case or lowerCamelCase, with dots for nested fields (`filter.name`) and brackets for map entries (`labels[colour]`).

import { echoedName } from "./echo.ts";
import { refusalOf } from "./field-reader.ts";
import type { Field, FieldTable } from "./fields.ts";
import { JSON_DEPTH_MAX } from "./json.ts";
import { VALUES_MAX } from "./json-bounds.ts";
import type { MessageBuilder, Source, Violations } from "./message-builder.ts";
import { nearestName } from "./nearest-name.ts";
import { INVALID } from "./scalar.ts";
import { NOT_SHOWN } from "./secrets.ts";
import type { ValueReader } from "./value-reader.ts";

// Naming more than this would make the error message too long to help.
const NAMES_SHOWN_MAX = 20;
const COMMA = 0x2c;
// What may be in the brackets after a list's name.
const INDEX = /^\d{0,5}$/;

/** Puts a parameter into the builder, or adds a violation. `prefix` is the builder's path: empty, or ending with a dot. */
export function applyParameter(
  builder: MessageBuilder,
  prefix: string,
  name: string,
  text: string,
  source: Source,
  violations: Violations,
): void {
  const field = builder.table.byName.get(name);
  if (field !== undefined) {
    applyText(builder, field, prefix + field.name, text, source, violations);
    return;
  }
  const bracket = name.indexOf("[");
  const key = bracket !== -1 && name.endsWith("]") ? name.slice(bracket + 1, -1) : undefined;
  const names = (key === undefined ? name : name.slice(0, bracket)).split(".");
  const last = names.pop() ?? "";
  let inner = builder;
  let path = prefix;
  for (const [depth, step] of names.entries()) {
    const stepField = inner.table.byName.get(step);
    if (stepField?.table === undefined || stepField.kind !== "single" || depth === JSON_DEPTH_MAX) {
      const wrong =
        stepField === undefined || stepField.kind === "single" ? undefined : textRefusal(stepField, path + stepField.name);
      violations.add(
        prefix + echoedUnknownName(builder.table, name),
        wrong ?? describeUnknownName(inner.table, step, path, source, violations),
      );
      return;
    }
    inner = inner.child(stepField, stepField.table);
    path = `${path}${stepField.name}.`;
  }
  const lastField = inner.table.byName.get(last);
  if (lastField === undefined) {
    violations.add(path + echoedUnknownName(inner.table, last), describeUnknownName(inner.table, last, path, source, violations));
  } else if (key === undefined || (INDEX.test(key) && lastField.kind === "list")) {
    // For the elements of a list, many clients write `dice[]=1&dice[]=5` or, as PHP does, `dice[0]=1&dice[1]=5`. Their order counts.
    applyText(inner, lastField, path + lastField.name, text, source, violations);
  } else {
    applyEntry(inner, lastField, path + lastField.name, key, text, source, violations);
  }
}

/** The name of an unknown field. In a message with a secret field it is shown only if it is like a field's name: it may be a password. */
export function echoedUnknownName({ fields }: FieldTable, name: string): string {
  const isSafe = !fields.some(({ reader }) => reader?.mayBeSecret);
  const isLikeAField = () =>
    nearestName(
      name,
      fields.map((field) => field.name),
    ) !== undefined;
  return isSafe || isLikeAField() ? echoedName(name) : NOT_SHOWN;
}

/** Describes an unknown name: `is an unknown parameter; did you mean "country"?`, or lists the known names instead. */
export function describeUnknownName(
  table: FieldTable,
  given: string,
  prefix: string,
  source: Source,
  violations: Violations,
): string {
  const what = `is an unknown ${source === "body" ? "field" : "parameter"}`;
  if (violations.full) {
    return what;
  }
  const names = table.fields.map((field) => field.name);
  const nearest = nearestName(given, names) ?? onlyNameStartingWith(given, names);
  if (nearest !== undefined && nearest !== given) {
    return `${what}; did you mean "${prefix}${nearest}"?`;
  }
  // The known names are listed only once, however many names are unknown.
  if (!violations.noteUnknownName(table)) {
    return what;
  }
  if (names.length === 0) {
    return `${what}; there are no ${source === "body" ? "fields" : "parameters"}`;
  }
  const shown = names.length > NAMES_SHOWN_MAX ? [...names.slice(0, NAMES_SHOWN_MAX), "…"] : names;
  return `${what}; known names: ${shown.join(", ")}`;
}

// The name that the given one abbreviates, such as `query` for `q`. Undefined if there are several.
function onlyNameStartingWith(given: string, names: readonly string[]): string | undefined {
  const [name, other] = given === "" ? [] : names.filter((each) => each.startsWith(given.toLowerCase()));
  return other === undefined ? name : undefined;
}

/** Puts a string into a field of the builder, or adds a violation. `path` is the field's path. */
function applyText(
  builder: MessageBuilder,
  field: Field,
  path: string,
  text: string,
  source: Source,
  violations: Violations,
): void {
  const { reader, kind } = field;
  if (reader === undefined || kind === "map") {
    violations.add(path, textRefusal(field, path));
  } else {
    const blank = text === "";
    const conflict = builder.claim(field, source, blank, kind === "list");
    if (conflict !== undefined) {
      violations.add(path, conflict);
    } else if (!blank && kind === "list") {
      applyElements(builder, field, reader, path, text, violations);
    } else if (!blank) {
      putText(reader, path, text, violations, (value) => builder.put(field, value));
    }
  }
}

function textRefusal({ kind, reader, table }: Field, path: string): string {
  if (kind !== "single" && reader === undefined) {
    return "contains objects, which can only be sent in a JSON body";
  }
  if (kind === "map") {
    return `is a map: set its entries as ${path}[key]=value`;
  }
  if (kind === "list") {
    return partOfList(path);
  }
  const first = table?.fields[0];
  return first === undefined ? "is an object that has no fields" : `is an object: set its fields, such as ${path}.${first.name}`;
}

const partOfList = (path: string): string => `is part of a list: give each value as ${path}=value`;

function applyElements(
  builder: MessageBuilder,
  field: Field,
  reader: ValueReader,
  path: string,
  text: string,
  violations: Violations,
): void {
  const elements = builder.elements(field);
  if (reader.splits && elements.length + partsOf(text) > VALUES_MAX) {
    violations.add(path, `must have at most ${VALUES_MAX} elements`);
    return;
  }
  // Faster than `split` for a few short parts.
  for (let start = 0; start <= text.length; ) {
    const end = reader.splits ? commaFrom(text, start) : text.length;
    const part = text.slice(start, end);
    start = end + 1;
    const index = elements.length;
    const value = reader.fromText(part);
    // A wrong element is added too, so that errors give the right index for the elements after it. The call fails anyway.
    elements.push(value);
    const conflict = builder.attach();
    if (value === INVALID || conflict !== undefined) {
      violations.add(`${path}[${index}]`, conflict ?? refusalOf(reader, part));
    }
  }
}

// How many comma-separated parts a string has; counts no further than the limit.
function partsOf(text: string): number {
  let parts = 1;
  for (let at = text.indexOf(","); at >= 0 && parts <= VALUES_MAX; at = text.indexOf(",", at + 1)) {
    parts += 1;
  }
  return parts;
}

// The index of the next comma, or of the end.
function commaFrom(text: string, start: number): number {
  let at = start;
  while (at < text.length && text.charCodeAt(at) !== COMMA) {
    at += 1;
  }
  return at;
}

function applyEntry(
  builder: MessageBuilder,
  field: Field,
  path: string,
  keyText: string,
  text: string,
  source: Source,
  violations: Violations,
): void {
  const entryPath = `${path}[${echoedName(keyText)}]`;
  if (field.kind !== "map") {
    violations.add(
      entryPath,
      field.kind === "list" ? partOfList(path) : `must be written as ${path}, because it has only one value`,
    );
    return;
  }
  const key = field.key?.read(keyText);
  const conflict = builder.claim(field, source, false, true);
  if (conflict !== undefined) {
    violations.add(path, conflict);
  } else if (key === INVALID) {
    violations.add(entryPath, `has an invalid key: it must be ${field.key?.mustBe}`);
  } else if (field.reader === undefined) {
    violations.add(path, textRefusal(field, path));
  } else {
    putText(field.reader, entryPath, text, violations, (value) => builder.enter(field, String(key), value));
  }
}

function putText(
  reader: ValueReader,
  path: string,
  text: string,
  violations: Violations,
  put: (value: unknown) => string | undefined,
): void {
  const value = reader.fromText(text);
  const wrong = value === INVALID ? refusalOf(reader, text) : put(value);
  if (wrong !== undefined) {
    violations.add(path, wrong);
  }
}
