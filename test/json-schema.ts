// Holds a value against a schema of the OpenAPI document. Stricter than JSON Schema: a property that is not documented is a fault, and so
// is a keyword that this does not know, so that nothing is passed over.

/** A JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>;

type Check = (keyword: never, value: never, at: string, within: Context) => readonly string[];

interface Context {
  readonly schema: Schema;
  readonly components: Readonly<Record<string, Schema>>;
}

const says = (holds: boolean, at: string, what: string): string[] => (holds ? [] : [`${at} ${what}`]);

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  array: Array.isArray,
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  number: (value) => typeof value === "number",
  integer: Number.isSafeInteger,
  null: (value) => value === null,
};

const FORMATS: Readonly<Record<string, RegExp>> = {
  "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  email: /^[^@\s]+@[^@\s]+$/,
  int32: /^-?\d{1,10}$/,
  double: /^-?[\d.]+(e[+-]\d+)?$/,
};

const isOfType = (type: string | readonly string[], value: unknown): boolean =>
  [type].flat().some((name) => TYPES[name]?.(value) ?? false);

const length = (value: string | readonly unknown[]): number => [...value].length;

function propertiesFaults(properties: Readonly<Record<string, Schema>>, value: object, at: string, within: Context): string[] {
  return Object.entries(value).flatMap(([name, member]) => {
    const schema = properties[name];
    return schema === undefined
      ? says(within.schema.additionalProperties === true, `${at}.${name}`, "is not documented")
      : schemaFaults(schema, member, `${at}.${name}`, within.components);
  });
}

const KEYWORDS: Readonly<Record<string, Check>> = {
  $ref: (ref: string, value: unknown, at, { components }) =>
    schemaFaults(components[ref.replace("#/components/schemas/", "")] ?? {}, value, at, components),
  type: (type: string | readonly string[], value, at) => says(isOfType(type, value), at, `is not of type ${type}`),
  anyOf: (schemas: readonly Schema[], value: unknown, at, { components }) =>
    says(
      schemas.some((schema) => schemaFaults(schema, value, at, components).length === 0),
      at,
      "is as none of several schemas says",
    ),
  const: (constant: unknown, value: unknown, at) => says(value === constant, at, `is not ${constant}`),
  enum: (choices: readonly unknown[], value: unknown, at) => says(choices.includes(value), at, `is not one of ${choices}`),
  format: (format: string, value: unknown, at) => says(FORMATS[format]?.test(String(value)) ?? false, at, `is no ${format}`),
  pattern: (pattern: string, value: string, at) => says(new RegExp(pattern).test(value), at, `does not match ${pattern}`),
  minimum: (bound: number, value: number, at) => says(value >= bound, at, `is under ${bound}`),
  maximum: (bound: number, value: number, at) => says(value <= bound, at, `is over ${bound}`),
  minLength: (bound: number, value: string, at) => says(length(value) >= bound, at, `is shorter than ${bound}`),
  maxLength: (bound: number, value: string, at) => says(length(value) <= bound, at, `is longer than ${bound}`),
  minItems: (bound: number, value: readonly unknown[], at) => says(length(value) >= bound, at, `has fewer than ${bound}`),
  maxItems: (bound: number, value: readonly unknown[], at) => says(length(value) <= bound, at, `has more than ${bound}`),
  uniqueItems: (_: boolean, value: readonly unknown[], at) => says(new Set(value).size === value.length, at, "has a value twice"),
  items: (items: Schema, value: readonly unknown[], at, { components }) =>
    value.flatMap((item, index) => schemaFaults(items, item, `${at}[${index}]`, components)),
  required: (names: readonly string[], value: object, at) =>
    names.flatMap((name) => says(name in value, `${at}.${name}`, "is missing")),
  properties: propertiesFaults,
  additionalProperties: () => [],
  description: () => [],
  default: () => [],
  examples: () => [],
};

/** What is wrong with a value: nothing, when it is as the schema says. */
export function schemaFaults(
  schema: Schema,
  value: unknown,
  at: string,
  components: Readonly<Record<string, Schema>>,
): readonly string[] {
  const context = { schema, components };
  const { type } = schema as { readonly type?: string | readonly string[] };
  if (type !== undefined && !isOfType(type, value)) {
    return [`${at} is not of type ${type}`];
  }
  // Of a null that the type allows, the bounds of texts and numbers say nothing.
  const told = Object.entries(schema).filter(([keyword]) => value !== null || type === undefined || keyword === "enum");
  return told.flatMap(([keyword, given]) => {
    const check = KEYWORDS[keyword];
    return check === undefined ? [`${at}: the test knows no ${keyword}`] : check(given as never, value as never, at, context);
  });
}
