// Builds the input message of a REST request from the path variables, the query and the body. Each field may be given in only one
// place, and nothing is ignored. The pipeline checks the protovalidate rules later. The HTTP rule decides which body is accepted: with
// `body: "*"` it is the whole input; with the name of a field it is that field. A GET rule accepts the query, a body, or both. Any
// other rule accepts no body. With `body: "*"`, a query is only accepted if the method has no side effects: otherwise the input
// may contain a password, and proxies and access logs record queries.
import type { Message } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { echoedDocument, echoedName } from "./echo.ts";
import type { IsUnixSeconds } from "./field-requirement.ts";
import { type Field, type FieldTable, fieldTable } from "./fields.ts";
import { type Json, JsonMembers, JsonSyntaxError, readJson } from "./json.ts";
import { applyJson, applyMembers } from "./json-body.ts";
import { jsonDepthMax, jsonExcess, VALUES_MAX } from "./json-bounds.ts";
import { MessageBuilder, Violations } from "./message-builder.ts";
import { applyParameter, echoedUnknownName } from "./parameter.ts";
import type { Rule } from "./rule.ts";
import type { Variable } from "./template.ts";

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

/** Builds the input message of a rule. Throws an InvalidInput with a violation for each wrong field. */
export type Bind = (input: BindingInput) => Message;

// Where the body goes: nowhere, into the whole input, or into one field.
type BodyTarget = "none" | "whole" | Field;

const UTF8_DECODER = new TextDecoder("utf-8", { fatal: true });

/** Compiles the binding of a rule. Throws an Error if the rule does not fit the input message. */
export function compileBind(rule: BoundRule, isUnixSeconds?: IsUnixSeconds): Bind {
  const table = fieldTable(rule.rpc.input, isUnixSeconds);
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

/**
 * Throws an Error unless each variable names a single value of the message, by proto names, and all of them can be set together.
 */
function checkVariables(table: FieldTable, variables: readonly Variable[]): void {
  // Path of a oneof → path of the member that a variable needs.
  const chosen = new Map<string, string>();
  for (const { fieldPath } of variables) {
    checkVariable(table, fieldPath, chosen);
  }
}

function checkVariable(table: FieldTable, fieldPath: string, chosen: Map<string, string>): void {
  const names = fieldPath.split(".");
  let inner = table;
  let prefix = "";
  for (const [index, name] of names.entries()) {
    const field = inner.fields.find((candidate) => candidate.name === name);
    if (field === undefined) {
      throw new Error(`${inner.desc.typeName} has no field ${name}`);
    }
    if (field.kind !== "single") {
      throw new Error(`${fieldPath} is a ${field.kind}, and a path variable is one value`);
    }
    if (field.oneof !== undefined) {
      const member = prefix + name;
      const other = chosen.get(prefix + field.oneof) ?? member;
      if (other !== member) {
        throw new Error(`${other} and ${member} cannot both be given`);
      }
      chosen.set(prefix + field.oneof, member);
    }
    if (index === names.length - 1) {
      if (field.reader === undefined) {
        throw new Error(`${fieldPath} is a message, and a path variable is one value`);
      }
    } else if (field.table === undefined) {
      throw new Error(`${name} is not a message, so ${fieldPath} names nothing`);
    } else {
      inner = field.table;
      prefix += `${name}.`;
    }
  }
}

/**
 * Calls `take` with each name and value, in order. Adds a violation for anything that cannot be decoded; `whole` names the input in errors.
 */
function readUrlencodedPairs(
  text: string,
  whole: "query" | "body",
  violations: Violations,
  take: (name: string, value: string) => void,
): void {
  let start = 0;
  for (let count = 0; start < text.length; count++) {
    if (count === VALUES_MAX) {
      violations.add(whole, `must have at most ${VALUES_MAX} parameters`);
      return;
    }
    let end = text.indexOf("&", start);
    if (end === -1) {
      end = text.length;
    }
    if (end > start) {
      readPair(text.slice(start, end), whole, violations, take);
    }
    start = end + 1;
  }
}

function readPair(pair: string, whole: string, violations: Violations, take: (name: string, value: string) => void): void {
  const equals = pair.indexOf("=");
  const name = decode(equals === -1 ? pair : pair.slice(0, equals));
  const value = equals === -1 ? "" : decode(pair.slice(equals + 1));
  if (name === undefined) {
    violations.add(whole, "has a parameter name that is not percent-encoded UTF-8");
  } else if (name === "" || name.startsWith("[")) {
    violations.add(whole, "has a parameter without a name");
  } else if (value === undefined) {
    violations.add(echoedName(name), "must be percent-encoded UTF-8");
  } else {
    take(name, value);
  }
}

function decode(text: string): string | undefined {
  if (!text.includes("%") && !text.includes("+")) {
    return text;
  }
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
