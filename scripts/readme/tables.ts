// The README's tables, made from what the program itself has: none can say anything else than the program does.
import { readFileSync } from "node:fs";
import { entitlementWords } from "../../src/catalogue/entitlements.ts";
import type { Plan } from "../../src/catalogue/plan.ts";
import { loadPlans } from "../../src/catalogue/plans.ts";
import { CODE_NAMES } from "../../src/problem/code.ts";
import { REASONS, type Reason } from "../../src/problem/reason.ts";
import { variableDocs } from "../../src/server-config.ts";

const WHEN: Readonly<Record<Reason, string>> = {
  KEY_MISSING: "There is no `x-gateway-key` header.",
  KEY_INVALID: "It holds no key, one that nobody has, or one that may not call this service.",
  KEY_EXPIRED: "The key's time is over, or it was rotated and its grace is.",
  KEY_REVOKED: "The key is revoked or disabled.",
  SUBSCRIPTION_REQUIRED: "The account has no active subscription to the service, or is suspended.",
  RATE_LIMITED:
    "The plan's requests per second, the account's calls of AccountService, or attempts to sign in. `Retry-After` says when to come back.",
  QUOTA_EXCEEDED: "The plan's calls per month. `Retry-After` says when the next month begins.",
  LIMITS_UNAVAILABLE: "The limits cannot be checked at the moment. `Retry-After` says when to come back.",
  SESSION_MISSING: "There is neither an `authorization` header nor a session's cookie.",
  SESSION_INVALID: "There is, and it holds no token, one that nobody has, or one whose session is over.",
  SIGN_IN_FAILED: "The e-mail address or the password is wrong.",
  ORIGIN_REFUSED: "A page of another origin used the session's cookie, or asked for it.",
  STORE_UNAVAILABLE: "The accounts' store cannot be asked at the moment. `Retry-After` says when to come back.",
  PLAN_LIMIT: "The plan does not include it: a batch that is too large.",
  INVALID_ARGUMENT: "The input is wrong; each wrong field is named.",
  NOT_FOUND: "There is no such station, token, list, key or subscription.",
  FAILED_PRECONDITION: "A state forbids the change: the key is revoked, the subscription cancelled, there is one already.",
  UPSTREAM_FAILED: "No upstream answered as it should.",
  DEADLINE_EXCEEDED: "The caller's deadline passed, or ours.",
  CANCELLED: "The caller went away.",
  INTERNAL: "A defect of ours.",
  MALFORMED_REQUEST: "The request cannot be read: a bad frame, bad compression, a bad header.",
  NOT_ONE_MESSAGE: "An RPC that takes one message got none, or several.",
  METHOD_UNKNOWN: "There is nothing at this path.",
  METHOD_NOT_ALLOWED: "The path does not take this HTTP method. `Allow` says which it takes.",
  NOT_ACCEPTABLE: "The `accept` header does not take JSON.",
  REQUEST_TIMEOUT: "The body did not arrive in time.",
  LENGTH_REQUIRED: "A GET has a body without `content-length`.",
  BODY_TOO_LARGE: "The body is too long, or the message is after decompression. The account services take 4 KiB.",
  URI_TOO_LONG: "The URL is too long.",
  UNSUPPORTED_MEDIA_TYPE: "The body is of a type that is not understood.",
  ENCODING_UNKNOWN: "The body is compressed in a way that is not understood, or at all where that is not taken.",
  COMPRESSION_UNNAMED: "A gRPC or gRPC-Web message is compressed, and no header says how.",
  HEADERS_TOO_LARGE: "The headers are too many or too long.",
  TRANSFER_ENCODING_UNKNOWN: "The body's transfer-encoding is another than `chunked`.",
  HTTP_VERSION_UNKNOWN: "The request line says another version than HTTP/1.0 or HTTP/1.1.",
  SERVER_BUSY: "As many bodies are being read as fit into memory. `Retry-After` says when to come back.",
  SHUTTING_DOWN: "The server is about to stop.",
};

const cell = (text: string): string => text.replaceAll("|", "\\|").trim();

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;
  return [line(headings), line(headings.map(() => "---")), ...rows.map(line)].join("\n");
}

const code = (text: string): string => (text === "" ? "" : `\`${text}\``);

interface PathItem {
  readonly get?: { readonly operationId: string; readonly summary: string; readonly security?: unknown };
}

// Those that are called with a key: of the others, the operations say what they need.
function operations(): string {
  const { paths } = JSON.parse(readFileSync(new URL("../../gen/openapi.json", import.meta.url), "utf8"));
  const rows = Object.entries<PathItem>(paths).flatMap(([path, { get }]) => {
    if (get === undefined || get.security !== undefined) {
      return [];
    }
    const [service = "", method = ""] = get.operationId.split("_");
    const scope = service.replace(/Service$/, "").toLowerCase();
    return [[code(path), code(`quintet.${scope}.v1.${service}/${method}`), `${get.summary}.`]];
  });
  return table(["REST", "RPC", "what it does"], rows);
}

const price = ({ priceMinor, currency }: Plan): string => `${(priceMinor / 100).toFixed(2)} ${currency}`;

function plans(): string {
  const rows = loadPlans(undefined).all.map((plan) => [
    code(plan.service),
    code(plan.name),
    price(plan),
    String(plan.callsPerMonth),
    String(plan.requestsPerSecond),
    entitlementWords(plan.service, plan.entitlements),
  ]);
  return table(["service", "plan", "price a month", "calls a month", "requests a second", "includes"], rows);
}

function reasons(): string {
  const rows = Object.entries(REASONS).map(([reason, { code: rpcCode, httpStatus, charged }]) => [
    code(reason),
    WHEN[reason as Reason],
    String(httpStatus),
    code(CODE_NAMES[rpcCode].toUpperCase()),
    charged ? "yes" : "no",
  ]);
  return table(["reason", "when", "REST status", "RPC code", "counted"], rows);
}

function environment(): string {
  const rows = variableDocs().map(({ name, fallback, meaning }) => [code(name), code(fallback), meaning]);
  return table(["variable", "default", "meaning"], rows);
}

const TABLES: Readonly<Record<string, () => string>> = { operations, plans, reasons, environment };

/** The README with its tables as they should be: each stands between `<!-- table: NAME -->` and `<!-- end -->`. Throws when one has no place. */
export function withTables(readme: string): string {
  return Object.entries(TABLES).reduce((text, [name, make]) => {
    const [before, rest = "", ...more] = text.split(`<!-- table: ${name} -->\n`);
    const end = rest.indexOf("<!-- end -->");
    if (end === -1 || more.length > 0) {
      throw new Error(`README.md must have one place for the table ${name}`);
    }
    return `${before}<!-- table: ${name} -->\n\n${make()}\n\n${rest.slice(end)}`;
  }, readme);
}
