// The tables of operations, parameters and responses, made from the OpenAPI document, which comes from the descriptors and their comments.
import { readFileSync, statSync } from "node:fs";
import { code, table } from "./markdown.ts";

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content: Content }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Place {
  readonly verb: string;
  readonly path: string;
  readonly operation: Operation;
}

const read = new Map<string, { readonly changedMs: number; readonly document: Document }>();

// Read when a table is made, because it may just have been generated; not for each of the hundreds of tables, because it takes 10 ms.
function documentIn(file: string): Document {
  const url = new URL(`../../gen/${file}`, import.meta.url);
  const changedMs = statSync(url).mtimeMs;
  const last = read.get(file);
  if (last?.changedMs === changedMs) {
    return last.document;
  }
  const document = JSON.parse(readFileSync(url, "utf8")) as Document;
  read.set(file, { changedMs, document });
  return document;
}

const document = (): Document => documentIn("openapi.json");

const nameOf = ({ $ref }: Schema): string | undefined => $ref?.replace("#/components/schemas/", "");

// Leaves out the variants that accept the same input in a body.
function places({ paths }: Document): readonly Place[] {
  return Object.entries(paths).flatMap(([path, verbs]) =>
    Object.entries(verbs)
      .filter(([verb, { operationId }]) => !operationId.endsWith(`_${verb}`))
      .map(([verb, operation]) => ({ verb, path, operation })),
  );
}

function placeOf(api: Document, method: string): Place {
  const found = places(api).find(({ operation }) => operation.operationId === method.replace("/", "_"));
  if (found === undefined) {
    throw new Error(`${method} is not in the OpenAPI document`);
  }
  return found;
}

/** `RadioService/SearchStations` → `quintet.radio.v1.RadioService/SearchStations`. The account has two services in one package. */
export function rpcOf(operationId: string): string {
  const [service = "", method = ""] = operationId.split("_");
  const scope = service === "SignInService" ? "account" : service.replace(/Service$/, "").toLowerCase();
  return `quintet.${scope}.v1.${service}/${method}`;
}

/** The operations of one RPC service, such as `RadioService`. */
export function operationsTable(service: string): string {
  const api = service === "OperatorService" ? documentIn("openapi-operator.json") : document();
  const own = places(api).filter(({ operation }) => operation.operationId.startsWith(`${service}_`));
  const rows = own.map(({ verb, path, operation }) => [
    code(`${verb.toUpperCase()} ${path}`),
    code(rpcOf(operation.operationId)),
    `${operation.summary}.`,
  ]);
  return table(["REST", "RPC", "what it does"], rows);
}

const TYPES: Readonly<Record<string, string>> = {
  string: "text",
  integer: "whole number",
  number: "number",
  boolean: "`true` or `false`",
};
const FORMATS: Readonly<Record<string, string>> = { uuid: "UUID", "date-time": "time" };

const choicesOf = ({ enum: choices = [] }: Schema): readonly string[] => choices.map(String);

function typeOf(schema: Schema): string {
  const message = nameOf(schema) ?? schema.anyOf?.map(nameOf).find((name) => name !== undefined);
  if (message !== undefined) {
    return `[${message}](#${message.toLowerCase()})`;
  }
  if (schema.anyOf !== undefined) {
    return givenOf(schema.anyOf)
      .filter(({ type }) => type !== "null")
      .map(typeOf)
      .join(" or ");
  }
  if (schema.items !== undefined) {
    return `list of: ${typeOf(schema.items)}`;
  }
  const choices = choicesOf(schema);
  if (choices.length > 0) {
    return choices.map(code).join(", ");
  }
  const type = typeof schema.type === "string" ? schema.type : schema.type?.[0];
  return FORMATS[schema.format ?? ""] ?? TYPES[type ?? ""] ?? String(type);
}

// `1 to 6`, `at least 1`, `at most 200`; empty if there is no bound.
function span(least: number | undefined, most: number | undefined, unit = ""): string {
  const text =
    least !== undefined && most !== undefined
      ? `${least} to ${most}`
      : [least !== undefined && `at least ${least}`, most !== undefined && `at most ${most}`].find((part) => part !== false);
  return text === undefined ? "" : `${text}${unit}`;
}

