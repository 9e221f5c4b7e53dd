// Builds the input message of a REST request from the path variables, the query and the body. Each field may be given in only one
// place, and nothing is ignored. The pipeline checks the protovalidate rules later. The HTTP rule decides which body is accepted: with
// `body: "*"` it is the whole input; with the name of a field it is that field. A GET rule accepts the query, a body, or both. Any
// other rule accepts no body. With `body: "*"`, a query is only accepted if the method has no side effects: otherwise the input
// may contain a password, and proxies and access logs record queries.
import type { Message } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { echoedDocument } from "./echo.ts";
import { type Field, type FieldTable, fieldTable } from "./fields.ts";
import { type Json, JsonMembers, JsonSyntaxError, readJson } from "./json.ts";
import { applyJson, applyMembers } from "./json-body.ts";
import { jsonDepthMax, jsonExcess } from "./json-bounds.ts";
import { MessageBuilder } from "./message-builder.ts";
import { applyParameter, echoedUnknownName } from "./parameter.ts";
import { checkVariables } from "./path-variables.ts";
import type { Rule } from "./rule.ts";
import { readUrlencodedPairs } from "./urlencoded-pairs.ts";
import { Violations } from "./violations.ts";

/** The parts of a request that the input is made from. */
interface BindingInput {
  /** The values of the path variables, as returned by the match. */
  readonly pathValues: readonly string[];
  /** The query as sent, without `?`. The transport only lets visible ASCII through. */
  readonly query: string;
  /** Its size is already limited. Empty means the same as undefined: no body. */
  readonly body: Uint8Array | undefined;
  /** The encoding of the body: JSON in UTF-8, or application/x-www-form-urlencoded. Ignored without a body. */
  readonly bodyType: "json" | "form";
}

/** What binding needs from a rule. */
type BoundRule = Pick<Rule, "rpc" | "httpMethod" | "template" | "body">;

/** Builds the input message of a rule. Throws a Failure INVALID_ARGUMENT with a violation for each wrong field. */
export type Bind = (input: BindingInput) => Message;

// Where the body goes: nowhere, into the whole input, or into one field.
type BodyTarget = "none" | "whole" | Field;

const UTF8_DECODER = new TextDecoder("utf-8", { fatal: true });

/** Compiles the binding of a rule. Throws an Error if the rule does not fit the input message. */
export function compileBind(rule: BoundRule): Bind {
  const table = fieldTable(rule.rpc.input);
  const variables = rule.template.variables.map(({ fieldPath }) => fieldPath);
  checkVariables(table, rule.template.variables);
  const bodyTarget = targetOfBody(rule, table);
  const depthMax = jsonDepthMax(rule.rpc.input);
  const acceptsQuery = rule.body !== "*" || rule.rpc.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  return ({ pathValues, query, body, bodyType }) => {
    const builder = new MessageBuilder(table);
    const violations = new Violations();
    for (let index = 0; index < variables.length; index += 1) {
      applyParameter(builder, "", variables[index] as string, pathValues[index] ?? "", "path", violations);
    }
    if (!acceptsQuery) {
      readUrlencodedPairs(query, "query", violations, (name) => violations.add(nameOf(table, name), "must be in the body"));
    } else if (query !== "") {
      readUrlencodedPairs(query, "query", violations, (name, value) =>
        applyParameter(builder, "", name, value, "query", violations),
      );
    }
    if (body !== undefined && body.length > 0) {
      applyBody(builder, bodyTarget, body, bodyType === "json" ? depthMax : undefined, violations);
    }
    violations.throwIfAny();
    return builder.message;
  };
}

// The proto name of an input field, otherwise the name as given.
const nameOf = (table: FieldTable, given: string): string => table.byName.get(given)?.name ?? echoedUnknownName(table, given);

// `depthMax` is how deep JSON may nest; undefined for a form.
function applyBody(
  builder: MessageBuilder,
  target: BodyTarget,
  body: Uint8Array,
  depthMax: number | undefined,
  violations: Violations,
): void {
  if (target === "none") {
    violations.add("body", "is not accepted here: give the input in the query");
    return;
  }
  const excess = depthMax === undefined ? undefined : jsonExcess(body, depthMax);
  if (excess !== undefined) {
    violations.add("body", excess);
    return;
  }
  const text = decodeBody(body);
  if (text === undefined) {
    violations.add("body", "is not valid UTF-8");
  } else if (depthMax === undefined) {
    applyForm(builder, target, text, violations);
  } else {
    applyJsonText(builder, target, text, violations);
  }
}

function decodeBody(body: Uint8Array): string | undefined {
  try {
    return UTF8_DECODER.decode(body);
  } catch {
    return undefined;
  }
}

function applyForm(builder: MessageBuilder, target: "whole" | Field, text: string, violations: Violations): void {
  // What `curl -d` sends without a content-type. No field's name begins with a brace or a bracket.
  if (/^\s*[{[]/.test(text)) {
    violations.add(
      "body",
      "is JSON, but its content-type is application/x-www-form-urlencoded: send content-type: application/json",
    );
  } else if (target === "whole") {
    readUrlencodedPairs(text, "body", violations, (name, value) => applyParameter(builder, "", name, value, "body", violations));
  } else if (target.table !== undefined && target.kind === "single") {
    const child = builder.child(target, target.table);
    const prefix = `${target.name}.`;
    readUrlencodedPairs(text, "body", violations, (name, value) => applyParameter(child, prefix, name, value, "body", violations));
  } else {
    violations.add("body", `must be JSON, because it is the value of the field ${target.name}`);
  }
}

function applyJsonText(builder: MessageBuilder, target: "whole" | Field, text: string, violations: Violations): void {
  let json: Json;
  try {
    json = readJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) {
      throw error;
    }
    violations.add("body", `is not valid JSON: ${error.message}`);
    return;
  }
  if (target !== "whole") {
    applyJson(builder, target, target.name, json, violations);
  } else if (json instanceof JsonMembers) {
    applyMembers(builder, "", json, violations);
  } else {
    violations.add("body", `must be a JSON object, not ${echoedDocument(json)}`);
  }
}

function targetOfBody({ httpMethod, body, template }: BoundRule, table: FieldTable): BodyTarget {
  if (body === "*" || (body === "" && httpMethod === "GET")) {
    return "whole";
  }
  if (body === "") {
    return "none";
  }
  const field = table.fields.find((candidate) => candidate.name === body);
  if (field === undefined) {
    throw new Error(
      body.includes(".") ? `body ${body} is not a field of the input itself` : `${table.desc.typeName} has no field ${body}`,
    );
  }
  if (template.variables.some(({ fieldPath }) => fieldPath === body || fieldPath.startsWith(`${body}.`))) {
    throw new Error(`the path and the body both bind ${body}`);
  }
  return field;
}
