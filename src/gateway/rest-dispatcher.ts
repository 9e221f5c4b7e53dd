// Finds the REST route of a request and creates its operation. A request with a fault in its head is refused with the error envelope.
import type { DescMethod } from "@bufbuild/protobuf";
import type { Exchange } from "@quintet/http";
import { nearestName } from "@quintet/transcoding";
import { problemHeaders } from "../problem/headers.ts";
import type { Problem } from "../problem/problem.ts";
import { REASONS } from "../problem/reason.ts";
import type { Clock } from "../runtime/clock.ts";
import { isUtf8, mediaTypeOf, NOT_UTF8, preferredOf } from "./media-type.ts";
import { type Fail, type NoOperation, type Operation, RestStreamOperation, UnaryOperation } from "./operation.ts";
import { acceptedType, failRest, RestCodec } from "./rest/rest-codec.ts";
import type { Route, Routes } from "./rest/routes.ts";
import { NDJSON, SERVER_SENT_EVENTS, type StreamFormat } from "./rest/stream-format.ts";
import type { Method } from "./rpc/method.ts";
import { rpcPath } from "./rpc/rpc-path.ts";

interface RestDispatcherOptions {
  readonly routes: Routes;
  readonly methods: ReadonlyMap<string, Method>;
  readonly clock: Clock;
  /** The paths of everything else that is served, which a caller may have meant. */
  readonly otherPaths?: Iterable<string>;
}

export interface RestDispatcher {
  find(exchange: Exchange): Operation | NoOperation;
  /** Responds with the error envelope, to callers that do not use an RPC protocol. */
  readonly fail: Fail;
}

const BODY_TYPES: ReadonlyMap<string, "json" | "form"> = new Map([
  ["", "json"],
  ["application/json", "json"],
  ["application/x-www-form-urlencoded", "form"],
]);

const NOT_JSON: Problem = {
  reason: "NOT_ACCEPTABLE",
  message: "The response is application/json, which the accept header does not allow.",
};
const NO_STREAM_FORMAT: Problem = {
  reason: "NOT_ACCEPTABLE",
  message: "The response is application/x-ndjson or text/event-stream; the accept header allows neither.",
};

const formatFor = (accept: string | undefined): StreamFormat | undefined => {
  const preferred = preferredOf(accept, NDJSON.contentType, SERVER_SENT_EVENTS.contentType);
  return [NDJSON, SERVER_SENT_EVENTS].find(({ contentType }) => contentType === preferred);
};

/** A service with more paths than this has too many to list in an error. */
const PATHS_SHOWN_MAX = 12;

// Where MCP clients look for OAuth when a key is missing or wrong. They show an error only in OAuth's own form.
// https://modelcontextprotocol.io/specification/2025-03-26/basic/authorization, https://www.rfc-editor.org/rfc/rfc7591#section-3.2.2
const OAUTH_PATH = /^(?:\/mcp)?\/(?:register|token|authorize|\.well-known\/(?:oauth-[a-z-]+|openid-configuration)(?:\/mcp)?)$/;
const NO_OAUTH: Problem = {
  reason: "METHOD_UNKNOWN",
  message: "This server has no OAuth: send an API key in the x-gateway-key header, and check that it is complete and not revoked.",
};
const failOAuth: Fail = (exchange, problem, headers) => {
  const body = JSON.stringify({ error: "invalid_request", error_description: problem.message });
  const own = { ...problemHeaders(problem), "content-type": "application/json", "cache-control": "no-store" };
  exchange.respond(REASONS[problem.reason].httpStatus, { ...headers, ...own }, body);
};

function withoutSlashes(path: string): string {
  let end = path.length;
  while (end > 1 && path[end - 1] === "/") {
    end -= 1;
  }
  return path.slice(0, end);
}

const lastPart = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

