// SignInService: how somebody becomes a customer, and a customer's session begins. Tries are held to a pace before anything is looked up or
// hashed: of a network, of a network at an e-mail address, and at the address from wherever.
import type { SignInService } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import type { Clock } from "../../clock.ts";
import { Failure } from "../../problem/problem.ts";
import type { Randomness } from "../../randomness.ts";
import type { OwnerStore } from "../../store/owner-store.ts";
import type { Account, AdminStore } from "../../store/store.ts";
import { accountNameOf, requireSignInEmail } from "../accounts.ts";
import type { Passwords } from "../passwords.ts";
import { signInFailed, tooManyAttempts } from "../refusals.ts";
import type { Sessions } from "../sessions.ts";
import { type Handlers, unlessForbidden } from "./handlers.ts";
import { sessionMessage } from "./messages.ts";
import { hold, networkOf, type Pace, Throttle, takeAll } from "./throttle.ts";

const SIGN_UPS_OF_A_NETWORK: Pace = { burst: 10, everyMs: 10_000 };
const SIGN_INS_OF_A_NETWORK: Pace = { burst: 30, everyMs: 1000 };
const SIGN_INS_AT_AN_ADDRESS: Pace = { burst: 10, everyMs: 10_000 };
// Looser, so that one network alone does not keep an owner out.
const SIGN_INS_AT_AN_ADDRESS_IN_ALL: Pace = { burst: 50, everyMs: 3000 };

/** What the handlers work with. */
export interface SignInDeps {
  readonly store: AdminStore & OwnerStore;
  readonly passwords: Passwords;
  readonly sessions: Sessions;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** A visitor, by where they come from. */
export interface Stranger {
  /** The address of the connection. */
  readonly peer: string;
}

/** The handlers of SignInService. */
export function createSignInHandlers(deps: SignInDeps): Handlers<typeof SignInService, Stranger> {
  const { store, passwords, sessions, clock, randomness } = deps;
  const signUps = new Throttle(clock, SIGN_UPS_OF_A_NETWORK);
  const ofNetworks = new Throttle(clock, SIGN_INS_OF_A_NETWORK);
  const atAddresses = new Throttle(clock, SIGN_INS_AT_AN_ADDRESS);
  const inAll = new Throttle(clock, SIGN_INS_AT_AN_ADDRESS_IN_ALL);
  return {
    async signUp({ email: given, password }, { peer }) {
      const email = requireSignInEmail(given);
      hold(signUps.take(networkOf(peer)), tooManyAttempts);
      const passwordHash = await passwords.hash(password);
      const wish = { id: randomness.uuid(), name: accountNameOf(email, randomness), email };
      const account = await unlessForbidden("email", () => store.createOwnedAccount(wish, passwordHash));
      return begun(await sessions.begin({ accountId: account.id, passwordHash }), account);
    },
    async signIn({ email, password }, { peer }) {
      const network = networkOf(peer);
      const address = email.toLowerCase();
      const tries = [
        [ofNetworks, network],
        [atAddresses, `${network} ${address}`],
        [inAll, address],
      ] as const;
      hold(takeAll(tries), tooManyAttempts);
      const session = await sessions.signIn(address, password);
      return begun(session, session && (await store.findAccount(session.accountId)));
    },
  };

  function begun(session: Parameters<typeof sessionMessage>[0] | undefined, account: Account | undefined) {
    if (session === undefined || account === undefined) {
      throw new Failure(signInFailed());
    }
    return { session: sessionMessage(session, account) };
  }
}
