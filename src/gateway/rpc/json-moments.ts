// Times in the JSON of the RPC protocols. Callers give them in RFC 3339 or in Unix seconds, as over REST; protobuf's own mapping has only
// one form for each type. So before protobuf-es reads a message, its times are converted to the form of their fields.
import { type DescField, type DescMessage, toJson } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { Failure } from "../../problem/failure.ts";
import { A_MOMENT } from "../../problem/field-requirement.ts";
import { isMoment, isUnixSeconds, momentHint } from "../../problem/moment.ts";
import { invalidArgument } from "../../problem/problem.ts";
import { echoedName } from "../rest/echo.ts";
import { type Json, JsonMembers, JsonNumber, readJson, wholeText, writeJson } from "../rest/json.ts";
import { readMoment, readRfc3339 } from "../rest/moment.ts";

const HAVE_MOMENTS = new WeakMap<DescMessage, boolean>();

/**
 * The message's JSON with each time in the form that its field has in protobuf's JSON. Throws a JsonSyntaxError if it is not JSON, and a
 * Failure INVALID_ARGUMENT if a Timestamp is not a valid time: protobuf-es would not name the field, and would read 30 February as 2 March.
 */
export function withDeclaredMoments(desc: DescMessage, json: string): string {
  let hasMoments = HAVE_MOMENTS.get(desc);
  if (hasMoments === undefined) {
    hasMoments = containsMoments(desc, new Set());
    HAVE_MOMENTS.set(desc, hasMoments);
  }
  return hasMoments ? writeJson(messageOf(desc, "", readJson(json))) : json;
}

// Google's own messages, such as Struct, have special JSON forms.
const isOfFields = ({ message }: DescField): boolean => message !== undefined && !message.typeName.startsWith("google.protobuf.");

function containsMoments(desc: DescMessage, seen: Set<DescMessage>): boolean {
  seen.add(desc);
  return desc.fields.some(
    (field) =>
      isMoment(field) ||
      (isOfFields(field) && field.message !== undefined && !seen.has(field.message) && containsMoments(field.message, seen)),
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
  if (isMoment(field)) {
    return json === null ? null : timestampOf(path, json instanceof JsonNumber ? wholeText(json) : json);
  }
  return isOfFields(field) && field.message !== undefined ? messageOf(field.message, `${path}.`, json) : json;
}

function timestampOf(path: string, given: Json): string {
  const text = typeof given === "string" ? given : "";
  const time = readMoment(text);
  if (time === undefined) {
    throw new Failure(invalidArgument([{ field: path, description: `must be ${A_MOMENT}${momentHint(text)}` }]));
  }
  return toJson(TimestampSchema, time);
}
