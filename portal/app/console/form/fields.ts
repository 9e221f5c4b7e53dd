// The form of a message, from its descriptor: one entry per field, with everything that its input needs. Messages inside messages are
// read when they are opened, because a message may contain itself.
import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import type { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { type FieldRules, fullNameOf, NO_RULES, type RulesByField } from "../contract/field-rules.ts";

/** How a value is entered in the form. Everything except messages is text. */
type FieldKind =
  | "text"
  | "integer"
  | "number"
  | "boolean"
  | "choice"
  /** Base64. */
  | "bytes"
  /** `2026-11-21T12:00:00Z` */
  | "time"
  /** `1.5s` */
  | "duration"
  /** Any type without its own input. */
  | "json"
  | "message";

export interface FormField extends FieldRules {
  /** Its name in the proto, which is also its name in REST: `bitrate_min`. */
  readonly name: string;
  readonly kind: FieldKind;
  readonly isList: boolean;
  /** Whether leaving the field out means something other than giving its zero value. */
  readonly isOptional: boolean;
  /** The oneof that the field belongs to. At most one of its members is given. */
  readonly oneof: string | undefined;
  readonly desc: DescField;
  /** The fields of a message; empty for every other kind. */
  children(): readonly FormField[];
}

const WELL_KNOWN_KINDS: Readonly<Record<string, FieldKind>> = {
  "google.protobuf.Timestamp": "time",
  "google.protobuf.Duration": "duration",
  "google.protobuf.FieldMask": "text",
  "google.protobuf.StringValue": "text",
  "google.protobuf.BytesValue": "bytes",
  "google.protobuf.BoolValue": "boolean",
  "google.protobuf.DoubleValue": "number",
  "google.protobuf.FloatValue": "number",
  "google.protobuf.Int32Value": "integer",
  "google.protobuf.UInt32Value": "integer",
  "google.protobuf.Int64Value": "integer",
  "google.protobuf.UInt64Value": "integer",
};

// FeatureSet_FieldPresence.IMPLICIT. Importing the enum would load the descriptor of descriptors.
const IMPLICIT = 2 satisfies FeatureSet_FieldPresence.IMPLICIT;

/** The fields of a message, in the order of the proto. */
export const fieldsOf = (rules: RulesByField, message: DescMessage): readonly FormField[] =>
  message.fields.map((field) => formField(rules, field));

function formField(all: RulesByField, desc: DescField): FormField {
  const kind = kindOf(desc);
  const rules = { ...NO_RULES, ...all[fullNameOf(desc)] };
  return {
    ...rules,
    choices: kind === "choice" && desc.enum !== undefined ? namesOf(desc) : rules.choices,
    name: desc.name,
    kind: kind === "text" && rules.choices.length > 0 ? "choice" : kind,
    isList: desc.fieldKind === "list",
    isOptional: desc.fieldKind !== "list" && desc.fieldKind !== "map" && desc.presence !== IMPLICIT,
    oneof: desc.oneof?.name,
    desc,
    children: () => (kind === "message" && desc.message !== undefined ? fieldsOf(all, desc.message) : []),
  };
}

// The zero value of an enum means that none was given, so it is not a choice.
const namesOf = ({ enum: desc }: DescField): readonly string[] =>
  (desc?.values ?? []).filter(({ name }) => !name.endsWith("_UNSPECIFIED")).map(({ name }) => name);

function kindOf(field: DescField): FieldKind {
  if (field.fieldKind === "map") {
    return "json";
  }
  if (field.enum !== undefined) {
    return field.enum.typeName === "google.protobuf.NullValue" ? "json" : "choice";
  }
  if (field.message !== undefined) {
    // A list of messages is written as JSON: a form for each would be longer than its text.
    const isOurs = !field.message.typeName.startsWith("google.protobuf.");
    return isOurs && field.fieldKind !== "list" ? "message" : (WELL_KNOWN_KINDS[field.message.typeName] ?? "json");
  }
  switch (field.scalar) {
    case ScalarType.BOOL:
      return "boolean";
    case ScalarType.STRING:
      return "text";
    case ScalarType.BYTES:
      return "bytes";
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return "number";
    default:
      return "integer";
  }
}
