// Finds unknown names in a message's JSON: fields, by their names in REST, and enum values.
import type { DescEnum, DescField, DescMessage } from "@bufbuild/protobuf";
import { oneOfEnum } from "../../problem/field-requirement.ts";
import { echoedName } from "../rest/echo.ts";
import { type FieldTable, fieldTable } from "../rest/fields.ts";
import { unknown } from "../rest/parameter.ts";
import { Violations } from "../rest/violations.ts";

/**
 * Throws a Failure INVALID_ARGUMENT that names each unknown field and the one that may be meant, or the values of an enum. `json`
 * is the result of JSON.parse.
 */
export function refuseUnknownFields(desc: DescMessage, json: unknown): void {
  const violations = new Violations();
  addUnknown(fieldTable(desc), json, "", violations);
  violations.throwIfAny();
}

function addUnknown(table: FieldTable, json: unknown, prefix: string, violations: Violations): void {
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    return;
  }
  for (const [key, value] of Object.entries(json)) {
    const field = table.byName.get(key);
    if (field === undefined) {
      violations.add(prefix + echoedName(key), unknown(table, key, prefix, "body", violations));
    } else if (field.kind === "single" && isUnknownValue(table.desc.fields[field.index]?.enum, value)) {
      const { enum: desc } = table.desc.fields[field.index] as DescField & { readonly enum: DescEnum };
      violations.add(prefix + field.name, `must be ${oneOfEnum(desc, (name) => name)}`);
    } else if (field.table !== undefined) {
      const path = prefix + field.name;
      const within =
        field.kind === "single" ? [[path, value]] : entriesOf(value).map(([at, one]) => [`${path}[${echoedName(at)}]`, one]);
      for (const [at, one] of within) {
        addUnknown(field.table, one, `${at}.`, violations);
      }
    }
  }
}

// In the JSON of the RPC protocols, only the full names of an enum's values are valid.
const isUnknownValue = (desc: DescEnum | undefined, value: unknown): boolean =>
  desc !== undefined && typeof value === "string" && desc.values.every(({ name }) => name !== value);

const entriesOf = (value: unknown): [string, unknown][] =>
  typeof value === "object" && value !== null ? Object.entries(value) : [];
