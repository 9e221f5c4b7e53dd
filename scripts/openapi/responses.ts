// The responses of calls that succeed: the envelope, or the messages of a stream.
import { type DescMethod, getOption } from "@bufbuild/protobuf";
import type { HttpRule } from "../../gen/google/api/http_pb.js";
import { success_message } from "../../gen/quintet/options/v1/options_pb.js";
import { accessOf } from "./access.ts";
import type { Schema } from "./json-schema.ts";
import { responseExample } from "./recorded-calls.ts";
import type { Schemas } from "./schema.ts";

/** A method's responses to one of its HTTP rules. Only callers with a key get the limits. */
export function successOf(method: DescMethod, rule: HttpRule, schemas: Schemas): Schema {
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
    content: isStream ? streamOf(method, rule, schemas) : envelopeOf(method, rule, schemas, message),
  };
}

// The schema is that of each message.
function streamOf(method: DescMethod, rule: HttpRule, schemas: Schemas): Schema {
  const schema = dataOf(method, rule, schemas);
  const media = { schema, examples: responseExample(method) };
  return { "application/x-ndjson": media, "text/event-stream": media };
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
          status: { type: "string", const: "ok" },
          message: { type: "string", const: message },
          // Without `const`: the Python client of openapi-generator compares it with the text "true".
          success: { type: "boolean", description: "True." },
        },
      },
      examples: responseExample(method),
    },
  };
}

function dataOf(method: DescMethod, rule: HttpRule, schemas: Schemas): Schema {
  const field = method.output.fields.find(({ name }) => name === rule.responseBody);
  return field?.fieldKind === "message" ? schemas.refer(field.message, "output") : schemas.refer(method.output, "output");
}
