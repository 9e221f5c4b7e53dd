// RPCs with HTTP rules as OpenAPI operations: one for each binding.
import { type DescField, type DescMessage, type DescMethod, type DescService, getOption } from "@bufbuild/protobuf";
import { http } from "../../gen/google/api/annotations_pb.js";
import type { HttpRule } from "../../gen/google/api/http_pb.js";
import { success_message } from "../../gen/quintet/options/v1/options_pb.js";
import { commentOf } from "./comments.ts";
import { errorStatusesOf } from "./errors.ts";
import { isRequired, type Schema, type Schemas } from "./schema.ts";

/** An operation and where it stands in the document. */
export interface Operation {
  readonly path: string;
  readonly verb: string;
  readonly value: Schema;
}

/** The operations of a method: its rule, then the additional bindings. */
export function operationsOf(method: DescMethod, schemas: Schemas): readonly Operation[] {
  const rule = getOption(method, http);
  return [rule, ...rule.additionalBindings].map((binding) => operationOf(method, binding, schemas));
}

function operationOf(method: DescMethod, rule: HttpRule, schemas: Schemas): Operation {
  const verb = rule.pattern.case;
  const template = rule.pattern.value;
  if (verb === undefined || verb === "custom" || typeof template !== "string") {
    throw new Error(`${method.toString()}: a rule for the published reference names one of HTTP's own methods`);
  }
  const isGet = verb === "get";
  const service = method.parent;
  const pathNames = [...template.matchAll(/\{([\w.]+)/g)].map(([, name]) => name);
  const inQuery = (field: DescField): boolean => rule.body === "" && !pathNames.includes(field.name);
  const parameters = method.input.fields
    .filter((field) => inQuery(field) || pathNames.includes(field.name))
    .map((field) => parameterOf(field, pathNames.includes(field.name), schemas));
  const comment = commentOf(method);
  const statuses = errorStatusesOf(`${comment} ${commentOf(service)}`, isGet);
  return {
    verb,
    path: template.replaceAll(/\{([\w.]+)=[^}]*\}/g, "{$1}"),
    value: {
      operationId: `${service.name}_${method.name}${isGet ? "" : "_post"}`,
      tags: [tagOf(service)],
      summary: comment.split(/(?<=\.)\s/)[0]?.replace(/\.$/, ""),
      description: isGet ? comment : `${comment}\n\nThe same as the GET operation, with the input in the body.`,
      ...(isGet && { parameters }),
      ...(rule.body !== "" && { requestBody: requestBody(method.input, schemas) }),
      responses: {
        200: successOf(method, rule, schemas),
        ...Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/Error${status}` }])),
      },
    },
  };
}

/** A service's tag: its name without the suffix that every service has. */
export function tagOf(service: DescService): string {
  return service.name.replace(/Service$/, "");
}

function parameterOf(field: DescField, inPath: boolean, schemas: Schemas): Schema {
  const { description, ...schema } = schemas.field(field, "input");
  return {
    name: field.name,
    in: inPath ? "path" : "query",
    required: inPath || isRequired(field, "input"),
    description,
    ...(field.fieldKind === "list" && { style: "form", explode: true }),
    schema,
  };
}

function requestBody(input: DescMessage, schemas: Schemas): Schema {
  const schema = schemas.refer(input, "input");
  return {
    required: input.fields.some((field) => isRequired(field, "input")),
    content: { "application/json": { schema }, "application/x-www-form-urlencoded": { schema } },
  };
}

function dataOf(method: DescMethod, rule: HttpRule, schemas: Schemas): Schema {
  const field = method.output.fields.find(({ name }) => name === rule.responseBody);
  return field?.fieldKind === "message" ? schemas.refer(field.message, "output") : schemas.refer(method.output, "output");
}

function successOf(method: DescMethod, rule: HttpRule, schemas: Schemas): Schema {
  const message = getOption(method, success_message);
  const isStream = method.methodKind === "server_streaming";
  return {
    description: isStream ? `${message}: a stream of messages, one a line or one in the data of each event` : message,
    headers: {
      "X-Request-Id": { $ref: "#/components/headers/RequestId" },
      "RateLimit-Policy": { $ref: "#/components/headers/RateLimitPolicy" },
      RateLimit: { $ref: "#/components/headers/RateLimit" },
    },
    content: isStream ? streamOf(method, rule, schemas) : envelopeOf(method, rule, schemas, message),
  };
}

// The schema is that of each message.
function streamOf(method: DescMethod, rule: HttpRule, schemas: Schemas): Schema {
  const schema = dataOf(method, rule, schemas);
  return { "application/x-ndjson": { schema }, "text/event-stream": { schema } };
}

function envelopeOf(method: DescMethod, rule: HttpRule, schemas: Schemas, message: string): Schema {
  return {
    "application/json": {
      schema: {
        type: "object",
        required: ["data", "meta", "status", "message", "success"],
        properties: {
          data: dataOf(method, rule, schemas),
          meta: { $ref: "#/components/schemas/Meta" },
          status: { const: "ok" },
          message: { const: message },
          success: { const: true },
        },
      },
    },
  };
}
