// The gates of the account services: a session before AccountService; before SignInService, through which sessions begin, nothing but a
// note of who comes. A session's token is read here and goes nowhere but to the sessions.
import type { Admitted, Refused } from "../../guard/guard.ts";
import type { Log } from "../../log.ts";
import { internalProblem, type Problem } from "../../problem/problem.ts";
import type { Exchange } from "../../server/exchange.ts";
import type { Gate } from "../../server/gate.ts";
import type { StoredSession } from "../../store/owner-store.ts";
import { StoreUnavailable } from "../../store/store.ts";
import { originRefused, sessionInvalid, sessionMissing, storeUnavailable } from "../refusals.ts";
import { TOKEN_SHAPE } from "../sessions.ts";
import { isForeignPage, isSecurePage } from "./page.ts";
import { cookieToken } from "./session-cookie.ts";
import { type Visitor, visitorKey } from "./visitor.ts";

const BEARER = /^bearer +/i;
// More at once are not looked up but refused: each holds memory while the store is silent.
const LOOK_UPS_MAX = 200;

// What is answered to one customer is kept for nobody.
const headers = { "cache-control": "no-store" };

/** What the gate of sessions works with. */
export interface SessionGateOptions {
  /** Whose session it is; undefined when there is none. Rejects as the store does. */
  readonly find: (token: string) => Promise<StoredSession | undefined>;
  readonly log: Log;
}

/** Lets in whoever has a session. */
export function createSessionGate({ find, log }: SessionGateOptions): Gate {
  let lookUps = 0;
  const admit = async (exchange: Exchange, brought: BroughtToken): Promise<Admitted | Refused> => {
    lookUps += 1;
    try {
      return (await find(brought.token)) === undefined
        ? refused(sessionInvalid())
        : admitted(exchange, brought, () => admit(exchange, brought));
    } catch (error) {
      if (error instanceof StoreUnavailable) {
        return refused(storeUnavailable());
      }
      log.error({ err: error }, "a session could not be looked up");
      return refused(internalProblem(error));
    } finally {
      lookUps -= 1;
    }
  };
  return {
    headers,
    admit(exchange) {
      const brought = broughtBy(exchange);
      if ("reason" in brought) {
        return refused(brought);
      }
      return lookUps < LOOK_UPS_MAX ? admit(exchange, brought) : refused(storeUnavailable());
    },
  };
}

/** Lets in everybody. */
export function createOpenGate(): Gate {
  const admit = (exchange: Exchange): Admitted => admitted(exchange, { token: undefined, hasCookie: false }, () => admit(exchange));
  return { headers, admit };
}

interface BroughtToken {
  readonly token: string;
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
  if (isForeignPage(exchange)) {
    return originRefused();
  }
  return TOKEN_SHAPE.test(token) ? { token, hasCookie: true } : sessionInvalid();
}

const refused = (problem: Problem): Refused => ({ admitted: false, problem });

// Nothing is charged, so nothing is settled.
function admitted(exchange: Exchange, brought: Pick<Visitor, "token" | "hasCookie">, renew: Admitted["renew"]): Admitted {
  const value: Visitor = {
    peer: exchange.peer,
    ...brought,
    isForeignPage: isForeignPage(exchange),
    isSecure: isSecurePage(exchange),
  };
  return { admitted: true, caller: { key: visitorKey, value }, settle: () => {}, renew, watch: () => () => {} };
}
