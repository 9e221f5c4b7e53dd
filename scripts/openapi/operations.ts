// RPCs with HTTP rules as OpenAPI operations: one for each binding.
import { type DescField, type DescMethod, type DescService, getOption } from "@bufbuild/protobuf";
import { http } from "../../gen/google/api/annotations_pb.js";
import type { HttpRule } from "../../gen/google/api/http_pb.js";
import { success_message } from "../../gen/quintet/options/v1/options_pb.js";
import { accessOf, SECURITY } from "./access.ts";
import { commentOf } from "./comments.ts";
import { errorsOf } from "./errors.ts";
import type { Schema } from "./json-schema.ts";
import { bodyExample, operationIdOf, recordedCallOf, responseExample } from "./recorded-calls.ts";
import { isRequired, type Schemas } from "./schema.ts";
import { plainTimestampType } from "./values.ts";

/** An operation and its place in the document. */
export interface PlacedOperation {
  readonly path: string;
  readonly verb: string;
  readonly value: Schema;
}

/** The operations of a method: its rule, then the additional bindings. */
export function operationsOf(method: DescMethod, schemas: Schemas): readonly PlacedOperation[] {
  const rule = getOption(method, http);
  const twins = rule.additionalBindings.map((twin) => twinOf(operationOf(method, twin, schemas)));
  if (twins.length > 0) {
    schemas.leaveUndescribed(method.input);
  }
  return [operationOf(method, rule, schemas), ...twins];
}

function operationOf(method: DescMethod, rule: HttpRule, schemas: Schemas): PlacedOperation {
  const verb = rule.pattern.case;
  const template = rule.pattern.value;
  if (verb === undefined || verb === "custom" || typeof template !== "string") {
    throw new Error(`${method.toString()}: a rule for the published reference names one of HTTP's own methods`);
  }
  const service = method.parent;
  const access = accessOf(method);
  const inPath = [...template.matchAll(/\{([\w.]+)/g)].map(([, name]) => name ?? "");
  const parameters = method.input.fields
    .filter(({ name }) => rule.body === "" || inPath.includes(name))
    .map((field) => parameterOf(method, field, inPath.includes(field.name), schemas));
  const comment = commentOf(method);
  const failing = {
    access,
    isGet: verb === "get",
    namesSomething: inPath.length > 0,
    comments: `${comment} ${commentOf(service)}`,
  };
  return {
    verb,
    path: template.replaceAll(/\{([\w.]+)=[^}]*\}/g, "{$1}"),
    value: {
      operationId: operationIdOf(method),
      tags: [tagOf(service)],
      ...(SECURITY[access] !== undefined && { security: SECURITY[access] }),
      summary: comment.split(/(?<=\.)\s/)[0]?.replace(/\.$/, ""),
      description: comment,
      ...(method.deprecated && { deprecated: true }),
      ...((verb === "get" || parameters.length > 0) && { parameters }),
      ...(rule.body !== "" && { requestBody: requestBody(method, inPath, schemas) }),
      responses: { 200: successOf(method, rule, schemas), ...errorsOf(failing) },
    },
  };
}

// The additional bindings are for callers who send the input in a body. Generators that recognise the mark leave them out, so that a client
// has each method once. What the GET operation says about its input, its headers and its response is not repeated.
function twinOf({ value, ...place }: PlacedOperation): PlacedOperation {
  const { operationId, responses } = value;
  const { 200: success, ...errors } = responses as Readonly<Record<number, { readonly content: Readonly<Record<string, Schema>> }>>;
  const content = Object.entries(success?.content ?? {}).map(([type, { schema }]) => [type, { schema }]);
  return {
    ...place,
    value: {
      ...value,
      operationId: `${operationId}_${place.verb}`,
      "x-internal": true,
      description: "The same as the GET operation, with its parameters in the body.",
      responses: { 200: { ...success, headers: undefined, content: Object.fromEntries(content) }, ...errors },
    },
  };
}

/** A service's tag: its name without the suffix that every service has. */
export function tagOf(service: DescService): string {
  return service.name.replace(/Service$/, "");
}

function parameterOf(method: DescMethod, field: DescField, inPath: boolean, schemas: Schemas): Schema {
  const { description, anyOf, ...schema } = schemas.field(field, "input");
  const example = recordedCallOf(method)?.request[field.name];
  const isNeeded = inPath || isRequired(field, "input");
  return {
    name: field.name,
    in: inPath ? "path" : "query",
    required: isNeeded,
    // An empty value counts as no parameter.
    ...(!isNeeded && { allowEmptyValue: true }),
    description,
    ...(field.fieldKind === "list" && { style: "form", explode: true }),
    schema: anyOf === undefined ? schema : { ...plainTimestampType(field), ...schema },
    ...(example !== undefined && { example }),
  };
}

// Fields in the path are not in the body. Forms are accepted too, but not shown: generated code would not define their schemas.
function requestBody(method: DescMethod, inPath: readonly string[], schemas: Schemas): Schema {
  const { input } = method;
  return {
    required: input.fields.some((field) => !inPath.includes(field.name) && isRequired(field, "input")),
    content: {
      "application/json": { schema: schemas.refer(input, "input", inPath), ...bodyExample(method, inPath) },
    },
  };
}

/** A method's responses to one of its HTTP rules. Only callers with a key get the limits. */
function successOf(method: DescMethod, rule: HttpRule, schemas: Schemas): Schema {
  const message = getOption(method, success_message);
  const isStream = method.methodKind === "server_streaming";
  return {
    description: isStream ? `${message}: a stream of messages, one a line or one in the data of each event` : message,
    headers: {
      "X-Request-Id": { $ref: "#/components/headers/RequestId" },
      ...(accessOf(method) === "key" && {
        "RateLimit-Policy": { $ref: "#/components/headers/RateLimitPolicy" },
        RateLimit: { $ref: "#/components/headers/RateLimit" },
      }),
    },
    content: isStream ? streamOf(method, rule, schemas) : envelopeOf(method, rule, schemas),
  };
}

// The schema is that of each message.
function streamOf(method: DescMethod, rule: HttpRule, schemas: Schemas): Schema {
  const schema = dataOf(method, rule, schemas);
  const media = { schema, ...responseExample(method) };
  return { "application/x-ndjson": media, "text/event-stream": media };
}

function envelopeOf(method: DescMethod, rule: HttpRule, schemas: Schemas): Schema {
  return {
    "application/json": {
      schema: {
        type: "object",
        required: ["data", "meta", "status", "message", "success"],
        properties: {
          data: dataOf(method, rule, schemas),
          meta: { $ref: "#/components/schemas/Meta" },
          status: { type: "string", const: "ok" },
          message: { type: "string" },
          // Without `const`: the Python client of openapi-generator compares it with the text "true".
          success: { type: "boolean" },
        },
      },
      ...responseExample(method),
    },
  };
}

function dataOf(method: DescMethod, rule: HttpRule, schemas: Schemas): Schema {
  const field = method.output.fields.find(({ name }) => name === rule.responseBody);
  return field?.fieldKind === "message" ? schemas.refer(field.message, "output") : schemas.refer(method.output, "output");
}
