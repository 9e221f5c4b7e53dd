// Checks an input message against the protovalidate rules in its proto. Every pipeline does so before it calls a method, so the
// rules and the error messages are the same in all protocols.
import {
  type DescEnum,
  type DescEnumValue,
  type DescField,
  type DescMessage,
  getOption,
  hasOption,
  isFieldSet,
  type Message,
} from "@bufbuild/protobuf";
import type { GenMessage } from "@bufbuild/protobuf/codegenv2";
import { type Path, pathToString } from "@bufbuild/protobuf/reflect";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { createValidator, type Validator } from "@bufbuild/protovalidate";
import {
  DoubleRulesSchema,
  EnumRulesSchema,
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
import type { Interceptor } from "@connectrpc/connect";
import {
  echoed,
  fullName,
  hasSecretSibling,
  lengthRequirementOf,
  oneOfEnum,
  requirementOf,
  shortName,
  valueRules,
} from "@quintet/transcoding";
import { example_value } from "../../../gen/quintet/options/v1/options_pb.js";
import { Failure } from "../../problem/failure.ts";
import { internalProblem, invalidArgument, type Violation } from "../../problem/problem.ts";
import { isUnixSeconds } from "../../problem/timestamp.ts";
import { isoTime } from "../../runtime/iso-time.ts";

/** The parts of protovalidate's violation that are used here. */
interface RuleViolation {
  readonly message: string;
  readonly ruleId: string;
  readonly field: Path;
}

// What a path leads to: a field's value, or an element of it.
interface Place {
  readonly field: DescField;
  readonly isElement: boolean;
  readonly value: unknown;
}

/** `enums`: how the caller's protocol writes the values of enums. */
export function describeViolation(
  { message: text, ruleId, field: path }: RuleViolation,
  message: Message,
  enums: "short" | "full",
): Violation {
  const last = path.at(-1);
  if (last?.kind === "oneof") {
    const [first, ...others] = last.fields;
    const field = pathToString(first === undefined ? path : [...path.slice(0, -1), first]);
    const names = others
      .map(({ name }) => name)
      .join(", ")
      .replace(/, (?=\w+$)/, " or ");
    return { field, description: `is required, unless ${names} is given` };
  }
  const place = placeOf(path, message);
  const nameOf = enums === "short" ? shortName : fullName;
  return { field: pathToString(path), description: (place && describe(place, ruleId, text, nameOf)) ?? withoutSubject(text) };
}

function describe(place: Place, ruleId: string, text: string, nameOf: (value: DescEnumValue) => string): string | undefined {
  const { field, value } = place;
  const isWhole = !place.isElement;
  if (isWhole && (ruleId === "required" || isMissing(field, value))) {
    const choices = requirementOfPlace(place, nameOf);
    return choices?.startsWith("one of ") ? `is required, ${choices}` : "is required";
  }
  if (isWhole && field.fieldKind === "list") {
    return describeList(getOption(field, fieldRules), ruleId, value as readonly unknown[]);
  }
  if (ruleId === "timestamp.gt_now") {
    return "must be in the future";
  }
  if (ruleId === "string.min_len" || ruleId === "string.max_len") {
    return `must be ${lengthRequirementOf(field)}${field.proto.options?.debugRedact === true ? "" : `, not ${[...String(value)].length}`}`;
  }
  const isSecret = hasSecretSibling(field);
  const given = isSecret ? "" : `, not ${echoed(typeof value === "string" ? value : String(value))}`;
  const requirement = requirementOfPlace(place, nameOf);
  if (requirement !== undefined && isUnixSeconds(field)) {
    return `must be ${requirement}, not ${isoTime(Number(value) * 1000)} (${value})`;
  }
  if (requirement !== undefined && isStandard(ruleId)) {
    return `must be ${requirement}${typeof value === "number" && !isSecret ? `, not ${value}` : given}`;
  }
  // The text of our own rules is meant for callers.
  return text.startsWith("must ") && typeof value === "string" ? `${text}${given}` : undefined;
}

// Without presence, an empty string or list, or an unspecified enum, counts as missing.
const isMissing = (field: DescField, value: unknown): boolean =>
  field.presence !== FeatureSet_FieldPresence.EXPLICIT &&
  (value === "" || (field.fieldKind === "enum" && value === 0) || (Array.isArray(value) && value.length === 0));

// The ids of our own rules begin with a service's name.
const STANDARD_RULES = ["string.", "int32.", "uint32.", "int64.", "uint64.", "double.", "float.", "enum."];
const isStandard = (ruleId: string): boolean => STANDARD_RULES.some((prefix) => ruleId.startsWith(prefix));

function requirementOfPlace({ field }: Place, nameOf: (value: DescEnumValue) => string): string | undefined {
  if (field.fieldKind !== "map" && field.enum !== undefined) {
    return oneOfEnum(field.enum, nameOf, valueRules(field));
  }
  const rules = valueRules(field);
  if (rules?.type.case === "string" && rules.type.value.pattern !== "" && hasOption(field, example_value)) {
    return `written like ${JSON.parse(getOption(field, example_value))}`;
  }
  return requirementOf(field, isUnixSeconds);
}

function describeList({ type }: FieldRules, ruleId: string, { length }: readonly unknown[]): string | undefined {
  if (ruleId === "repeated.unique") {
    return "must not contain a value twice";
  }
  if (type.case !== "repeated" || (ruleId !== "repeated.min_items" && ruleId !== "repeated.max_items")) {
    return undefined;
  }
  const { minItems, maxItems } = type.value;
  const bounds = maxItems === 0n ? `at least ${minItems}` : minItems > 0n ? `${minItems} to ${maxItems}` : `at most ${maxItems}`;
  return `must have ${bounds} ${bounds === "at least 1" ? "value" : "values"}, not ${length}`;
}

function placeOf(path: Path, message: Message): Place | undefined {
  let field: DescField | undefined;
  let isElement = false;
  let value: unknown = message;
  for (const step of path) {
    const holder = value as Record<string, unknown>;
    switch (step.kind) {
      case "field":
        field = step;
        isElement = false;
        value = fieldValue(holder, step);
        break;
      case "list_sub":
        isElement = true;
        value = holder[step.index];
        break;
      case "map_sub":
        isElement = true;
        value = holder[String(step.key)];
        break;
      default:
        return undefined;
    }
  }
  return field === undefined ? undefined : { field, isElement, value };
}

function fieldValue(message: Record<string, unknown>, { localName, oneof }: DescField): unknown {
  if (oneof === undefined) {
    return message[localName];
  }
  const chosen = message[oneof.localName] as { readonly case?: string; readonly value?: unknown };
  return chosen.case === localName ? chosen.value : undefined;
}

// protovalidate's messages begin with "value", but the field's name already precedes them.
const withoutSubject = (text: string): string => text.replace(/^value (?=must|does|is)/, "");

/** Whether a message is certainly valid. */
type FastValidator = (message: Message) => boolean;

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
  if (field.fieldKind === "enum" && rules.ignore !== Ignore.ALWAYS) {
    return checkOfEnum(field.enum, rules);
  }
  return field.fieldKind === "list" && field.listKind === "scalar" && rules.ignore === Ignore.UNSPECIFIED
    ? checkOfList(rules)
    : never;
}

