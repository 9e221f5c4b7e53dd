// The account services as served by a worker. Each call is forwarded to the account RPC. The session cookie, which only browsers
// have, is set and cleared here.
import { type DescService, isMessage, type Message } from "@bufbuild/protobuf";
import { ConnectError, type ContextKey, createContextKey, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import { beginsElement, type Exchange, SEMICOLON } from "@quintet/http";
import { EndSessionsRequestSchema } from "../../../gen/quintet/account/v1/session_pb.js";
import type { SignInRequest, SignInResponse, SignUpResponse } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import { ACCOUNT_SERVICES, type AccountMethod, accountMethodOf, needsSession } from "../../account/account-methods.ts";
import { originRefused, sessionInvalid, sessionMissing, storeUnavailable } from "../../account/refusals.ts";
import type { AccountRpc } from "../../account/rpc/account-rpc.ts";
import type { AccountAdmission, AccountCall } from "../../account/rpc/bound-method.ts";
import { TOKEN_SHAPE } from "../../account/tokens.ts";
import type { Admitted, Refused } from "../../guard/guard.ts";
import { Failure } from "../../problem/failure.ts";
import { internalProblem, type Problem } from "../../problem/problem.ts";
import type { Log } from "../../runtime/log.ts";
import { StoreUnavailable } from "../../store/store-errors.ts";
import type { AccessCheck } from "../access-check.ts";
import type { CheckedService } from "../rpc/method.ts";

// The caller of an account service, as its handlers find them in the call's context.
interface RequestContext {
  /** The caller's network address; behind an untrusted proxy, the proxy's. */
  readonly peer: string;
  /** The `user-agent` header: at most 200 printable characters; undefined if there is none. */
  readonly userAgent: string | undefined;
  /** The session's token; undefined if the method needs no session. It is passed to the account RPC and nowhere else. */
  readonly token: string | undefined;
  /** The id of the account that the caller wants to act for: at most 64 characters; undefined if it names none. */
  readonly namedAccount: string | undefined;
  /** The `idempotency-key` header: at most 67 characters; undefined if there is none. */
  readonly idempotencyKey: string | undefined;
  /** What the account RPC has returned when it admitted the call. */
  readonly admission: AccountAdmission | undefined;
  /** Whether the token was in a cookie. */
  readonly hasCookie: boolean;
  /** Whether a page from another origin makes the call. */
  readonly isForeignPage: boolean;
  /** Whether the caller uses TLS, so that cookies are set for secure connections only. */
  readonly isSecure: boolean;
}

const NOBODY: RequestContext = {
  peer: "",
  userAgent: undefined,
  token: undefined,
  namedAccount: undefined,
  idempotencyKey: undefined,
  admission: undefined,
  hasCookie: false,
  isForeignPage: true,
  isSecure: true,
};

/** Where a handler finds the caller: `context.values.get(requestContextKey)`. */
export const requestContextKey: ContextKey<RequestContext> = createContextKey(NOBODY, {
  description: "the caller of an account service",
});

// The access checks of the account services. Most methods of AccountService need a session. Its public methods and SignInService,
// where sessions begin, need none and only have a rate limit. Both checks use only the request's head. The session's token is read
// here and passed to the account RPC and nowhere else.

// The session as a cookie, for this server's pages. https://www.rfc-editor.org/rfc/rfc6265. Over TLS its name has the prefix `__Host-`: a
// browser accepts such a cookie only from this host itself, not from another one in the same domain.
const NAME = "quintet_session";
const SECURE_NAME = `__Host-${NAME}`;
// The longest that browsers keep a cookie. The server decides when the session ends; each use extends it.
const SECONDS_MAX = 400 * 86_400;

/** The value of a `set-cookie` header with a session's token. */
export function sessionCookie(token: string, isSecure: boolean): string {
  return cookie(token, SECONDS_MAX, isSecure);
}

/** The value of a `set-cookie` header that deletes the cookie. */
export function endedCookie(isSecure: boolean): string {
  return cookie("", 0, isSecure);
}

const cookie = (value: string, seconds: number, isSecure: boolean): string =>
  `${isSecure ? SECURE_NAME : NAME}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;

/**
 * The token in a `cookie` header; undefined if there is none. Over TLS (`isSecure`), a cookie without the prefix does not count.
 * Two cookies of the same name result in an empty string, which is never a valid token.
 */
export function cookieToken(header: string | undefined, isSecure: boolean): string | undefined {
  if (header === undefined) {
    return undefined;
  }
  const secure = cookieValue(header, SECURE_NAME);
  return secure !== undefined || isSecure ? secure : cookieValue(header, NAME);
}

// The value of the only cookie with a name; empty if there are two. The header is searched rather than split: it may contain
// thousands.
function cookieValue(header: string, name: string): string | undefined {
  const start = `${name}=`;
  let found: string | undefined;
  for (let at = header.indexOf(start); at >= 0; at = header.indexOf(start, at + start.length)) {
    if (!beginsElement(header, at, SEMICOLON)) {
      continue;
    }
    if (found !== undefined) {
      return "";
    }
    const from = at + start.length;
    const end = header.indexOf(";", from);
    found = header.slice(from, end < 0 ? undefined : end).trim();
  }
  return found;
}

/** Whether a page from another origin makes the call. False for callers that are not browsers. */
export function isCrossOrigin({ headers, authority, client }: Pick<Exchange, "headers" | "authority" | "client">): boolean {
  const site = headers["sec-fetch-site"];
  // Unknown values are not trusted. `none`: the user has typed the address.
  if (site !== undefined && site !== "same-origin" && site !== "none") {
    return true;
  }
  const { origin } = headers;
  if (origin === undefined) {
    return false;
  }
  const page = origin.length > ORIGIN_CHARACTERS_MAX ? null : URL.parse(origin);
  if (page === null || page.host !== authority?.toLowerCase()) {
    return true;
  }
  // Pages of this server come over HTTP: any other scheme is foreign, whatever host it names. Behind an untrusted proxy that
  // terminates TLS, the page is on https although the connection is not encrypted.
  return page.protocol !== "https:" && (client.isSecure || page.protocol !== "http:");
}

// A scheme, a host name of at most 253 characters and a port.
const ORIGIN_CHARACTERS_MAX = 300;

/** Whether the caller uses TLS, to this server or to a proxy in front of it. */
export function isSecureOrigin({ headers, client }: Pick<Exchange, "headers" | "client">): boolean {
  return client.isSecure || headers.origin?.startsWith("https:") === true;
}

const BEARER = /^bearer +/i;
// Calls beyond this number are refused: while the store does not respond, each waiting call holds memory.
const LOOKUPS_MAX = 200;

const USER_AGENT_MAX = 200;
const NAMED_ACCOUNT_MAX = 64;
// Longer than the longest with its quotation marks, so that what is longer is not mistaken for one.
const IDEMPOTENCY_KEY_MAX = 67;

// A response is for a single customer.
const HEADERS = { "cache-control": "no-store" };

interface SessionCheckOptions {
  readonly accountRpc: Pick<AccountRpc, "admit">;
  readonly log: Log;
}

/** Admits callers who have a session. */
export function createSessionCheck(options: SessionCheckOptions): AccessCheck {
  const admit = createAdmit(options);
  return {
    headers: HEADERS,
    admit(exchange, method) {
      const received = receivedToken(exchange);
      return "reason" in received ? refused(received) : admit(exchange, method, received);
    },
  };
}

/** Admits all callers within the rate limit. */
export function createOpenCheck(options: SessionCheckOptions): AccessCheck {
  const admit = createAdmit(options);
  return { headers: HEADERS, admit: (exchange, method) => admit(exchange, method, { token: undefined, hasCookie: false }) };
}

type Admit = (exchange: Exchange, method: string, received: ReceivedToken) => Refused | Promise<Admitted | Refused>;

function createAdmit({ accountRpc, log }: SessionCheckOptions): Admit {
  let lookups = 0;
  const lookUp = async (exchange: Exchange, method: string, received: ReceivedToken): Promise<Admitted | Refused> => {
    lookups += 1;
    const peer = exchange.client.address;
    try {
      const admission = await accountRpc.admit(method, { peer, token: received.token, namedAccount: namedAccountOf(exchange) });
      return admitted(exchange, { peer, admission, ...received }, () => lookUp(exchange, method, received));
    } catch (error) {
      if (error instanceof ConnectError && "problem" in error) {
        return refused((error as Failure).problem);
      }
      if (error instanceof StoreUnavailable) {
        return refused(storeUnavailable());
      }
      log.error({ err: error }, "a call to an account service could not be admitted");
      return refused(internalProblem(error));
    } finally {
      lookups -= 1;
    }
  };
  return (exchange, method, received) => (lookups < LOOKUPS_MAX ? lookUp(exchange, method, received) : refused(storeUnavailable()));
}

interface ReceivedToken {
  readonly token: string | undefined;
  readonly hasCookie: boolean;
}

// The request's token, or the problem that it has no valid one.
function receivedToken(exchange: Exchange): ReceivedToken | Problem {
  const { authorization, cookie } = exchange.headers;
  if (authorization !== undefined) {
    const token = authorization.replace(BEARER, "");
    return BEARER.test(authorization) && TOKEN_SHAPE.test(token) ? { token, hasCookie: false } : sessionInvalid();
  }
  const token = cookieToken(cookie, exchange.client.isSecure);
  if (token === undefined) {
    return sessionMissing();
  }
  if (isCrossOrigin(exchange)) {
    return originRefused();
  }
  return TOKEN_SHAPE.test(token) ? { token, hasCookie: true } : sessionInvalid();
}

// The account's owner sees this text, so it is shortened and has no control characters.
const userAgentOf = ({ headers }: Exchange): string | undefined =>
  headers["user-agent"]
    ?.replaceAll(/[^\x20-\x7e]/g, "")
    .trim()
    .slice(0, USER_AGENT_MAX) || undefined;

// The header is only compared with ids. A string longer than an id cannot match an account.
const namedAccountOf = ({ headers }: Exchange): string | undefined => headers["x-quintet-account"]?.slice(0, NAMED_ACCOUNT_MAX);

const refused = (problem: Problem): Refused => ({ admitted: false, problem });

// The account services charge nothing, so there is nothing to settle.
function admitted(
  exchange: Exchange,
  known: ReceivedToken & Pick<RequestContext, "peer" | "admission">,
  renew: Admitted["renew"],
): Admitted {
  const value: RequestContext = {
    ...known,
    userAgent: userAgentOf(exchange),
    namedAccount: namedAccountOf(exchange),
    idempotencyKey: exchange.headers["idempotency-key"]?.slice(0, IDEMPOTENCY_KEY_MAX),
    isForeignPage: isCrossOrigin(exchange),
    isSecure: isSecureOrigin(exchange),
  };
  return { admitted: true, caller: { key: requestContextKey, value }, settle: () => {}, renew, watch: () => () => {} };
}

type Call = (input: Message, context: HandlerContext) => Promise<Message> | AsyncIterable<Message>;

/** The longest body that these services accept. None of their messages is longer, and some of their callers are unknown. */
export const BODY_BYTES_MAX = 4096;

interface AccountServicesOptions {
  readonly accountRpc: AccountRpc;
  readonly log: Log;
  /** The longest request body of any service. */
  readonly bodyBytesMax: number;
}

export function createAccountServices({ accountRpc, log, ...bounds }: AccountServicesOptions): readonly CheckedService[] {
  const bytesMax = Math.min(BODY_BYTES_MAX, bounds.bodyBytesMax);
  const messageLimits = { bodyBytesMax: bytesMax, messageBytesMax: bytesMax, allowsGzip: false, isCallerKnown: true };
  // The bodies of unknown callers share a smaller memory budget.
  const openCheck = { ...createOpenCheck({ accountRpc, log }), messageLimits: { ...messageLimits, isCallerKnown: false } };
  const sessionCheck = { ...createSessionCheck({ accountRpc, log }), messageLimits };
  return ACCOUNT_SERVICES.map((desc) => ({
    desc,
    implementation: implementationOf(desc, accountRpc),
    accessCheck: sessionCheck,
    otherAccessChecks: new Map(
      desc.methods.filter((method) => !needsSession(accountMethodOf(method))).map((method) => [method, openCheck]),
    ),
  }));
}

const implementationOf = (service: DescService, accountRpc: AccountRpc): ServiceImpl<DescService> =>
  Object.fromEntries(
    service.methods.map((desc) => [desc.localName, callOf(accountMethodOf(desc), accountRpc)]),
  ) as ServiceImpl<DescService>;

function callOf({ desc, fullName, session }: AccountMethod, accountRpc: AccountRpc): Call {
  const forwarded = (input: Message, context: RequestContext): AccountCall => {
    const { peer, userAgent, token, namedAccount, idempotencyKey, admission } = context;
    return { method: fullName, input, caller: { peer, userAgent, token, namedAccount, idempotencyKey, admission } };
  };
  if (desc.methodKind === "server_streaming") {
    return (input, { values, signal }) => accountRpc.stream(forwarded(input, values.get(requestContextKey)), signal);
  }
  return async (input, context) => {
    const requestContext = context.values.get(requestContextKey);
    if (session === "begins") {
      requireOwnPage(input, requestContext);
    }
    const response = await accountRpc.call(forwarded(input, requestContext));
    if (session === "begins") {
      moveIntoCookie(input, response, context);
    }
    if (session === "ends" && requestContext.hasCookie && endsOwnSession(input)) {
      context.responseHeader.append("set-cookie", endedCookie(requestContext.isSecure));
    }
    return response;
  };
}

const endsOwnSession = (input: Message): boolean => !isMessage(input, EndSessionsRequestSchema) || input.which.case === "current";

function requireOwnPage(input: Message, { isForeignPage }: RequestContext): void {
  if ((input as SignInRequest).useCookie && isForeignPage) {
    throw new Failure(originRefused());
  }
}

// A caller who asks for the cookie gets the session's token in it, and not in the message.
function moveIntoCookie(input: Message, response: Message, { values, responseHeader }: HandlerContext): void {
  const { outcome } = response as SignInResponse | SignUpResponse;
  const session = outcome.case === "session" ? outcome.value : undefined;
  if ((input as SignInRequest).useCookie && session?.token !== undefined) {
    responseHeader.append("set-cookie", sessionCookie(session.token, values.get(requestContextKey).isSecure));
    delete session.token;
  }
}
