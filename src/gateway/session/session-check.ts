// The access checks of the account services. Most methods of AccountService need a session. Its public methods and SignInService,
// where sessions begin, need none and only have a rate limit. Both checks use only the request's head. The session's token is read
// here and passed to the account RPC and nowhere else.
import { ConnectError } from "@connectrpc/connect";
import { originRefused, sessionInvalid, sessionMissing, storeUnavailable } from "../../account/refusals.ts";
import type { AccountRpc } from "../../account/rpc/account-rpc.ts";
import { TOKEN_SHAPE } from "../../account/tokens.ts";
import type { Admitted, Refused } from "../../guard/guard.ts";
import type { Exchange } from "../../http/exchange.ts";
import type { Failure } from "../../problem/failure.ts";
import { internalProblem, type Problem } from "../../problem/problem.ts";
import type { Log } from "../../runtime/log.ts";
import { StoreUnavailable } from "../../store/store-errors.ts";
import type { AccessCheck } from "../access-check.ts";
import { type RequestContext, requestContextKey } from "./request-context.ts";
import { cookieToken } from "./session-cookie.ts";

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
// Longer than a UUID with its quotation marks, so that a longer string is not mistaken for one.
const IDEMPOTENCY_KEY_MAX = 64;

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
