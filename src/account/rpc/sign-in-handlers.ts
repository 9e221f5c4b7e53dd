// SignInService: signing up and beginning sessions. Attempts are rate-limited before anything is looked up or hashed: by network before the
// body is read, and by e-mail address afterwards.

import { hashSecret } from "@quintet/guard";
import type { ProviderResponse, SignInRequest, SignInService } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import { Failure } from "../../problem/failure.ts";
import { invalidArgument } from "../../problem/problem.ts";
import type { Clock } from "../../runtime/clock.ts";
import { AN_EMAIL, canonicalEmail } from "../../runtime/email.ts";
import type { Randomness } from "../../runtime/randomness.ts";

import type { Owner } from "../../store/owner-records.ts";
import type { Account } from "../../store/records.ts";
import type { AdminStore } from "../../store/store.ts";
import { StoreConflict } from "../../store/store-errors.ts";
import { accountNameOf, requireEmail } from "../accounts.ts";
import type { IdentityProviders } from "../identity-providers.ts";
import { type Passkeys, passkeyRemoved } from "../passkeys.ts";
import { passwordFault } from "../password-rules.ts";
import type { Passwords } from "../passwords.ts";
import { signInFailed, stateForbids } from "../refusals.ts";
import type { Sessions, StartedSession } from "../sessions.ts";
import { generateToken } from "../tokens.ts";
import { type TwoFactorSignIn, wrongCode } from "../two-factor.ts";
import type { Handlers } from "./handlers.ts";
import { sessionMessage } from "./messages.ts";
import type { SignInThrottle } from "./sign-in-throttle.ts";

interface SignInHandlerOptions {
  readonly store: AdminStore;
  readonly passwords: Passwords;
  readonly sessions: Sessions;
  readonly twoFactor: TwoFactorSignIn;
  readonly passkeys: Passkeys;
  readonly identityProviders: IdentityProviders;
  readonly signInThrottle: SignInThrottle;
  readonly clock: Pick<Clock, "nowMs">;
  readonly randomness: Randomness;
  /** Sends the e-mail that follows a sign-up; undefined on a server that does not send mail. */
  readonly sendSignUp: ((email: string, next: string) => void) | undefined;
  readonly sessionStarted: (token: string) => void;
}

/** A caller without a session, known only by the connection. */
export interface AnonymousCaller {
  /** The network address of the connection. */
  readonly peer: string;
  /** The program's own description of itself, for the list of sessions. */
  readonly userAgent?: string | undefined;
}

