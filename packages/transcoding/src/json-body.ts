// Puts a parsed JSON body into a message builder.
import { echoed, echoedName } from "./echo.ts";
import { refusalOf } from "./field-reader.ts";
import type { Field, FieldTable } from "./fields.ts";
import { type Json, JsonMembers } from "./json.ts";
import type { Violations } from "./message-builder.ts";
import { MessageBuilder } from "./message-builder.ts";
import { describeUnknownName, echoedUnknownName } from "./parameter.ts";
import { INVALID } from "./scalar.ts";

/** Puts the members of an object into the builder's fields. `prefix` is the builder's path: empty, or ending with a dot. */
export function applyMembers(builder: MessageBuilder, prefix: string, { members }: JsonMembers, violations: Violations): void {
  for (const [key, value] of members) {
    const field = builder.table.byName.get(key);
    if (field === undefined) {
      violations.add(
        prefix + echoedUnknownName(builder.table, key),
        describeUnknownName(builder.table, key, prefix, "body", violations),
      );
    } else {
      applyJson(builder, field, prefix + field.name, value, violations);
    }
  }
}

/** Puts a JSON value into a field of the builder, or adds violations. `path` is the field's path. */
export function applyJson(builder: MessageBuilder, field: Field, path: string, json: Json, violations: Violations): void {
  const { reader, kind } = field;
  const blank = (json === null && !(kind === "single" && reader?.acceptsNull)) || (json === "" && reader !== undefined);
  const conflict = builder.claim(field, "body", blank, false);
  if (conflict !== undefined) {
    violations.add(path, conflict);
  } else if (!blank) {
    applyGiven(builder, field, path, json, violations);
  }
}

function applyGiven(builder: MessageBuilder, field: Field, path: string, json: Json, violations: Violations): void {
  if (field.kind === "list") {
    if (!Array.isArray(json)) {
      violations.add(path, `must be an array, not ${echoed(json)}`);
      return;
    }
    for (const [index, element] of json.entries()) {
      const elementPath = `${path}[${index}]`;
      putValue(field, elementPath, element, violations, (value) => builder.append(field, value));
    }
  } else if (field.kind === "map") {
    if (!(json instanceof JsonMembers)) {
      violations.add(path, `must be an object, not ${echoed(json)}`);
      return;
    }
    applyEntries(builder, field, path, json, violations);
  } else if (field.table === undefined) {
    putValue(field, path, json, violations, (value) => builder.put(field, value));
  } else if (json instanceof JsonMembers) {
    // Each field has only one builder, because the query may give other fields of the same message.
    const child = builder.child(field, field.table);
    const conflict = child.attach();
    if (conflict !== undefined) {
      violations.add(path, conflict);
    }
    applyMembers(child, `${path}.`, json, violations);
  } else {
    violations.add(path, `must be an object, not ${echoed(json)}`);
  }
}

function applyEntries(builder: MessageBuilder, field: Field, path: string, { members }: JsonMembers, violations: Violations): void {
  for (const [keyText, entry] of members) {
    const entryPath = `${path}[${echoedName(keyText)}]`;
    const key = field.key?.read(keyText);
    if (key === INVALID) {
      violations.add(entryPath, `has an invalid key: it must be ${field.key?.mustBe}`);
    } else {
      putValue(field, entryPath, entry, violations, (value) => builder.enter(field, String(key), value));
    }
  }
}

function putValue(
  { reader, table }: Field,
  path: string,
  json: Json,
  violations: Violations,
  put: (value: unknown) => string | undefined,
): void {
  let wrong: string | undefined;
  if (reader !== undefined) {
    const value = reader.fromJson(json);
    wrong = value === INVALID ? refusalOf(reader, json) : put(value);
  } else if (table !== undefined && json instanceof JsonMembers) {
    wrong = put(messageOf(table, path, json, violations));
  } else {
    wrong = `must be an object, not ${echoed(json)}`;
  }
  if (wrong !== undefined) {
    violations.add(path, wrong);
  }
}

function messageOf(table: FieldTable, path: string, members: JsonMembers, violations: Violations): unknown {
  const builder = new MessageBuilder(table);
  applyMembers(builder, `${path}.`, members, violations);
  return builder.message;
}
