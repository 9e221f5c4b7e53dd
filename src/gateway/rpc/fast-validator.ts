// Recognises most valid messages quickly. protovalidate wraps each message, and keeps a path for every element of a list in case
// it is invalid, which is far slower (figures in docs/decisions.md). Only plain bounds are checked here, which covers nearly all
// rules. Any message that is not certainly valid is left to protovalidate, which decides and writes the error.
import { type DescField, type DescMessage, getOption, hasOption, isFieldSet, type Message } from "@bufbuild/protobuf";
import type { GenMessage } from "@bufbuild/protobuf/codegenv2";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import {
  DoubleRulesSchema,
  type FieldRules,
  FieldRulesSchema,
  field as fieldRules,
  Ignore,
  type Int32Rules,
  Int32RulesSchema,
  message as messageRules,
  RepeatedRulesSchema,
  type StringRules,
  StringRulesSchema,
  UInt32RulesSchema,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";

/** Whether a message is certainly valid. */
export type FastValidator = (message: Message) => boolean;

/** Whether a value certainly satisfies the rules of its field. */
type Check = (value: unknown) => boolean;

const always: Check = () => true;
const never: Check = () => false;

const TYPES_OF_RULES = FieldRulesSchema.fields.filter(({ oneof }) => oneof?.name === "type").map(({ name }) => name);

export function compileFastValidator(desc: DescMessage): FastValidator {
  if (hasOption(desc, messageRules) || desc.oneofs.length > 0) {
    return never;
  }
  const checks = desc.fields
    .map((field) => ({ name: field.localName, check: checkOf(field) }))
    .filter(({ check }) => check !== always);
  return (message) => {
    const values = message as Message & Record<string, unknown>;
    for (const { name, check } of checks) {
      if (!check(values[name])) {
        return false;
      }
    }
    return true;
  };
}

function checkOf(field: DescField): Check {
  const check = hasOption(field, fieldRules) ? checkOfRules(field, getOption(field, fieldRules)) : checkWithoutRules(field);
  return field.presence === FeatureSet_FieldPresence.EXPLICIT && check !== always && check !== never
    ? (value) => value === undefined || check(value)
    : check;
}

// The rules of a message inside this one are left to protovalidate.
function checkWithoutRules(field: DescField): Check {
  switch (field.fieldKind) {
    case "message":
      return (value) => value === undefined;
    case "list":
      return field.listKind === "message" ? (value) => (value as unknown[]).length === 0 : always;
    case "map":
      return (value) => Object.keys(value as object).length === 0;
    default:
      return always;
  }
}

function checkOfRules(field: DescField, rules: FieldRules): Check {
  if (rules.required) {
    return never;
  }
  const check = setsOnly(FieldRulesSchema, rules, ["ignore", ...TYPES_OF_RULES]) ? checkOfType(field, rules) : never;
  return field.fieldKind === "scalar" && rules.ignore === Ignore.IF_ZERO_VALUE
    ? (value) => value === "" || value === 0 || check(value)
    : check;
}

function checkOfType(field: DescField, rules: FieldRules): Check {
  if (field.fieldKind === "scalar" && rules.ignore !== Ignore.ALWAYS) {
    return checkOfScalar(rules);
  }
  return field.fieldKind === "list" && field.listKind === "scalar" && rules.ignore === Ignore.UNSPECIFIED
    ? checkOfList(rules)
    : never;
}

// Whether the rules only use these fields. Rules from a newer version of protovalidate's proto would be unknown fields.
function setsOnly<Rules extends Message>(schema: GenMessage<Rules>, rules: Rules, names: readonly string[]): boolean {
  return rules.$unknown === undefined && schema.fields.every((field) => names.includes(field.name) || !isFieldSet(rules, field));
}

function checkOfScalar(rules: FieldRules): Check {
  switch (rules.type.case) {
    case undefined:
      return always;
    case "string":
      return checkOfText(rules.type.value);
    case "int32":
      return checkOfNumber(Int32RulesSchema, rules.type.value);
    case "uint32":
      return checkOfNumber(UInt32RulesSchema, rules.type.value);
    case "double":
      return checkOfNumber(DoubleRulesSchema, rules.type.value);
    default:
      return never;
  }
}

function checkOfText(rules: StringRules): Check {
  if (!setsOnly(StringRulesSchema, rules, ["min_len", "max_len", "in"])) {
    return never;
  }
  // The rules count code points. A string has at most as many of them as UTF-16 units, and at least half as many.
  const unitsMin = 2 * Number(rules.minLen) - 1;
  const unitsMax = isFieldSet(rules, StringRulesSchema.field.maxLen) ? Number(rules.maxLen) : Number.POSITIVE_INFINITY;
  const choices = rules.in.length === 0 ? undefined : new Set(rules.in);
  return (value) => {
    const text = value as string;
    return text.length >= unitsMin && text.length <= unitsMax && (choices === undefined || choices.has(text));
  };
}

/** What the rules of all number types have in common. */
type NumberRules = Message & Pick<Int32Rules, "lessThan" | "greaterThan">;

function checkOfNumber<Rules extends NumberRules>(schema: GenMessage<Rules>, rules: Rules): Check {
  const { lessThan, greaterThan } = rules;
  const lower = greaterThan.value ?? Number.NEGATIVE_INFINITY;
  const upper = lessThan.value ?? Number.POSITIVE_INFINITY;
  // Bounds in reverse order exclude a gap between them; these are left to protovalidate. NaN is never within bounds.
  if (!setsOnly(schema, rules, ["lt", "lte", "gt", "gte"]) || lower > upper) {
    return never;
  }
  const isOpenBelow = greaterThan.case === "gt";
  const isOpenAbove = lessThan.case === "lt";
  return (value) => {
    const number = value as number;
    return (isOpenBelow ? number > lower : number >= lower) && (isOpenAbove ? number < upper : number <= upper);
  };
}

function checkOfList(rules: FieldRules): Check {
  const list = rules.type.case === "repeated" ? rules.type.value : undefined;
  if (list === undefined || !setsOnly(RepeatedRulesSchema, list, ["min_items", "max_items", "items"])) {
    return never;
  }
  const itemsMin = Number(list.minItems);
  const itemsMax = isFieldSet(list, RepeatedRulesSchema.field.maxItems) ? Number(list.maxItems) : Number.POSITIVE_INFINITY;
  const checkItem = list.items === undefined ? always : checkOfItem(list.items);
  return (value) => {
    const items = value as readonly unknown[];
    return items.length >= itemsMin && items.length <= itemsMax && items.every(checkItem);
  };
}

const checkOfItem = (rules: FieldRules): Check =>
  setsOnly(FieldRulesSchema, rules, TYPES_OF_RULES) ? checkOfScalar(rules) : never;
