// The access checks of the account services. AccountService needs a session. What anybody may ask of it, and SignInService, where sessions
// begin, need none and are held to a rate limit alone. Both are decided on the head of a request, before any of its body is read. A
// session's token is read here and goes nowhere but to the sessions.
import { ConnectError } from "@connectrpc/connect";
import { originRefused, sessionInvalid, sessionMissing, storeUnavailable } from "../../account/refusals.ts";
import type { AccountCaller } from "../../account/rpc/bound-method.ts";
import { TOKEN_SHAPE } from "../../account/sessions.ts";
import type { Admitted, Refused } from "../../guard/guard.ts";
import type { Exchange } from "../../http/exchange.ts";
import type { Failure } from "../../problem/failure.ts";
import { internalProblem, type Problem } from "../../problem/problem.ts";
import type { Log } from "../../runtime/log.ts";
import { StoreUnavailable } from "../../store/store-errors.ts";
import type { AccessCheck } from "../access-check.ts";
import { isCrossOrigin, isSecureOrigin } from "./origin-check.ts";
import { type RequestContext, requestContextKey } from "./request-context.ts";
import { cookieToken } from "./session-cookie.ts";

const BEARER = /^bearer +/i;
// More at once are not looked up but refused: each holds memory while the store is silent.
const LOOK_UPS_MAX = 200;

// What is answered to one customer is kept for nobody.
const headers = { "cache-control": "no-store" };

/** What the gates work with. */
export interface AccountGateOptions {
  /** Lets a call of the method in, by its full name, or rejects: with a Failure, or as the store does. */
  readonly ask: (method: string, requestContext: AccountCaller) => Promise<void>;
  readonly log: Log;
}

/** Lets in whoever has a session. */
export function createSessionCheck(options: AccountGateOptions): AccessCheck {
  const admit = createAdmit(options);
  return {
    headers,
    admit(exchange, method) {
      const brought = broughtBy(exchange);
      return "reason" in brought ? refused(brought) : admit(exchange, method, brought);
    },
  };
}

/** Lets in everybody who does not come too often. */
export function createOpenCheck(options: AccountGateOptions): AccessCheck {
  const admit = createAdmit(options);
  return { headers, admit: (exchange, method) => admit(exchange, method, { token: undefined, hasCookie: false }) };
}

type Admit = (exchange: Exchange, method: string, brought: BroughtToken) => Refused | Promise<Admitted | Refused>;

function createAdmit({ ask, log }: AccountGateOptions): Admit {
  let lookUps = 0;
  const lookUp = async (exchange: Exchange, method: string, brought: BroughtToken): Promise<Admitted | Refused> => {
    lookUps += 1;
    const { peer } = exchange;
    try {
      await ask(method, { peer, token: brought.token });
      return admitted(exchange, peer, brought, () => lookUp(exchange, method, brought));
    } catch (error) {
      if (error instanceof ConnectError && "problem" in error) {
        return refused((error as Failure).problem);
      }
      if (error instanceof StoreUnavailable) {
        return refused(storeUnavailable());
      }
      log.error({ err: error }, "a call of an account service could not be admitted");
      return refused(internalProblem(error));
    } finally {
      lookUps -= 1;
    }
  };
  return (exchange, method, brought) => (lookUps < LOOK_UPS_MAX ? lookUp(exchange, method, brought) : refused(storeUnavailable()));
}

interface BroughtToken {
  readonly token: string | undefined;
  readonly hasCookie: boolean;
}

// The token that the request brings, or why it has none that counts.
function broughtBy(exchange: Exchange): BroughtToken | Problem {
  const { authorization, cookie } = exchange.headers;
  if (authorization !== undefined) {
    const token = authorization.replace(BEARER, "");
    return BEARER.test(authorization) && TOKEN_SHAPE.test(token) ? { token, hasCookie: false } : sessionInvalid();
  }
  const token = cookieToken(cookie, exchange.isSecure);
  if (token === undefined) {
    return sessionMissing();
  }
  if (isCrossOrigin(exchange)) {
    return originRefused();
  }
  return TOKEN_SHAPE.test(token) ? { token, hasCookie: true } : sessionInvalid();
}

const refused = (problem: Problem): Refused => ({ admitted: false, problem });

// Nothing is charged, so nothing is settled.
function admitted(exchange: Exchange, peer: string, brought: BroughtToken, renew: Admitted["renew"]): Admitted {
  const value: RequestContext = {
    peer,
    ...brought,
    isForeignPage: isCrossOrigin(exchange),
    isSecure: isSecureOrigin(exchange),
  };
  return { admitted: true, caller: { key: requestContextKey, value }, settle: () => {}, renew, watch: () => () => {} };
}
