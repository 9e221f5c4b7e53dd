// The tables of settings and of the transport's limits, made from what the program reads.

import { byteSize } from "@quintet/http";
import { Environment, type VariableDoc } from "../../src/config/environment.ts";
import { DEFAULT_HTTP_LIMITS } from "../../src/config/http-limits.ts";
import { readOutboundConfig } from "../../src/config/outbound.ts";
import { readConfig, variableDocs } from "../../src/server-config.ts";
import { readServiceConfigs } from "../../src/services/registry.ts";
import { code, table } from "./markdown.ts";

// The variables of the services, and of all calls to upstreams, except the one that concerns every call.
function upstreamVariables(): RegExp {
  const environment = new Environment({});
  readOutboundConfig(environment, undefined);
  readServiceConfigs(environment);
  return new RegExp(
    `^(?:${environment.docs
      .map(({ name }) => name)
      .filter((name) => name !== "QUINTET_CALL_TIMEOUT_MS")
      .join("|")})$`,
  );
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
  transport: /^(?!QUINTET_CALL_).*(?:_MAX|_TIMEOUT_MS)$/,
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

const seconds = (milliseconds: number): string => `${milliseconds / 1000} s`;

/** The limits that a client can reach, and what happens then. */
const LIMITS: readonly (readonly [what: string, limit: string, consequence: string])[] = [
  ["request body, as sent", byteSize(DEFAULT_HTTP_LIMITS.bodyBytesMax), "`BODY_TOO_LARGE`"],
  ["request message after decompression", byteSize(DEFAULT_HTTP_LIMITS.decompressedBytesMax), "`BODY_TOO_LARGE`"],
  ["path with query", byteSize(DEFAULT_HTTP_LIMITS.urlBytesMax), "`URI_TOO_LONG`"],
  ["all headers together", byteSize(DEFAULT_HTTP_LIMITS.headerBytesMax), "`HEADERS_TOO_LARGE`"],
  ["number of headers", String(DEFAULT_HTTP_LIMITS.headersMax), "`HEADERS_TOO_LARGE`"],
  ["duration of a call", seconds(readConfig({}).callTimeoutMsMax), "`DEADLINE_EXCEEDED`"],
  ["arrival of the headers", seconds(DEFAULT_HTTP_LIMITS.headerTimeoutMs), "`REQUEST_TIMEOUT`, or the connection is closed"],
  ["arrival of the body", seconds(DEFAULT_HTTP_LIMITS.bodyTimeoutMs), "`REQUEST_TIMEOUT`"],
  ["a connection without a request", seconds(DEFAULT_HTTP_LIMITS.idleTimeoutMs), "the connection is closed"],
  ["a response that you do not read", seconds(DEFAULT_HTTP_LIMITS.stallTimeoutMs), "the response is cut off"],
  [
    "requests at once on one connection",
    String(DEFAULT_HTTP_LIMITS.concurrentRequestsMax),
    "HTTP/2: the stream is refused; HTTP/1.1: `RATE_LIMITED`",
  ],
  [
    "connections from one address to one thread",
    String(DEFAULT_HTTP_LIMITS.connectionsPerAddressMax),
    "your connection that has been idle longest is closed, or the new one if all are in use",
  ],
];

/** What a client may send and how long it may take, by default. */
export const limitsTable = (): string => table(["what", "limit", "beyond it"], LIMITS);
