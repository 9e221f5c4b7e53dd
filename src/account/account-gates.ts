// The gates of the account services: a session before AccountService; before SignInService, through which sessions begin, nothing but a
// note of who comes. A session's token is read here and goes nowhere but to the sessions.
import type { Admitted, Refused } from "../guard/guard.ts";
import type { Log } from "../log.ts";
import { internalProblem, type Problem } from "../problem/problem.ts";
import type { Exchange } from "../server/exchange.ts";
import type { Gate } from "../server/gate.ts";
import { StoreUnavailable } from "../store/store.ts";
import { originRefused, sessionInvalid, sessionMissing, storeUnavailable } from "./refusals.ts";
import { cookieToken, isForeignPage, isSecurePage } from "./session-cookie.ts";
import type { KnownSession } from "./sessions.ts";
import { type SignedIn, type Visitor, visitorKey } from "./visitor.ts";

const TOKEN = /^[0-9A-Za-z]{32}$/;
const BEARER = /^bearer +/i;
// More at once are not looked up but refused: each holds memory while the store is silent.
const LOOK_UPS_MAX = 200;

// What is answered to one customer is kept for nobody.
const headers = { "cache-control": "no-store" };

/** What the gate of sessions works with. */
export interface SessionGateOptions {
  /** Whose session it is; undefined when there is none. Rejects as the store does. */
  readonly find: (token: string) => Promise<KnownSession | undefined>;
  readonly log: Log;
}

/** Lets in whoever has a session. */
export function createSessionGate({ find, log }: SessionGateOptions): Gate {
  let lookUps = 0;
  const admit = async (exchange: Exchange, token: string): Promise<Admitted | Refused> => {
    lookUps += 1;
    try {
      const session = await find(token);
      return session === undefined
        ? refused(sessionInvalid())
        : admitted(exchange, { accountId: session.accountId, token }, () => admit(exchange, token));
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
      const token = tokenOf(exchange);
      if (typeof token !== "string") {
        return refused(token);
      }
      return lookUps < LOOK_UPS_MAX ? admit(exchange, token) : refused(storeUnavailable());
    },
  };
}

/** Lets in everybody. */
export function createOpenGate(): Gate {
  const admit = (exchange: Exchange): Admitted => admitted(exchange, undefined, () => admit(exchange));
  return { headers, admit };
}

// The token that the request brings, or why it has none that counts.
function tokenOf(exchange: Exchange): string | Problem {
  const { authorization, cookie } = exchange.headers;
  if (authorization !== undefined) {
    const token = authorization.replace(BEARER, "");
    return BEARER.test(authorization) && TOKEN.test(token) ? token : sessionInvalid();
  }
  const token = cookieToken(cookie);
  if (token === undefined) {
    return sessionMissing();
  }
  if (isForeignPage(exchange)) {
    return originRefused();
  }
  return TOKEN.test(token) ? token : sessionInvalid();
}

const refused = (problem: Problem): Refused => ({ admitted: false, problem });

// Nothing is charged, so nothing is settled.
function admitted(exchange: Exchange, session: SignedIn | undefined, renew: Admitted["renew"]): Admitted {
  const value: Visitor = {
    peer: exchange.peer,
    session,
    isForeignPage: isForeignPage(exchange),
    isSecure: isSecurePage(exchange),
  };
  return { admitted: true, caller: { key: visitorKey, value }, settle: () => {}, renew };
}
