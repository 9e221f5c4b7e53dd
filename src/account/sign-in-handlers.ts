// SignInService: how somebody becomes a customer, and a customer's session begins. Tries are held to a pace before anything is looked up or
// hashed: by the network that they come from, by the address that they name, and all together, for each costs 50 ms of a core.

import type { SignInService } from "../../gen/quintet/account/v1/sign_in_pb.js";
import type { Clock } from "../clock.ts";
import { Failure } from "../problem/problem.ts";
import type { Randomness } from "../randomness.ts";
import type { OwnerStore } from "../store/owner-store.ts";
import type { AdminStore } from "../store/store.ts";
import { accountNameOf, requireSignInEmail } from "./accounts.ts";
import { type Handlers, unlessForbidden } from "./handlers.ts";
import { sessionMessage } from "./messages.ts";
import { sessionInvalid, signInFailed, tooManyAttempts } from "./refusals.ts";
import type { Sessions } from "./sessions.ts";
import { networkOf, type Pace, Throttle } from "./throttle.ts";

const SIGN_UPS_OF_A_NETWORK: Pace = { burst: 10, everyMs: 10_000 };
const SIGN_INS_OF_A_NETWORK: Pace = { burst: 30, everyMs: 1000 };
const SIGN_INS_OF_AN_ADDRESS: Pace = { burst: 10, everyMs: 10_000 };
const ALL: Pace = { burst: 20, everyMs: 100 };

/** What the handlers work with. */
export interface SignInDeps {
  readonly store: AdminStore & OwnerStore;
  /** Loads them when they are first asked for. */
  readonly sessions: () => Promise<Sessions>;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** A visitor, by where they come from. */
export interface Stranger {
  /** The address of the connection. */
  readonly peer: string;
}

/** The handlers of SignInService. */
export function createSignInHandlers({ store, sessions, clock, randomness }: SignInDeps): Handlers<typeof SignInService, Stranger> {
  const signUps = new Throttle(clock, SIGN_UPS_OF_A_NETWORK);
  const signIns = new Throttle(clock, SIGN_INS_OF_A_NETWORK);
  const addresses = new Throttle(clock, SIGN_INS_OF_AN_ADDRESS);
  const all = new Throttle(clock, ALL);
  return {
    async signUp({ email: given, password }, { peer }) {
      const email = requireSignInEmail(given);
      hold(signUps.take(networkOf(peer)) || all.take(""));
      const { hash, begin } = await sessions();
      const passwordHash = await hash(password);
      const wish = { id: randomness.uuid(), name: accountNameOf(email, randomness), email };
      const account = await unlessForbidden("email", () => store.createOwnedAccount(wish, passwordHash));
      return { session: sessionMessage(await begin(account.id), account) };
    },
    async signIn({ email, password }, { peer }) {
      hold(signIns.take(networkOf(peer)) || addresses.take(email.toLowerCase()) || all.take(""));
      const { signIn } = await sessions();
      const begun = await signIn(email, password);
      if (begun === undefined) {
        throw new Failure(signInFailed());
      }
      const account = await store.findAccount(begun.accountId);
      if (account === undefined) {
        throw new Failure(sessionInvalid());
      }
      return { session: sessionMessage(begun, account) };
    },
  };
}

function hold(waitMs: number): void {
  if (waitMs > 0) {
    throw new Failure(tooManyAttempts(waitMs));
  }
}