function checkOfEnum({ value: values }: DescEnum, { type }: FieldRules): Check {
  return type.case === "enum" && type.value.definedOnly && setsOnly(EnumRulesSchema, type.value, ["defined_only"])
    ? (value) => values[value as number] !== undefined
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

/** Naming more violations would not help the caller. */
const VIOLATIONS_MAX = 20;

function validateFully(validator: Validator, desc: DescMessage, message: Message, enums: "short" | "full"): void {
  const result = validator.validate(desc, message);
  switch (result.kind) {
    case "valid":
      return;
    case "invalid":
      throw new Failure(
        invalidArgument(
          result.violations.slice(0, VIOLATIONS_MAX).map((violation) => describeViolation(violation, message, enums)),
        ),
      );
    case "error":
      throw new Failure(internalProblem(result.error));
  }
}

/**
 * Checks one message. Throws a Failure INVALID_ARGUMENT that names each wrong field. `enums`: how the caller's protocol writes the values
 * of enums; full by default.
 */
export type Validate = (desc: DescMessage, message: Message, enums?: "short" | "full") => void;

/** The rules of a message type are compiled on first use. */
export function createValidation(): Validate {
  // Created on first use: most messages are certainly valid.
  let validator: Validator | undefined;
  const fastValidators = new Map<DescMessage, FastValidator>();
  return (desc, message, enums = "full") => {
    let fastValidator = fastValidators.get(desc);
    if (fastValidator === undefined) {
      fastValidator = compileFastValidator(desc);
      fastValidators.set(desc, fastValidator);
    }
    if (!fastValidator(message)) {
      validator ??= createValidator();
      validateFully(validator, desc, message, enums);
    }
  };
}

/** The same check as an interceptor for connect-es, which reads the messages of a request itself. */
export function validationInterceptor(validate: Validate): Interceptor {
  return (next) => (request) => {
    if (!request.stream) {
      validate(request.method.input, request.message);
      return next(request);
    }
    const messages = request.message;
    const checked = (async function* () {
      for await (const message of messages) {
        validate(request.method.input, message);
        yield message;
      }
    })();
    return next({ ...request, message: checked });
  };
}
