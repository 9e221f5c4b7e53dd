// RPCs with HTTP rules as OpenAPI operations: one for each binding.
import { type DescField, type DescMethod, type DescService, getOption } from "@bufbuild/protobuf";
import { http } from "../../gen/google/api/annotations_pb.js";
import type { HttpRule } from "../../gen/google/api/http_pb.js";
import { accessOf, SECURITY } from "./access.ts";
import { successOf } from "./answers.ts";
import { commentOf } from "./comments.ts";
import { errorsOf } from "./errors.ts";
import { bodyExample, examplesOf, operationIdOf, recordedCallOf } from "./recorded-calls.ts";
import { isRequired, type Schema, type Schemas, TIMESTAMP } from "./schema.ts";

/** An operation and where it stands in the document. */
export interface Operation {
  readonly path: string;
  readonly verb: string;
  readonly value: Schema;
  /** What it refers to, for `components.examples`. */
  readonly examples: Schema;
}

// What every call of a data service may bring.
const DRY_RUN: Schema = { $ref: "#/components/parameters/DryRun" };

/** The operations of a method: its rule, then the additional bindings. */
export function operationsOf(method: DescMethod, schemas: Schemas): readonly Operation[] {
  const rule = getOption(method, http);
  return [operationOf(method, rule, schemas), ...rule.additionalBindings.map((twin) => twinOf(operationOf(method, twin, schemas)))];
}

function operationOf(method: DescMethod, rule: HttpRule, schemas: Schemas): Operation {
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
    examples: examplesOf(method, inPath, rule.body !== ""),
    value: {
      operationId: operationIdOf(method),
      tags: [tagOf(service)],
      ...(SECURITY[access] !== undefined && { security: SECURITY[access] }),
      summary: comment.split(/(?<=\.)\s/)[0]?.replace(/\.$/, ""),
      description: comment,
      ...((verb === "get" || access === "key" || parameters.length > 0) && {
        parameters: access === "key" ? [...parameters, DRY_RUN] : parameters,
      }),
      ...(rule.body !== "" && { requestBody: requestBody(method, inPath, schemas) }),
      responses: { 200: successOf(method, rule, schemas), ...errorsOf(failing) },
    },
  };
}

// The additional bindings are there for those who have the input in a body.
function twinOf({ value, ...place }: Operation): Operation {
  const { operationId, description } = value;
  return {
    ...place,
    value: {
      ...value,
      operationId: `${operationId}_${place.verb}`,
      description: `${description}\n\nThe same as the GET operation, with the input in the body.`,
    },
  };
}

/** A service's tag: its name without the suffix that every service has. */
export function tagOf(service: DescService): string {
  return service.name.replace(/Service$/, "");
}

function parameterOf(method: DescMethod, field: DescField, inPath: boolean, schemas: Schemas): Schema {
  const { description, ...schema } = schemas.field(field, "input");
  const example = recordedCallOf(method)?.request[field.name];
  const isNeeded = inPath || isRequired(field, "input");
  return {
    name: field.name,
    in: inPath ? "path" : "query",
    required: isNeeded,
    // Nothing behind the equals sign is as good as no parameter.
    ...(!isNeeded && { allowEmptyValue: true }),
    description,
    ...(field.fieldKind === "list" && { style: "form", explode: true }),
    schema,
    ...(example !== undefined && { example }),
  };
}

// What the path has is not in the body.
function requestBody(method: DescMethod, inPath: readonly string[], schemas: Schemas): Schema {
  const { input } = method;
  const fields = input.fields.filter(({ name }) => !inPath.includes(name));
  const media = { schema: schemas.refer(input, "input", inPath), examples: bodyExample(method) };
  // A form cannot say that a message inside is there and empty.
  const hasMessage = fields.some(({ fieldKind, message }) => fieldKind === "message" && message.typeName !== TIMESTAMP);
  return {
    required: fields.some((field) => isRequired(field, "input")),
    content: { "application/json": media, ...(!hasMessage && { "application/x-www-form-urlencoded": media }) },
  };
}
