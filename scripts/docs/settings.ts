// The tables of settings and of the transport's limits, made from the variables that the program reads.

import { Environment, type VariableDoc } from "../../src/config/environment.ts";
import { readOutboundConfig } from "../../src/config/outbound.ts";
import { byteSize } from "../../src/runtime/byte-size.ts";
import { variableDocs } from "../../src/server-config.ts";
import { readServiceConfigs } from "../../src/services/registry.ts";
import { code, table } from "./markdown.ts";

// The variables of the services, and of all calls to upstreams.
function upstreamVariables(): RegExp {
  const environment = new Environment({});
  readOutboundConfig(environment);
  readServiceConfigs(environment);
  return new RegExp(`^(?:${environment.docs.map(({ name }) => name).join("|")})$`);
}

/**
 * Section of docs/operate/settings.md → the pattern of its variables' names. A variable is in the first section whose pattern it matches.
 */
const SECTIONS: Readonly<Record<string, RegExp>> = {
  tls: /^QUINTET_TLS_/,
  mail: /^QUINTET_(?:SMTP_URL|MAIL_FROM|PUBLIC_URL)$/,
  telemetry: /^(?:QUINTET_ADMIN_|QUINTET_ACCESS_LOG|OTEL_)/,
  database: /^QUINTET_(?:DATABASE_|REDIS_|DATA_DIR$|PLANS$)/,
  upstreams: upstreamVariables(),
  proxies: /^QUINTET_(?:TRUSTED_PROXIES|PROXY_PROTOCOL|FORWARDED_CLIENT_CERT|MESH_PRINCIPALS)$/,
  transport: /^(?!QUINTET_CALL_).*(?:_MAX|_TIMEOUT_MS|_BURST|_PER_SECOND)$/,
  server: /./,
};

const sectionOf = ({ name }: VariableDoc): string | undefined =>
  Object.keys(SECTIONS).find((section) => SECTIONS[section]?.test(name));

export function settingsTable(section: string): string {
  const docs = variableDocs().filter((doc) => sectionOf(doc) === section);
  return table(
    ["variable", "default", "allowed", "meaning"],
    docs.map(({ name, fallback, allowed = "", meaning }) => [code(name), code(fallback), allowed, meaning]),
  );
}

interface Limit {
  readonly what: string;
  readonly variable: string;
  readonly consequence: string;
}

/** The limits that a client can reach, and what happens then. */
const LIMITS: readonly Limit[] = [
  { what: "request body, as sent", variable: "QUINTET_BODY_BYTES_MAX", consequence: "`BODY_TOO_LARGE`" },
  { what: "request message after decompression", variable: "QUINTET_DECOMPRESSED_BYTES_MAX", consequence: "`BODY_TOO_LARGE`" },
  { what: "path with query", variable: "QUINTET_URL_BYTES_MAX", consequence: "`URI_TOO_LONG`" },
  { what: "all headers together", variable: "QUINTET_HEADER_BYTES_MAX", consequence: "`HEADERS_TOO_LARGE`" },
  { what: "number of headers", variable: "QUINTET_HEADERS_MAX", consequence: "`HEADERS_TOO_LARGE`" },
  { what: "duration of a call", variable: "QUINTET_CALL_TIMEOUT_MS", consequence: "`DEADLINE_EXCEEDED`" },
  {
    what: "arrival of the headers",
    variable: "QUINTET_HEADER_TIMEOUT_MS",
    consequence: "`REQUEST_TIMEOUT`, or the connection is closed",
  },
  { what: "arrival of the body", variable: "QUINTET_BODY_TIMEOUT_MS", consequence: "`REQUEST_TIMEOUT`" },
  { what: "a connection without a request", variable: "QUINTET_IDLE_TIMEOUT_MS", consequence: "the connection is closed" },
  { what: "a response that you do not read", variable: "QUINTET_STALL_TIMEOUT_MS", consequence: "the response is cut off" },
  {
    what: "requests at once on one connection",
    variable: "QUINTET_REQUESTS_UNDER_WAY_MAX",
    consequence: "HTTP/2: the stream is refused; HTTP/1.1: `RATE_LIMITED`",
  },
  {
    what: "connections from one address to one thread",
    variable: "QUINTET_CONNECTIONS_PER_ADDRESS_MAX",
    consequence: "your connection that has been idle longest is closed, or the new one if all are in use",
  },
];

function readable(variable: string, value: string): string {
  const amount = Number(value);
  if (variable.endsWith("_MS")) {
    return `${amount / 1000} s`;
  }
  return variable.includes("BYTES") ? byteSize(amount) : String(amount);
}

/** What a client may send and how long it may take, by default. Throws an Error if a variable no longer exists. */
export function limitsTable(): string {
  const docs = variableDocs();
  const rows = LIMITS.map(({ what, variable, consequence }) => {
    const doc = docs.find(({ name }) => name === variable);
    if (doc === undefined) {
      throw new Error(`${variable} is no longer a setting`);
    }
    return [what, readable(variable, doc.fallback), consequence, code(variable)];
  });
  return table(["what", "limit", "beyond it", "setting"], rows);
}
