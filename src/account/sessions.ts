// Sessions. While a session lasts, its token stands for the account's owner. A token is made and stored like a key.

import { hashKey } from "../guard/keys/key.ts";
import { drawBase62 } from "../runtime/base62.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Randomness } from "../runtime/randomness.ts";
import type { Owner, OwnerStore, StoredSession } from "../store/owner-store.ts";
import type { PasswordTurn } from "./password-queue.ts";
import { requireGoodPassword } from "./password-rules.ts";
import type { Passwords } from "./passwords.ts";

const TOKEN_LENGTH = 32;
const HOUR_MS = 3_600_000;
const LASTS_MS = 7 * 24 * HOUR_MS;

/** A token's shape. A text of another shape need not be looked up. */
export const TOKEN_SHAPE = new RegExp(`^[0-9A-Za-z]{${TOKEN_LENGTH}}$`);

/** A session that has begun. */
export interface BegunSession {
  readonly accountId: string;
  /** 32 letters and digits, 190 random bits. It is told once. */
  readonly token: string;
  readonly expiresAtMs: number;
}

const OWNERS_TURN: PasswordTurn = { isKnown: true, triesLately: 0 };

/** What sessions work with. */
export interface SessionDependencies {
  readonly store: OwnerStore;
  readonly passwords: Passwords;
  readonly clock: Pick<Clock, "nowMs">;
  readonly randomness: Pick<Randomness, "bytes">;
}

/** Sessions. Each method rejects as the store does, and as passwords do. */
export class Sessions {
  readonly #deps: SessionDependencies;

  constructor(deps: SessionDependencies) {
    this.#deps = deps;
  }

  /** Begins a session of an owner. Undefined when their password has changed since. */
  async begin({ accountId, passwordHash }: Omit<Owner, "email">): Promise<BegunSession | undefined> {
    const { store, clock, randomness } = this.#deps;
    const token = drawBase62(randomness, TOKEN_LENGTH);
    const expiresAtMs = clock.nowMs() + LASTS_MS;
    const begun = await store.beginSession({ tokenHash: hashKey(token), accountId, passwordHash, expiresAtMs });
    return begun ? { accountId, token, expiresAtMs } : undefined;
  }

  /** Begins a session. Undefined when the address or the password is wrong, after the same time in either case. */
  async signIn(email: string, password: string, turn?: PasswordTurn): Promise<BegunSession | undefined> {
    const { store, passwords } = this.#deps;
    const owner = await store.findOwner(email.toLowerCase());
    const isTheirs = await passwords.matches(password, owner?.passwordHash, turn);
    return owner !== undefined && isTheirs ? this.begin(owner) : undefined;
  }

  /** Whose session this is; undefined when there is none or it has ended. Use prolongs it, once an hour at most. */
  async find(token: string): Promise<StoredSession | undefined> {
    const { store, clock } = this.#deps;
    const tokenHash = hashKey(token);
    const session = await store.findSession(tokenHash);
    const expiresAtMs = clock.nowMs() + LASTS_MS;
    if (session === undefined || expiresAtMs - session.expiresAtMs < HOUR_MS) {
      return session;
    }
    await store.prolongSession(tokenHash, expiresAtMs);
    return { ...session, expiresAtMs };
  }

  /**
   * Changes the password of an account's owner, in the name of the actor whose store is given, and ends their other sessions. False when the current one is wrong. Rejects with a Failure
   * when the next one is easily guessed.
   */
  async changePassword(
    accountId: string,
    token: string,
    { from, to }: { from: string; to: string },
    store: OwnerStore = this.#deps.store,
  ): Promise<boolean> {
    const { passwords } = this.#deps;
    const owner = await store.findOwnerOf(accountId);
    if (owner === undefined || !(await passwords.matches(from, owner.passwordHash, OWNERS_TURN))) {
      return false;
    }
    requireGoodPassword("new_password", to, owner.email);
    const hashes = { from: owner.passwordHash, to: await passwords.hash(to, OWNERS_TURN), keptTokenHash: hashKey(token) };
    return store.changeOwnerPassword(accountId, hashes);
  }

  /** Ends a session, where there is one. */
  end(token: string): Promise<void> {
    return this.#deps.store.endSession(hashKey(token));
  }
}
