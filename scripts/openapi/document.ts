// The OpenAPI 3.1 document of everything that REST serves, made from the descriptors and the comments of the protos.

import { DRY_RUN_HEADER } from "../../src/gateway/operation.ts";
import type { Access } from "../../src/problem/reason-rule.ts";
import { apiVersion, version } from "../../src/runtime/version.ts";
import { readServices } from "../protos.ts";
import { accessOfService, SECURITY_OF_ALL, securitySchemes } from "./access.ts";
import { commentOf } from "./comments.ts";
import { errorResponses, errorSchema, requireNamed } from "./errors.ts";
import type { Schema } from "./json-schema.ts";
import { operationsOf, tagOf } from "./operations.ts";
import { Schemas } from "./schema.ts";

/** A document: which services it contains, and what it says about them. */
interface DocumentKind {
  readonly title: string;
  /** In the order in which their services are documented: the data services come first. */
  readonly accesses: readonly Access[];
  /** What its operations may require of a caller. */
  readonly needs: readonly Access[];
  readonly description: string;
}

const meta: Schema = {
  type: "object",
  description: "About the response itself.",
  required: ["timestamp", "request_id"],
  properties: {
    timestamp: { type: "string", format: "date-time", description: "When the response was created, UTC." },
    request_id: { type: "string", format: "uuid", description: "The request's id, also in the `x-request-id` header." },
  },
};

const headers: Schema = {
  RequestId: {
    description: "The request's id: yours if you sent a UUID, otherwise a new one.",
    schema: { type: "string", format: "uuid" },
  },
  RateLimitPolicy: {
    description:
      'The plan\'s limits, such as `"second";q=5;w=1;quintet-burst=5, "month";q=20000;w=2592000`. The policy `month` allows `q` calls in a calendar month. The policy `second` is a token bucket that holds `quintet-burst` calls and gains `q` calls every `w` seconds, so up to `quintet-burst` + `q` calls fit into the first `w` seconds.',
    schema: { type: "string" },
  },
  RateLimit: {
    description:
      'What is left of each limit, such as `"second";r=4;t=1, "month";r=19999;t=12345`: `r` calls now, and more in `t` seconds.',
    schema: { type: "string" },
  },
};

const description = `Data services behind one gateway, and the services that manage the accounts calling them, all on one port, as gRPC, gRPC-Web, Connect and
REST. This document describes REST.

**Input.** Parameters are written in snake_case; lowerCamelCase is accepted too. A body is JSON or a form. If a parameter is unknown, or is
given twice, the call fails with an error that names it. An optional parameter may be empty, or null in JSON: that is the same as leaving it
out.

**The data services** are called with an API key in the header \`x-gateway-key\`. Every operation takes its input in the query string or in
the body of a GET, and many also in the body of a POST, which is marked with \`x-internal\`, so that generators can leave it out. HEAD returns the headers of the GET without its body, and is counted like GET. With
\`accept: text/csv\`, lists of plain rows, such as histories and charts, are CSV.

**Dry runs.** A call to a data service with the header \`${DRY_RUN_HEADER}: true\` is not made. If it would be refused, it is refused in the same
way. Otherwise the response has this header, with the value \`admitted\`, and its \`data\` is null, which the schemas below do not show. A dry run
counts against the rate limit, but not against the quota.

**The account services** are never called with an API key. The operations of SignIn need no credentials, and begin a session. Those of
Account need the session's token, as \`authorization: Bearer TOKEN\`, except for the plans and the status, which anybody may read. An operation
that only reads is a GET, with its input in the query string; one that changes something is a POST or a PATCH, with its input in the path and
the body. A body may have at most 4 KiB, and must not be compressed. These calls do not count against any plan.`;

/** The document of what customers call. */
export const CUSTOMERS_DOCUMENT: DocumentKind = {
  title: "Quintet",
  accesses: ["key", "nothing", "session", "public"],
  needs: ["key", "session", "public", "nothing"],
  description,
};

/** The document of what operators also call. It is separate, because customers have no use for it. */
export const OPERATORS_DOCUMENT: DocumentKind = {
  title: "Quintet for operators",
  accesses: ["operator"],
  needs: ["operator"],
  description: `The service for the operators of a Quintet server. Its operations need a session of an operator's account: the token that
the operations of SignIn return, as \`authorization: Bearer TOKEN\`. An operation that only reads is a GET, with its input in the query string;
one that changes something is a POST, with its input in the path and the body. Parameters are written in snake_case.`,
};

// Each operation and each component has a line of its own: shorter than indented by half, and changes can still be read.
const LINES_TO_DEPTH = 3;

/** A document as its file has it. */
export const documentText = (document: Schema): string => `${linesOf(document, LINES_TO_DEPTH)}\n`;

function linesOf(value: unknown, depth: number): string {
  if (depth === 0 || typeof value !== "object" || value === null || Array.isArray(value)) {
    return JSON.stringify(value);
  }
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${linesOf(member, depth - 1)}`);
  return `{\n${members.join(",\n")}\n}`;
}

export function openApiDocument({ title, accesses, needs, description: text }: DocumentKind): Schema {
  const byName = readServices();
  const services = accesses.flatMap((access) => byName.filter((service) => accessOfService(service) === access));
  for (const access of accesses) {
    const own = services.filter((service) => accessOfService(service) === access);
    requireNamed(access, own.flatMap((service) => [service, ...service.methods].map(commentOf)).join("\n"));
  }
  const schemas = new Schemas();
  const paths: Record<string, Schema> = {};
  for (const { path, verb, value } of services.flatMap(({ methods }) =>
    methods.flatMap((method) => operationsOf(method, schemas)),
  )) {
    paths[path] = { ...paths[path], [verb]: value };
  }
  return {
    openapi: "3.1.0",
    info: {
      title,
      version: apiVersion,
      "x-program-version": version,
      description: text,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/", description: "The server that this document was read from." }],
    security: SECURITY_OF_ALL,
    tags: services.map((service) => ({ name: tagOf(service), description: commentOf(service) })),
    paths,
    components: {
      securitySchemes,
      ...(needs.includes("key") ? { headers } : { headers: { RequestId: headers.RequestId } }),
      schemas: { Meta: meta, Error: errorSchema, ...Object.fromEntries(schemas.components) },
      responses: errorResponses(needs),
    },
  };
}
