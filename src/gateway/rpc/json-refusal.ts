// Says what is wrong with JSON that protobuf-es refused to read as a message: the syntax error with its position, or each wrong name, as
// REST reports it. protobuf-es's own errors are written for the author of the client.
import type { DescEnum, DescField, DescMessage } from "@bufbuild/protobuf";
import {
  describeUnknownName,
  echoedDocument,
  echoedName,
  echoedUnknownName,
  type FieldTable,
  fieldTable,
  fullName,
  type Json,
  JsonMembers,
  JsonSyntaxError,
  oneOfEnum,
  readJson,
  Violations,
  valueRules,
} from "@quintet/transcoding";
import { Failure } from "../../problem/failure.ts";
import { invalidArgument } from "../../problem/problem.ts";
import { isUnixSeconds } from "../../problem/timestamp.ts";

const UTF8_DECODER = new TextDecoder("utf-8", { fatal: true });

/**
 * Throws a Failure if the bytes are not JSON, not an object, or have a wrong name: MALFORMED_REQUEST with the line and column, or
 * INVALID_ARGUMENT with each field that is unknown or given twice, and each unknown value of an enum.
 */
export function refuseWrongJson(desc: DescMessage, bytes: Uint8Array, cause: unknown): void {
  const json = jsonOf(bytes, cause);
  if (!(json instanceof JsonMembers)) {
    throw malformed(`The request must be a JSON object, not ${echoedDocument(json)}.`, cause);
  }
  const violations = new Violations();
  addWrongNames(fieldTable(desc, isUnixSeconds), json, "", violations);
  if (violations.found.length > 0) {
    throw new Failure(invalidArgument(violations.found));
  }
}

const malformed = (message: string, cause: unknown): Failure => new Failure({ reason: "MALFORMED_REQUEST", message, cause });

function jsonOf(bytes: Uint8Array, cause: unknown): Json {
  let text: string;
  try {
    text = UTF8_DECODER.decode(bytes);
  } catch {
    throw malformed("The request's JSON is not valid UTF-8.", cause);
  }
  try {
    return readJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) {
      throw malformed(`The request is not valid JSON: ${error.message}.`, cause);
    }
    throw error;
  }
}

function addWrongNames(table: FieldTable, { members }: JsonMembers, prefix: string, violations: Violations): void {
  const given = new Set<unknown>();
  for (const [key, value] of members) {
    const field = table.byName.get(key);
    if (field === undefined) {
      violations.add(prefix + echoedUnknownName(table, key), describeUnknownName(table, key, prefix, "body", violations));
      continue;
    }
    const path = prefix + field.name;
    if (given.has(field)) {
      violations.add(path, "is given twice");
    }
    given.add(field);
    if (field.kind === "single" && isUnknownValue(table.desc.fields[field.index]?.enum, value)) {
      const known = table.desc.fields[field.index] as DescField & { readonly enum: DescEnum };
      violations.add(path, `must be ${oneOfEnum(known.enum, fullName, valueRules(known))}`);
    } else if (field.table !== undefined) {
      for (const [at, one] of field.kind === "single" ? [[path, value] as const] : elementsOf(path, value)) {
        if (one instanceof JsonMembers) {
          addWrongNames(field.table, one, `${at}.`, violations);
        }
      }
    }
  }
}

// In the JSON of the RPC protocols, only the full names of an enum's values are valid.
const isUnknownValue = (desc: DescEnum | undefined, value: Json): boolean =>
  desc !== undefined && typeof value === "string" && desc.values.every(({ name }) => name !== value);

// The elements of a list or the values of a map, with their paths.
const elementsOf = (path: string, value: Json): (readonly [path: string, value: Json])[] =>
  value instanceof JsonMembers
    ? value.members.map(([key, one]) => [`${path}[${echoedName(key)}]`, one])
    : Array.isArray(value)
      ? value.map((one, index) => [`${path}[${index}]`, one])
      : [];
