// The OpenAPI 3.1 document of everything that REST serves, made from the descriptors and the comments of the protos.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createFileRegistry, type DescService, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { commentOf } from "./comments.ts";
import { errorResponses, errorSchema } from "./errors.ts";
import { operationsOf, tagOf } from "./operations.ts";
import { type Schema, Schemas } from "./schema.ts";

/** Managed by the dashboard and the command line, under a session and not under a key: no part of the gateway's reference. */
const ACCOUNT_PACKAGE = "quintet.account.";

const meta: Schema = {
  type: "object",
  description: "About the answer itself.",
  required: ["timestamp", "request_id"],
  properties: {
    timestamp: { type: "string", format: "date-time", description: "When the answer was made, UTC." },
    request_id: { type: "string", format: "uuid", description: "The request's id, also in the `x-request-id` header." },
  },
};

const headers: Schema = {
  RequestId: {
    description: "The request's id: yours where you sent a UUID, else a new one.",
    schema: { type: "string", format: "uuid" },
  },
  RateLimitPolicy: {
    description: 'The plan\'s limits: `"second";q=5;w=1, "month";q=20000;w=2592000`, a quota `q` in a window of `w` seconds.',
    schema: { type: "string" },
  },
  RateLimit: {
    description: 'What is left: `"second";r=4;t=1, "month";r=19999;t=12345`, `r` requests, and more in `t` seconds.',
    schema: { type: "string" },
  },
};

const description = `Five data services behind one gateway, on one port, as gRPC, gRPC-Web, Connect and REST. This is the REST side.

Every operation takes its input in the query string, in the body of a GET, or in the body of a POST, as JSON or as a form. Parameters are
written in snake_case; lowerCamelCase is taken too. A parameter that is not known, or that is given twice, is an error that names it. HEAD is answered and counted as GET is, without the body of the answer.`;

/** Makes the document. */
export function openApiDocument(): Schema {
  // With source information: the generated code has no comments.
  const image = execFileSync("node_modules/.bin/buf", ["build", "proto", "-o", "-"], { maxBuffer: 64 * 1024 * 1024 });
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, image));
  const services = [...registry]
    .filter((desc): desc is DescService => desc.kind === "service" && !desc.typeName.startsWith(ACCOUNT_PACKAGE))
    .toSorted((a, b) => (a.typeName < b.typeName ? -1 : 1));
  const schemas = new Schemas();
  const paths: Record<string, Schema> = {};
  for (const { path, verb, value } of services.flatMap(({ methods }) =>
    methods.flatMap((method) => operationsOf(method, schemas)),
  )) {
    paths[path] = { ...paths[path], [verb]: value };
  }
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  return {
    openapi: "3.1.0",
    info: { title: "Quintet", version, description, license: { name: "Apache-2.0", identifier: "Apache-2.0" } },
    servers: [{ url: "/", description: "Where this document was read from." }],
    security: [{ gatewayKey: [] }],
    tags: services.map((service) => ({ name: tagOf(service), description: commentOf(service) })),
    paths,
    components: {
      securitySchemes: {
        gatewayKey: {
          type: "apiKey",
          in: "header",
          name: "x-gateway-key",
          description: "An API key, `qk_live_` and 38 characters.",
        },
      },
      headers,
      schemas: { Meta: meta, Error: errorSchema, ...Object.fromEntries(schemas.components) },
      responses: errorResponses(),
    },
  };
}
