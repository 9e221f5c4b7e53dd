// What the descriptors say about a field's values, in words and as a few properties of an input. Read from buf.validate's rules and our own
// options while the site is built, so that browsers load neither these options nor what declares them.
import { type DescExtension, type DescField, type FileRegistry, getOption } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import type { FieldRules } from "../app/console/contract/field-rules.ts";

// The parts of buf.validate.FieldRules that are read here. https://buf.build/bufbuild/protovalidate
interface Rules {
  readonly required: boolean;
  /** IGNORE_IF_ZERO_VALUE is 1. */
  readonly ignore: number;
  readonly type: { readonly case?: string; readonly value?: TypeRules };
}

interface TypeRules {
  readonly in?: readonly unknown[];
  readonly greaterThan?: Bound;
  readonly lessThan?: Bound;
  readonly pattern?: string;
  readonly wellKnown?: { readonly case?: string; readonly value?: unknown };
  readonly items?: Rules;
  // Lengths are bigint. In proto2 messages, such as these, the default of a field that is not set is on the prototype.
  readonly minLen?: bigint;
  readonly maxLen?: bigint;
  readonly minItems?: bigint;
  readonly maxItems?: bigint;
}

interface Bound {
  readonly case?: string;
  readonly value?: unknown;
}

interface TextShape {
  readonly pattern: string;
}

/** Reads the rules of a field from its descriptor. */
export function rulesOf(registry: FileRegistry, field: DescField): FieldRules {
  const option = (name: string): unknown => {
    const extension = extensionOf(registry, name);
    const { options } = field.proto;
    return options?.$unknown?.some(({ no }) => no === extension.number) === true ? getOption(field, extension) : undefined;
  };
  const rules = option("buf.validate.field") as Rules | undefined;
  const whole = rules?.type.value;
  const isList = rules?.type.case === "repeated";
  const element = isList ? whole?.items?.type.value : whole;
  const shape = option("quintet.options.v1.text_shape") as TextShape | undefined;
  const choices = (element?.in ?? []).map(String).filter((choice) => choice !== "");
  return {
    isRequired: isRequired(field, rules, element),
    choices,
    bounds: [isList ? countText(whole) : "", isList ? each(valueText(element)) : valueText(element)]
      .filter((text) => text !== "")
      .join(", "),
    range: rangeOf(element),
    pattern: shape?.pattern ?? (element?.pattern === "" ? undefined : element?.pattern),
    byDefault: textOf(option("quintet.options.v1.default_value")),
    example: textOf(option("quintet.options.v1.example_value")),
    isUnixSeconds: option("quintet.options.v1.unix_seconds") === true,
  };
}

// A string or a list that may not be empty must be given, unless the field has presence.
function isRequired(field: DescField, rules: Rules | undefined, element: TypeRules | undefined): boolean {
  if (rules?.required === true || length(rules?.type.value?.minItems) > 0) {
    return true;
  }
  const isPlainText = rules?.type.case === "string" && rules.ignore === 0 && field.presence === FeatureSet_FieldPresence.IMPLICIT;
  const refusesEmpty = length(element?.minLen) > 0 || element?.wellKnown?.case !== undefined;
  return isPlainText && (refusesEmpty || (element?.in !== undefined && element.in.length > 0 && !element.in.includes("")));
}

const length = (value: bigint | undefined): number => Number(value ?? 0);

const each = (text: string): string => (text === "" ? "" : `each ${text}`);

const countText = (rules: TypeRules | undefined): string => span(length(rules?.minItems), length(rules?.maxItems), " values");

function valueText(rules: TypeRules | undefined): string {
  if (rules === undefined) {
    return "";
  }
  if (rules.wellKnown?.case === "uuid" && rules.wellKnown.value === true) {
    return "a UUID";
  }
  const { greaterThan, lessThan } = rules;
  if (greaterThan?.case !== undefined || lessThan?.case !== undefined) {
    return numberText(greaterThan, lessThan);
  }
  return span(length(rules.minLen), length(rules.maxLen), " characters");
}

function numberText(least: Bound | undefined, most: Bound | undefined): string {
  const from = least?.case === undefined ? undefined : `${least.case === "gt" ? "over " : ""}${least.value}`;
  const to = most?.case === undefined ? undefined : `${most.case === "lt" ? "under " : ""}${most.value}`;
  if (from !== undefined && to !== undefined) {
    return `${from} to ${to}`;
  }
  return from === undefined ? `at most ${to}` : `at least ${from}`;
}

function rangeOf({ greaterThan, lessThan }: TypeRules = {}): FieldRules["range"] {
  const least = greaterThan?.case === "gte" ? Number(greaterThan.value) : null;
  const most = lessThan?.case === "lte" ? Number(lessThan.value) : null;
  return least === null && most === null ? undefined : [least, most];
}

// 0 means no bound.
function span(least: number, most: number, unit: string): string {
  if (least > 0 && most > 0) {
    return least === most ? `${least}${unit}` : `${least} to ${most}${unit}`;
  }
  if (least > 0) {
    return `at least ${least}${unit}`;
  }
  return most > 0 ? `at most ${most}${unit}` : "";
}

// The values of our own options are JSON.
function textOf(json: unknown): string | undefined {
  if (typeof json !== "string" || json === "") {
    return undefined;
  }
  const value: unknown = JSON.parse(json);
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** An extension of the descriptors, such as `buf.validate.field`. Throws if it is missing. */
export function extensionOf(registry: FileRegistry, name: string): DescExtension {
  const extension = registry.getExtension(name);
  if (extension === undefined) {
    throw new Error(`The descriptors have no ${name}`);
  }
  return extension;
}
