// Describes a field that breaks a protovalidate rule: what is required, the bounds, and what was given. protovalidate's own text
// names the rule, but a caller needs to know what to send.
import type { DescField, Message } from "@bufbuild/protobuf";
import { getOption, hasOption } from "@bufbuild/protobuf";
import { type Path, pathToString } from "@bufbuild/protobuf/reflect";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { type FieldRules, field as fieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { example_value } from "../../../gen/quintet/options/v1/options_pb.js";
import { lengthRequirementOf, oneOfEnum, requirementOf, valueRules } from "../../problem/field-requirement.ts";
import type { Violation } from "../../problem/problem.ts";
import { isUnixSeconds } from "../../problem/timestamp.ts";
import { isoTime } from "../../runtime/iso-time.ts";
import { echoed } from "../rest/echo.ts";
import { hasSecretSibling } from "../rest/field-reader.ts";

/** The parts of protovalidate's violation that are used here. */
export interface RuleViolation {
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

export function describeViolation({ message: text, ruleId, field: path }: RuleViolation, message: Message): Violation {
  const place = placeOf(path, message);
  return { field: pathToString(path), description: (place && describe(place, ruleId, text)) ?? withoutSubject(text) };
}

function describe(place: Place, ruleId: string, text: string): string | undefined {
  const { field, value } = place;
  const isWhole = !place.isElement;
  if (isWhole && (ruleId === "required" || isMissing(field, value))) {
    const choices = requirementOf(field);
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
  const requirement = requirementOfPlace(place);
  if (requirement !== undefined && isUnixSeconds(field)) {
    return `must be ${requirement}, not ${isoTime(Number(value) * 1000)} (${value})`;
  }
  if (requirement !== undefined && isStandard(ruleId)) {
    return `must be ${requirement}${typeof value === "number" && !isSecret ? `, not ${value}` : given}`;
  }
  // The text of our own rules is meant for callers.
  return text.startsWith("must ") && typeof value === "string" ? `${text}${given}` : undefined;
}

// Without presence, an empty string or list counts as missing.
const isMissing = (field: DescField, value: unknown): boolean =>
  field.presence !== FeatureSet_FieldPresence.EXPLICIT && (value === "" || (Array.isArray(value) && value.length === 0));

// The ids of our own rules begin with a service's name.
const STANDARD_RULES = ["string.", "int32.", "uint32.", "int64.", "uint64.", "double.", "float.", "enum."];
const isStandard = (ruleId: string): boolean => STANDARD_RULES.some((prefix) => ruleId.startsWith(prefix));

function requirementOfPlace({ field }: Place): string | undefined {
  if (field.fieldKind !== "map" && field.enum !== undefined) {
    return oneOfEnum(field.enum, (name) => name);
  }
  const rules = valueRules(field);
  if (rules?.type.case === "string" && rules.type.value.pattern !== "" && hasOption(field, example_value)) {
    return `written like ${JSON.parse(getOption(field, example_value))}`;
  }
  return requirementOf(field);
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
