// What a form says about a field's values, and how it takes them. The build reads it from the protos (build/field-rules.ts). The form only
// helps the user; the server decides what is valid.
import type { DescField } from "@bufbuild/protobuf";

/** The rules for a field's value, or for each element of a list. */
export interface FieldRules {
  /** Whether the field must be given. */
  readonly isRequired: boolean;
  /** The only strings that are allowed; empty if any string is. */
  readonly choices: readonly string[];
  /** `1 to 100`, `at most 200 characters`, `1 to 6 values, each 1 to 6`; empty if there is no bound. */
  readonly bounds: string;
  /** The least and the most that a number may be, both included; null without such a bound. */
  readonly range: readonly [least: number | null, most: number | null] | undefined;
  /** A regular expression that each string matches. */
  readonly pattern: string | undefined;
  /** The value that the server uses when the field is left out, as a string. */
  readonly byDefault: string | undefined;
  readonly example: string | undefined;
  /** Whether the number is a time, in seconds since 1970. */
  readonly isUnixSeconds: boolean;
}

/** Full name of a field, such as `quintet.farkle.v1.ScoreRequest.dice` → its rules, without those that are the same as in `NO_RULES`. */
export type RulesByField = Readonly<Record<string, Partial<FieldRules>>>;

/** The rules of a field that may have any value of its type. */
export const NO_RULES: FieldRules = {
  isRequired: false,
  choices: [],
  bounds: "",
  range: undefined,
  pattern: undefined,
  byDefault: undefined,
  example: undefined,
  isUnixSeconds: false,
};

/** A field's full name: `quintet.farkle.v1.ScoreRequest.dice`. */
export const fullNameOf = ({ parent, name }: DescField): string => `${parent.typeName}.${name}`;
