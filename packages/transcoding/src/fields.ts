// The fields of a message type for binding: found by either of their names, each with a reader for its values. Created once per message
// type when routes are compiled, so a request costs one lookup per name.
import type { DescField, DescMessage, ScalarType } from "@bufbuild/protobuf";
import { fieldReader } from "./field-reader.ts";
import { type IsUnixSeconds, NO_UNIX_SECONDS } from "./field-requirement.ts";
import { scalarTextReader, type TextReader } from "./scalar.ts";
import type { ValueReader } from "./value-reader.ts";

/** One field. It has either a reader, or the table of the message type that it contains. */
export interface Field {
  /** As in the proto. */
  readonly name: string;
  /** The property name in the message. */
  readonly localName: string;
  /** Its index in the table. */
  readonly index: number;
  readonly kind: "single" | "list" | "map";
  /** The property name of its oneof; undefined without one. */
  readonly oneof: string | undefined;
  readonly reader: ValueReader | undefined;
  readonly table: FieldTable | undefined;
  /** The reader of a map's keys. */
  readonly key: TextReader | undefined;
}

export interface FieldTable {
  readonly desc: DescMessage;
  readonly fields: readonly Field[];
  /** Each field under its proto name and under its lowerCamelCase name. */
  readonly byName: ReadonlyMap<string, Field>;
}

const tablesOf = new WeakMap<IsUnixSeconds, WeakMap<DescMessage, FieldTable>>();

/** The table of a message type. Throws an Error if it, or a message in it, has a field that REST does not support. */
export function fieldTable(desc: DescMessage, isUnixSeconds: IsUnixSeconds = NO_UNIX_SECONDS): FieldTable {
  const tables = tablesOf.get(isUnixSeconds) ?? new WeakMap<DescMessage, FieldTable>();
  tablesOf.set(isUnixSeconds, tables);
  const known = tables.get(desc);
  if (known !== undefined) {
    return known;
  }
  const fields: Field[] = [];
  const byName = new Map<string, Field>();
  const table: FieldTable = { desc, fields, byName };
  // Stored before its fields are created, because a message may contain itself.
  tables.set(desc, table);
  try {
    for (const descField of desc.fields) {
      const field = fieldOf(descField, fields.length, isUnixSeconds);
      fields.push(field);
      byName.set(descField.jsonName, field);
      byName.set(field.name, field);
    }
  } catch (error) {
    tables.delete(desc);
    throw error;
  }
  return table;
}

function fieldOf(field: DescField, index: number, isUnixSeconds: IsUnixSeconds): Field {
  const reader = fieldReader(field, isUnixSeconds);
  return {
    name: field.name,
    localName: field.localName,
    index,
    kind: field.fieldKind === "list" || field.fieldKind === "map" ? field.fieldKind : "single",
    oneof: field.oneof?.localName,
    reader,
    table: reader === undefined && field.message !== undefined ? fieldTable(field.message, isUnixSeconds) : undefined,
    key: field.fieldKind === "map" ? scalarTextReader(field.mapKey as ScalarType) : undefined,
  };
}