export function createRestDispatcher({ routes, methods, clock, otherPaths = [] }: RestDispatcherOptions): RestDispatcher {
  const byDesc = new Map<DescMethod, Method>(Array.from(methods.values(), (method) => [method.desc, method]));
  const fail: Fail = (exchange, problem, headers) => failRest(exchange, problem, headers, clock);
  const refuse = (problem: Problem, method?: Method): NoOperation => ({
    kind: "none",
    protocolName: "rest",
    method,
    problem,
    fail,
  });

  const paths = new Set(routes.rows.map(({ template }) => template).filter((template) => !template.includes("{")));
  const others = new Set(otherPaths);
  const suggestion = (method: string, path: string): string => {
    const bare = withoutSlashes(path);
    if (bare !== path && (others.has(bare) || routes.match(method, bare).kind !== "unknown")) {
      return `; did you mean \`${bare}\`, without a slash at its end?`;
    }
    const nearest = nearestName(path, paths);
    // A path is near if only its last part is different, but that part may name an unrelated method.
    if (nearest !== undefined && nearestName(lastPart(path), [lastPart(nearest)]) !== undefined) {
      return `; did you mean \`${nearest}\`?`;
    }
    const [service = ""] = /^\/[^/]+\//.exec(path) ?? [];
    const known = service === "" ? [] : [...paths].filter((other) => other.startsWith(service));
    return known.length === 0 || known.length > PATHS_SHOWN_MAX ? ";" : `; known paths: ${known.join(", ")};`;
  };

  const findCall = (exchange: Exchange, route: Route, pathValues: readonly string[]): Operation | NoOperation => {
    const method = byDesc.get(route.rpc);
    const { invoke, invokeStream } = method ?? {};
    const bodyType = exchange.hasBody ? BODY_TYPES.get(mediaTypeOf(exchange.headers["content-type"])) : "json";
    const codec = new RestCodec(route, pathValues, bodyType ?? "json", clock);
    if (method !== undefined && invoke !== undefined) {
      const problem = acceptedType(exchange, route) === undefined ? NOT_JSON : problemOfHead(exchange, bodyType);
      return problem === undefined ? new UnaryOperation(exchange, method, codec, invoke) : refuse(problem, method);
    }
    if (method !== undefined && invokeStream !== undefined) {
      const format = formatFor(exchange.headers.accept);
      const problem = problemOfHead(exchange, bodyType);
      return format === undefined || problem !== undefined
        ? refuse(problem ?? NO_STREAM_FORMAT, method)
        : new RestStreamOperation(exchange, method, codec, { invoke: invokeStream, format, writeData: route.writeData });
    }
    throw new Error(`${rpcPath(route.rpc)} has a route but no handler`);
  };

  return {
    fail,
    find(exchange) {
      const match = routes.match(exchange.method, exchange.path);
      switch (match.kind) {
        case "unknown":
          return OAUTH_PATH.test(exchange.path)
            ? { ...refuse(NO_OAUTH), fail: failOAuth }
            : refuse({
                reason: "METHOD_UNKNOWN",
                message: `There is nothing at this path${suggestion(exchange.method, exchange.path)} \`/openapi.json\` lists the API's paths.`,
              });
        case "malformed":
          return refuse({ reason: "MALFORMED_REQUEST", message: "The path's percent-encoding is not valid UTF-8 text." });
        case "method-not-allowed": {
          const allow = match.allowed.join(", ");
          return refuse({ reason: "METHOD_NOT_ALLOWED", message: `This path accepts ${allow}, not ${exchange.method}.`, allow });
        }
        case "route":
          return findCall(exchange, match.route, match.pathValues);
      }
    },
  };
}

function problemOfHead({ method, headers, hasBody, httpVersion }: Exchange, bodyType: string | undefined): Problem | undefined {
  if (bodyType === undefined) {
    const message = "The body must be application/json or application/x-www-form-urlencoded; set content-type to one of them.";
    return { reason: "UNSUPPORTED_MEDIA_TYPE", message };
  }
  if (hasBody && !isUtf8(headers["content-type"])) {
    return NOT_UTF8;
  }
  // A proxy may not expect a body on a GET. If it does not see where the body ends, it could take the body for the next request.
  if ((method === "GET" || method === "HEAD") && hasBody && httpVersion === 1 && headers["content-length"] === undefined) {
    return { reason: "LENGTH_REQUIRED", message: `A ${method} with a body must give its length in content-length.` };
  }
  return undefined;
}
