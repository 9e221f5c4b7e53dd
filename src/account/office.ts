// Where accounts are managed: the handlers of the account services, beside the store. There is one in a process; threads that serve bring
// their calls here.
import { create, type DescMethodUnary, type Message } from "@bufbuild/protobuf";
import { AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import type { Clock } from "../clock.ts";
import type { Plans } from "../guard/plans.ts";
import { Failure } from "../problem/problem.ts";
import type { Randomness } from "../randomness.ts";
import { type Store, StoreUnavailable } from "../store/store.ts";
import { createAccountHandlers } from "./account-handlers.ts";
import { activatedByOperator } from "./payments.ts";
import { sessionMissing, storeUnavailable, tooManyCalls } from "./refusals.ts";
import { type KnownSession, openSessions, type Sessions } from "./sessions.ts";
import { createSignInHandlers, type Stranger } from "./sign-in-handlers.ts";
import { type Pace, Throttle } from "./throttle.ts";
import type { SignedIn } from "./visitor.ts";

const CALLS_OF_AN_ACCOUNT: Pace = { burst: 20, everyMs: 100 };
const SECRET_BYTES = 32;

/** Who calls, as the gate knows them. */
export interface OfficeVisitor extends Stranger {
  readonly session: SignedIn | undefined;
}

/** The office, as those see it who serve. */
export interface AccountOffice {
  /** Whose session this is; undefined when there is none, or it is over. Rejects as the store does. */
  findSession(token: string): Promise<KnownSession | undefined>;
  /** Calls a method of AccountService or SignInService. Rejects with a Failure for what a caller should understand. */
  call(method: DescMethodUnary, input: Message, visitor: OfficeVisitor): Promise<Message>;
}

/** The office, as its owner sees it. */
export interface OwnOffice extends AccountOffice {
  /** Loads what sign-in needs, ahead of the first customer. It holds up the thread for some 300 ms. */
  open(): Promise<void>;
}

/** What the office works with. */
export interface OfficeDeps {
  readonly store: Store;
  readonly plans: Plans;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** Makes it. What sign-in needs is loaded when the first customer comes, where `open` was not called before. */
export function createAccountOffice({ store, plans, clock, randomness }: OfficeDeps): OwnOffice {
  let opened: Promise<Sessions> | undefined;
  const sessions = (): Promise<Sessions> => {
    opened ??= openSessions(store, Buffer.from(randomness.bytes(SECRET_BYTES)).toString("hex"));
    return opened;
  };
  const deps = { store, plans, clock, randomness, sessions, payments: activatedByOperator };
  const ofAccounts = createAccountHandlers(deps) as Loose<SignedIn>;
  const ofStrangers = createSignInHandlers(deps) as Loose<Stranger>;
  const calls = new Throttle(clock, CALLS_OF_AN_ACCOUNT);
  const handle = (method: DescMethodUnary, input: Message, { peer, session }: OfficeVisitor): Promise<Record<string, unknown>> => {
    if (method.parent.typeName !== AccountService.typeName) {
      return handlerOf(ofStrangers, method)(input, { peer });
    }
    if (session === undefined) {
      throw new Failure(sessionMissing());
    }
    const waitMs = calls.take(session.accountId);
    if (waitMs > 0) {
      throw new Failure(tooManyCalls(waitMs));
    }
    return handlerOf(ofAccounts, method)(input, session);
  };
  return {
    async open() {
      await sessions();
    },
    findSession: async (token) => (await sessions()).find(token),
    async call(method, input, visitor) {
      try {
        return create(method.output, await handle(method, input, visitor));
      } catch (error) {
        throw error instanceof StoreUnavailable ? new Failure({ ...storeUnavailable(), cause: error }) : error;
      }
    },
  };
}

type Loose<Who> = Readonly<Record<string, (input: never, who: Who) => Promise<Record<string, unknown>>>>;

function handlerOf<Who>(
  handlers: Loose<Who>,
  { localName }: DescMethodUnary,
): (input: Message, who: Who) => Promise<Record<string, unknown>> {
  const handler = handlers[localName];
  if (handler === undefined) {
    throw new Error(`Nobody handles ${localName}`);
  }
  return handler as (input: Message, who: Who) => Promise<Record<string, unknown>>;
}