/** The handlers of SignInService, except those for mail. */
export function createSignInHandlers(
  options: SignInHandlerOptions,
): Pick<Handlers<typeof SignInService, AnonymousCaller>, "signUp" | "signIn" | "beginPasskeySignIn" | "beginProviderSignIn"> {
  const { store, passwords, sessions, twoFactor, passkeys, identityProviders } = options;
  const { signInThrottle, clock, randomness, sendSignUp, sessionStarted } = options;

  // The password is hashed before we check whether the e-mail address is taken. So the response takes the same time in both cases, and does
  // not reveal which e-mail addresses have an account.
  const createOwnedAccount = async (email: string, passwordHash: string, peer: string): Promise<Account> => {
    const input = { id: randomness.uuid(), name: accountNameOf(email, randomness), email };
    try {
      return await store.by({ kind: "visitor", name: "", origin: peer }).createOwnedAccount(input, passwordHash);
    } catch (error) {
      if (error instanceof StoreConflict) {
        signInThrottle.recordTaken(peer);
        throw new Failure(invalidArgument([{ field: "email", description: CANNOT_SIGN_UP }]));
      }
      throw error;
    }
  };
  return {
    async signUp({ email: given, password, next }, { peer, userAgent }) {
      const email = canonicalEmail(given);
      // If mail is sent, its link leads to a page where the user chooses a password.
      const fault =
        password !== "" ? passwordFault(password, email ?? given) : sendSignUp === undefined ? "is required" : undefined;
      if (email === undefined || fault !== undefined) {
        throw new Failure(
          invalidArgument([
            ...(email === undefined ? [{ field: "email", description: `must be ${AN_EMAIL}` }] : []),
            ...(fault === undefined ? [] : [{ field: "password", description: fault }]),
          ]),
        );
      }
      signInThrottle.trySignUp(peer);
      if (sendSignUp !== undefined) {
        sendSignUp(email, next);
        return { outcome: { case: "mailSent", value: true } };
      }
      const passwordHash = await passwords.hash(password, signInThrottle.priorityOf(peer, email));
      const account = await createOwnedAccount(email, passwordHash, peer);
      const session = await sessions.begin({ accountId: account.id, passwordHash }, { address: peer, userAgent });
      return { outcome: started(session, account, peer) };
    },
    async signIn(request, caller) {
      requireUsed(request);
      const { email, challenge, proof } = request;
      switch (proof.case) {
        case "password":
          return { outcome: await byPassword(email, proof.value, caller) };
        case "code":
          return { outcome: await byCode(challenge, proof.value, caller) };
        case "providerResponse":
          return { outcome: await byProvider(proof.value, caller) };
        default:
          return { outcome: await byPasskey(proof.value ?? "", caller) };
      }
    },
    async beginPasskeySignIn() {
      return { optionsJson: await passkeys.requestOptions() };
    },
    beginProviderSignIn: ({ provider }) => identityProviders.begin(provider),
  };

  async function byPassword(given: string, password: string, { peer, userAgent }: AnonymousCaller) {
    const email = requireEmail(given);
    signInThrottle.trySignIn(peer, email);
    const priority = signInThrottle.priorityOf(peer, email);
    const session = await sessions.signIn(email, password, { priority, address: peer, userAgent });
    if (session?.challenge !== undefined) {
      return { case: "challenge", value: session.challenge } as const;
    }
    return started(session, session && (await store.findAccount(session.accountId)), peer, email);
  }

  async function byCode(challenge: string, code: string, { peer, userAgent }: AnonymousCaller) {
    const accountId = await store.findChallenge(hashSecret(challenge));
    if (accountId === undefined) {
      throw new Failure(invalidArgument([{ field: "challenge", description: INVALID_CHALLENGE }]));
    }
    const usedCode = await twoFactor.check(accountId, code);
    const asOwner = store.by({ kind: "owner", name: accountId, origin: peer });
    const session = await sessions.complete({ accountId, challenge }, usedCode, { address: peer, userAgent }, asOwner);
    if (session === undefined) {
      throw wrongCode();
    }
    return started(session, await store.findAccount(accountId), peer);
  }

  async function byPasskey(credentialJson: string, { peer, userAgent }: AnonymousCaller) {
    const verified = await passkeys.verifySignIn(credentialJson);
    const session = await sessions.beginWithPasskey(verified, { address: peer, userAgent });
    if (session === undefined) {
      throw passkeyRemoved();
    }
    return started(session, await store.findAccount(verified.passkey.accountId), peer);
  }

  async function byProvider(response: ProviderResponse, { peer, userAgent }: AnonymousCaller) {
    const email = await identityProviders.verifiedEmail(response);
    const owner = (await store.findOwner(email)) ?? (await createVerifiedAccount(email, peer));
    const account = owner && (await store.findAccount(owner.accountId));
    if (owner === undefined || account?.emailVerifiedAtMs === undefined) {
      throw new Failure(stateForbids("account", NOT_VERIFIED));
    }
    const session = await sessions.beginOrChallenge(owner, { address: peer, userAgent });
    return session?.challenge === undefined
      ? started(session, account, peer)
      : ({ case: "challenge", value: session.challenge } as const);
  }

  // The provider stands for the mailed link of a sign-up. Nobody knows the password; the owner can have a link mailed to choose one.
  async function createVerifiedAccount(email: string, peer: string): Promise<Owner | undefined> {
    signInThrottle.trySignUp(peer);
    const tokenHash = hashSecret(generateToken(randomness));
    const passwordHash = await passwords.hash(generateToken(randomness), signInThrottle.priorityOf(peer, email));
    const asVisitor = store.by({ kind: "visitor", name: "", origin: peer });
    const link = { tokenHash, purpose: "sign_up", email, accountId: null, expiresAtMs: clock.nowMs() + MINUTE_MS } as const;
    await asVisitor.addMailToken(link);
    try {
      await asVisitor.verifyEmail(tokenHash, { id: randomness.uuid(), name: accountNameOf(email, randomness), passwordHash });
    } catch (error) {
      // The address has an account by now.
      if (!(error instanceof StoreConflict)) {
        throw error;
      }
    }
    return store.findOwner(email);
  }

  function started(session: StartedSession | undefined, account: Account | undefined, peer: string, email = account?.email ?? "") {
    if (session === undefined || account === undefined) {
      throw new Failure(signInFailed());
    }
    signInThrottle.recordSuccess(peer, email);
    sessionStarted(session.token);
    return { case: "session", value: sessionMessage(session, account) } as const;
  }
}

// What goes with each proof must be given with it, and with no other.
const COMPANIONS = { email: "password", challenge: "code" } as const;

function requireUsed(request: SignInRequest): void {
  const violations = (["email", "challenge"] as const).flatMap((field) => {
    const [isGiven, isNeeded] = [request[field] !== "", request.proof.case === COMPANIONS[field]];
    return isGiven === isNeeded ? [] : [{ field, description: isNeeded ? "is required" : `goes only with ${COMPANIONS[field]}` }];
  });
  if (violations.length > 0) {
    throw new Failure(invalidArgument(violations));
  }
}

// Does not say that the e-mail address is taken: the caller learns only that they get no account.
const CANNOT_SIGN_UP = "cannot be used to sign up. If it is yours, sign in, or ask the operator for another password";

// Whoever has signed up with somebody else's address still knows the account's password. So it must not become the address's owner's.
const NOT_VERIFIED =
  "Your address has an account here, but the address was never verified. Sign in with its password and verify the address first, or set a new password.";

const MINUTE_MS = 60_000;

const INVALID_CHALLENGE = "is not valid: it has already been used or has expired. Sign in again";