// The range of a 32-bit integer is not a bound of ours.
const UINT32_MAX = 4_294_967_295;

function boundsOf(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, items, anyOf } = schema;
  const isPlain = maximum === UINT32_MAX && (minimum ?? 0) === 0;
  return [
    isPlain ? "" : span(minimum, maximum === UINT32_MAX ? undefined : maximum),
    span(minLength, maxLength, " characters"),
    span(minItems, maxItems, " values"),
    items === undefined || boundsOf(items) === "" ? "" : `each ${boundsOf(items)}`,
    ...givenOf(anyOf ?? []).map(boundsOf),
  ]
    .filter((part) => part !== "")
    .join("; ");
}

function defaultOf({ default: value }: Schema): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return code(text ?? "");
}

function inputsOf(api: Document, { operation }: Place): readonly Parameter[] {
  const { requestBody } = operation;
  // Responses that every operation may return are only referred to here, and described elsewhere.
  const parameters = operation.parameters?.filter(({ name }) => name !== undefined) ?? [];
  const media = requestBody?.content["application/json"]?.schema;
  const body = media === undefined ? undefined : api.components.schemas[nameOf(media) ?? ""];
  const members = Object.entries(body?.properties ?? {}).map(([name, schema]) => ({
    name,
    required: body?.required?.includes(name) ?? false,
    description: schema.description ?? "",
    schema,
  }));
  return [...parameters, ...members];
}

/** A parameter, as a page shows it. */
export interface ParameterText {
  readonly name: string;
  /** In Markdown. */
  readonly type: string;
  /** `1 to 100`; empty if there is no bound. */
  readonly bounds: string;
  /** In Markdown; empty if there is none. */
  readonly byDefault: string;
  readonly isRequired: boolean;
  /** In Markdown. */
  readonly description: string;
}

/** The parameters of a method, such as `RadioService/SearchStations`, wherever they are sent. */
export function parametersOf(method: string): readonly ParameterText[] {
  const api = document();
  return inputsOf(api, placeOf(api, method)).map(({ name, required, description, schema }) => ({
    name,
    type: typeOf(schema),
    bounds: boundsOf(schema),
    byDefault: required ? "" : defaultOf(schema),
    isRequired: required,
    description,
  }));
}

/** The same as a table. */
export function parametersTable(method: string): string {
  const rows = parametersOf(method).map(({ name, type, bounds, byDefault, isRequired, description }) => [
    code(name),
    type,
    bounds,
    isRequired ? "**required**" : byDefault,
    description,
  ]);
  return rows.length === 0
    ? "This method takes no parameters."
    : table(["parameter", "type", "bounds", "default", "meaning"], rows);
}

function fieldsTable(schema: Schema | undefined, what: string): string {
  if (schema?.properties === undefined) {
    throw new Error(`${what} has no fields in the OpenAPI document`);
  }
  const rows = Object.entries(schema.properties).map(([name, field]) => [code(name), typeOf(field), field.description ?? ""]);
  return rows.length === 0 ? "`data` is empty." : table(["field", "type", "meaning"], rows);
}

/** The fields of a method's response: of `data`, or of each message of a stream. */
export function responseTable(method: string): string {
  const api = document();
  const [media] = Object.values(placeOf(api, method).operation.responses["200"]?.content ?? {});
  const name = nameOf(media?.schema.properties?.data ?? media?.schema ?? {}) ?? "";
  // A message that is not the response of a single method has its own section.
  return name.endsWith("Response")
    ? fieldsTable(api.components.schemas[name], method)
    : `Over REST \`data\` is the [${name}](#${name.toLowerCase()}) itself.`;
}

/** The fields of a message, such as `Station`. */
export function messageTable(name: string): string {
  return fieldsTable(document().components.schemas[name], name);
}

// Leaves out null and the empty string, which mean that nothing is given.
const givenOf = (choices: readonly Schema[]): readonly Schema[] => choices.filter(({ maxLength }) => maxLength !== 0);
