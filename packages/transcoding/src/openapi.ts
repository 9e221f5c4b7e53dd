// Describes the routes of methods as an OpenAPI document, from their rules and messages.
import { type DescField, type DescMessage, type DescMethod, ScalarType } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { type Rule, rulesOf } from "./rule.ts";
import type { Template } from "./template.ts";

type Schema = Readonly<Record<string, unknown>>;

/** The schemas of messages, by their type names. */
type Schemas = Map<string, Schema>;

// The HTTP methods that OpenAPI can describe.
const DESCRIBED: ReadonlySet<string> = new Set(["GET", "PUT", "POST", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE"]);
// How deep a query is described: fields of fields may go on without end.
const QUERY_DEPTH_MAX = 3;
const ERROR = "connect.error";
const ERROR_SCHEMA: Schema = {
  type: "object",
  required: ["code"],
  properties: {
    code: { type: "string", description: "Connect's code, such as invalid_argument." },
    message: { type: "string" },
    details: {
      type: "array",
      items: { type: "object", properties: { type: { type: "string" }, value: { type: "string" }, debug: {} } },
    },
  },
};

const TEXT: Schema = { type: "string" };
// https://protobuf.dev/programming-guides/json/
const WELL_KNOWN: Readonly<Record<string, Schema>> = {
  "google.protobuf.Timestamp": { type: "string", format: "date-time" },
  "google.protobuf.Duration": { type: "string", pattern: "^-?[0-9]+(\\.[0-9]{1,9})?s$" },
  "google.protobuf.FieldMask": TEXT,
  "google.protobuf.Struct": { type: "object" },
  "google.protobuf.Value": {},
  "google.protobuf.ListValue": { type: "array", items: {} },
  "google.protobuf.Empty": { type: "object" },
  "google.protobuf.Any": { type: "object" },
};

/** The document, in OpenAPI 3.1. Methods without a rule, and custom HTTP methods, are left out. */
export function openApiOf(methods: Iterable<DescMethod>, info: { readonly title: string; readonly version: string }): object {
  const schemas: Schemas = new Map([[ERROR, ERROR_SCHEMA]]);
  const paths: Record<string, Record<string, object>> = {};
  for (const method of methods) {
    for (const [index, rule] of rulesOf(method).entries()) {
      if (DESCRIBED.has(rule.httpMethod)) {
        const path = pathOf(rule.template);
        paths[path] = { ...paths[path], [rule.httpMethod.toLowerCase()]: operationOf(rule, index, schemas) };
      }
    }
  }
  return { openapi: "3.1.0", info, paths, components: { schemas: Object.fromEntries(schemas) } };
}

// A variable is one parameter, also if it is several segments, which OpenAPI cannot say.
function pathOf({ segments, variables, verb }: Template): string {
  let path = "";
  for (let at = 0; at < segments.length; ) {
    const segment = segments[at];
    const variable = variables.find(({ start }) => start === at);
    if (variable !== undefined) {
      path += `/{${variable.fieldPath}}`;
      at = variable.end ?? segments.length;
    } else {
      path += segment?.kind === "literal" ? `/${encodeURIComponent(segment.text)}` : `/{segment${at}}`;
      at += 1;
    }
  }
  return verb === "" ? path : `${path}:${encodeURIComponent(verb)}`;
}

function operationOf({ rpc, template, body, responseBody }: Rule, index: number, schemas: Schemas): object {
  const inPath = template.variables.map(({ fieldPath }) => fieldPath);
  const unnamed = template.segments.flatMap(({ kind }, at) =>
    kind !== "literal" && !template.variables.some(({ start, end }) => at >= start && at < (end ?? at + 1)) ? [`segment${at}`] : [],
  );
  const parameters = [
    ...inPath.map((name) => ({ name, in: "path", required: true, schema: fieldAt(rpc.input, name, schemas) })),
    ...unnamed.map((name) => ({ name, in: "path", required: true, schema: TEXT })),
    ...(body === "*" ? [] : queryOf(rpc.input, schemas, (path) => path !== body && !inPath.includes(path))),
  ];
  const output = responseBody === "" ? messageSchema(rpc.output, schemas) : fieldAt(rpc.output, responseBody, schemas);
  const type = rpc.methodKind === "unary" ? "application/json" : "application/x-ndjson";
  const input = body === "*" ? messageSchema(rpc.input, schemas) : body === "" ? undefined : fieldAt(rpc.input, body, schemas);
  return {
    operationId: `${rpc.parent.name}_${rpc.name}${index === 0 ? "" : index + 1}`,
    tags: [rpc.parent.name],
    ...(parameters.length > 0 && { parameters }),
    ...(input !== undefined && { requestBody: { required: true, content: { "application/json": { schema: input } } } }),
    responses: {
      200: {
        description: rpc.methodKind === "unary" ? "The result." : "A line of JSON for each message.",
        content: { [type]: { schema: output } },
      },
      default: { description: "An error.", content: { "application/json": { schema: { $ref: `#/components/schemas/${ERROR}` } } } },
    },
  };
}

function queryOf(desc: DescMessage, schemas: Schemas, takes: (path: string) => boolean, prefix = "", depth = 1): readonly object[] {
  return desc.fields.flatMap((field) => {
    const name = prefix + field.name;
    if (!takes(name) || field.fieldKind === "map" || (field.fieldKind === "list" && field.listKind === "message")) {
      return [];
    }
    if (field.fieldKind === "message" && !isOneValue(field.message)) {
      return depth < QUERY_DEPTH_MAX ? queryOf(field.message, schemas, takes, `${name}.`, depth + 1) : [];
    }
    return [{ name, in: "query", schema: fieldSchema(field, schemas) }];
  });
}

const isOneValue = (desc: DescMessage): boolean => desc.typeName in WELL_KNOWN || isWrapperDesc(desc);

// The schema of a field by its path. Its rule has been checked if its routes were compiled.
function fieldAt(desc: DescMessage, path: string, schemas: Schemas): Schema {
  const [first, ...rest] = path.split(".");
  const field = desc.fields.find(({ name }) => name === first);
  if (field === undefined || (rest.length > 0 && field.message === undefined)) {
    throw new Error(`${desc.typeName} has no field ${path}`);
  }
  return rest.length > 0 && field.message !== undefined
    ? fieldAt(field.message, rest.join("."), schemas)
    : fieldSchema(field, schemas);
}

function messageSchema(desc: DescMessage, schemas: Schemas): Schema {
  const known = WELL_KNOWN[desc.typeName];
  const [value] = desc.fields;
  if (known !== undefined || (isWrapperDesc(desc) && value !== undefined)) {
    return known ?? fieldSchema(value as DescField, schemas);
  }
  if (!schemas.has(desc.typeName)) {
    // Stored before its fields are described, because a message may contain itself.
    const properties: Record<string, Schema> = {};
    schemas.set(desc.typeName, { type: "object", properties });
    for (const field of desc.fields) {
      properties[field.jsonName] = fieldSchema(field, schemas);
    }
  }
  return { $ref: `#/components/schemas/${desc.typeName}` };
}

function fieldSchema(field: DescField, schemas: Schemas): Schema {
  const one =
    field.message !== undefined
      ? messageSchema(field.message, schemas)
      : field.enum !== undefined
        ? { type: "string", enum: field.enum.values.map(({ name }) => name) }
        : scalarSchema(field.scalar);
  if (field.fieldKind === "list") {
    return { type: "array", items: one };
  }
  return field.fieldKind === "map" ? { type: "object", additionalProperties: one } : one;
}

function scalarSchema(type: ScalarType): Schema {
  switch (type) {
    case ScalarType.STRING:
      return TEXT;
    case ScalarType.BYTES:
      return { type: "string", contentEncoding: "base64" };
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return { type: "number", format: ScalarType[type].toLowerCase() };
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return { type: "string", format: "int64" };
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return { type: "string", format: "uint64" };
    default:
      return { type: "integer", format: type === ScalarType.UINT32 || type === ScalarType.FIXED32 ? "uint32" : "int32" };
  }
}
