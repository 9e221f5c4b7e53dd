// Times in the JSON of the RPC protocols. Callers give them in RFC 3339 or in Unix seconds, as over REST; protobuf's own mapping has only
// one form for each type. So before protobuf-es reads a message, its times are converted to the form of their fields.
import { type DescField, type DescMessage, toJson } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { Failure } from "../../problem/failure.ts";
import { A_TIMESTAMP } from "../../problem/field-requirement.ts";
import { invalidArgument } from "../../problem/problem.ts";
import { isTimestamp, isUnixSeconds, timestampHint } from "../../problem/timestamp.ts";
import { echoedName } from "../rest/echo.ts";
import { type Json, JsonMembers, JsonNumber, readJson, wholeText, writeJson } from "../rest/json.ts";
import { readRfc3339, readTimestamp } from "../rest/timestamp.ts";

const TYPES_WITH_TIMESTAMPS = new WeakMap<DescMessage, boolean>();

/**
 * The message's JSON with each time in the form that its field has in protobuf's JSON. Throws a JsonSyntaxError if it is not JSON, and a
 * Failure INVALID_ARGUMENT if a Timestamp is not a valid time: protobuf-es would not name the field, and would read 30 February as 2 March.
 */
export function convertTimestamps(desc: DescMessage, json: string): string {
  let hasTimestamps = TYPES_WITH_TIMESTAMPS.get(desc);
  if (hasTimestamps === undefined) {
    hasTimestamps = containsTimestamps(desc, new Set());
    TYPES_WITH_TIMESTAMPS.set(desc, hasTimestamps);
  }
  return hasTimestamps ? writeJson(messageOf(desc, "", readJson(json))) : json;
}

// Google's own messages, such as Struct, have special JSON forms.
const isOrdinaryMessage = ({ message }: DescField): boolean =>
  message !== undefined && !message.typeName.startsWith("google.protobuf.");

function containsTimestamps(desc: DescMessage, seen: Set<DescMessage>): boolean {
  seen.add(desc);
  return desc.fields.some(
    (field) =>
      isTimestamp(field) ||
      (isOrdinaryMessage(field) &&
        field.message !== undefined &&
        !seen.has(field.message) &&
        containsTimestamps(field.message, seen)),
  );
}

function messageOf(desc: DescMessage, prefix: string, json: Json): Json {
  if (!(json instanceof JsonMembers)) {
    return json;
  }
  const fields = new Map(desc.fields.flatMap((field) => [field.name, field.jsonName].map((name) => [name, field])));
  return new JsonMembers(
    json.members.map(([key, value]) => {
      const field = fields.get(key);
      return [key, field === undefined ? value : fieldOf(field, prefix + field.name, value)];
    }),
  );
}

function fieldOf(field: DescField, path: string, json: Json): Json {
  if (field.fieldKind === "list" && Array.isArray(json)) {
    return json.map((element, index) => elementOf(field, `${path}[${index}]`, element));
  }
  if (field.fieldKind === "map" && json instanceof JsonMembers) {
    return new JsonMembers(json.members.map(([key, value]) => [key, elementOf(field, `${path}[${echoedName(key)}]`, value)]));
  }
  return elementOf(field, path, json);
}

function elementOf(field: DescField, path: string, json: Json): Json {
  if (isUnixSeconds(field)) {
    const time = typeof json === "string" ? readRfc3339(json) : undefined;
    return time === undefined ? json : new JsonNumber(String(time.seconds));
  }
  if (isTimestamp(field)) {
    return json === null ? null : timestampOf(path, json instanceof JsonNumber ? wholeText(json.text) : json);
  }
  return isOrdinaryMessage(field) && field.message !== undefined ? messageOf(field.message, `${path}.`, json) : json;
}

function timestampOf(path: string, given: Json): string {
  const text = typeof given === "string" ? given : "";
  const time = readTimestamp(text);
  if (time === undefined) {
    throw new Failure(invalidArgument([{ field: path, description: `must be ${A_TIMESTAMP}${timestampHint(text)}` }]));
  }
  return toJson(TimestampSchema, time);
}
