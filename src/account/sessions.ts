// Sessions. While a session lasts, its token authenticates the account's owner. A token is made and stored like a key.
import { createHash } from "node:crypto";
import { hashSecret } from "@quintet/guard";
import type { Clock } from "../runtime/clock.ts";
import type { Randomness } from "../runtime/randomness.ts";
import type { FoundSession, ListedSession, Owner, UsedCode } from "../store/owner-records.ts";
import type { SessionOrigin } from "../store/records.ts";
import type { AdminStore } from "../store/store.ts";
import type { VerifiedPasskey } from "./passkeys.ts";
import type { HashPriority } from "./password-queue.ts";
import { isSandboxPassword, requireGoodPassword } from "./password-rules.ts";
import type { Passwords } from "./passwords.ts";
import { generateToken } from "./tokens.ts";

// When sessions were last used. Kept in memory, to the minute, and written in batches once a minute, so that a call does not cause a write.
const MINUTE_MS = 60_000;
// The maximum number of uses that wait to be written. If more sessions are used in a minute, the uses of the rest are not recorded.
const WAITING_MAX = 20_000;

interface SessionUsesOptions {
  readonly store: Pick<AdminStore, "recordSessionUses">;
  readonly clock: Pick<Clock, "nowMs" | "after">;
}

class SessionUses {
  readonly #options: SessionUsesOptions;
  #waiting = new Map<string, number>();
  #cancelTimer: (() => void) | undefined;
  #isClosed = false;

  constructor(options: SessionUsesOptions) {
    this.#options = options;
  }

  /** Records that the session whose token has this SHA-256 is being used now. */
  record(tokenHash: string): void {
    const { clock } = this.#options;
    if (this.#waiting.size >= WAITING_MAX && !this.#waiting.has(tokenHash)) {
      return;
    }
    this.#waiting.set(tokenHash, Math.floor(clock.nowMs() / MINUTE_MS) * MINUTE_MS);
    if (this.#cancelTimer === undefined && !this.#isClosed) {
      this.#cancelTimer = clock.after(MINUTE_MS, () => void this.#write());
    }
  }

  /** When the session was last used on this server, if that has not been written yet. */
  unwritten(tokenHash: string): number | undefined {
    return this.#waiting.get(tokenHash);
  }

  /** Writes the pending uses, and records no more. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#write();
  }

  // Uses that the store does not accept now are dropped: the next use will be recorded.
  async #write(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const uses = Array.from(this.#waiting, ([tokenHash, usedAtMs]) => ({ tokenHash, usedAtMs }));
    this.#waiting = new Map();
    if (uses.length > 0) {
      await this.#options.store.recordSessionUses(uses).catch(() => {});
    }
  }
}

const HOUR_MS = 3_600_000;
const CHALLENGE_LIFETIME_MS = 600_000;
const LIFETIME_MS = 7 * 24 * HOUR_MS;

export interface StartedSession {
  readonly accountId: string;
  /** 32 letters and digits, 190 random bits. It is shown once. */
  readonly token: string;
  readonly expiresAtMs: number;
  readonly challenge?: undefined;
}

/** A sign-in with the right password that still needs a code. */
export interface StartedChallenge {
  readonly accountId: string;
  /** 32 letters and digits, 190 random bits. It only completes this sign-in. */
  readonly challenge: string;
  readonly token?: undefined;
}

/** A session as its owner sees it. */
export interface ShownSession extends Omit<ListedSession, "tokenHash" | "accountId"> {
  /** A UUID. */
  readonly id: string;
  /** Whether the given token belongs to this session. */
  readonly isCurrent: boolean;
}

/** Decides when the password of the owner with this address is checked. */
export type PriorityOf = (email: string) => HashPriority;

interface SessionOptions {
  readonly store: AdminStore;
  readonly passwords: Passwords;
  readonly clock: Pick<Clock, "nowMs" | "after">;
  readonly randomness: Pick<Randomness, "bytes">;
  /** Whether the server is a sandbox, whose accounts have a password that everybody knows; false by default. */
  readonly isSandbox?: boolean;
}

/** Sessions. Each method rejects as the store and `Passwords` do. */
export class Sessions {
  readonly #options: SessionOptions;
  readonly #uses: SessionUses;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#uses = new SessionUses(options);
  }

  /** Begins a session for an owner. Undefined if their password has changed in the meantime. */
  async begin({ accountId, passwordHash }: Omit<Owner, "email">, origin: SessionOrigin = {}): Promise<StartedSession | undefined> {
    const { store, clock, randomness } = this.#options;
    const token = generateToken(randomness);
    const expiresAtMs = clock.nowMs() + LIFETIME_MS;
    const started = await store.beginSession({ ...origin, tokenHash: hashSecret(token), accountId, passwordHash, expiresAtMs });
    return started ? { accountId, token, expiresAtMs } : undefined;
  }

  /**
   * Begins a session or, if signing in requires a code, a challenge. Undefined if the address or the password is wrong, after the same time
   * in both cases.
   */
  async signIn(
    email: string,
    password: string,
    { priority, ...origin }: SessionOrigin & { readonly priority?: HashPriority } = {},
  ): Promise<StartedSession | StartedChallenge | undefined> {
    const { store, passwords, isSandbox } = this.#options;
    // Another server may use a copy of a sandbox's database, so it refuses the password that everybody knows.
    const isRefused = isSandbox !== true && isSandboxPassword(password);
    const owner = isRefused ? undefined : await store.findOwner(email.toLowerCase());
    const isMatch = await passwords.matches(password, owner?.passwordHash, priority);
    if (owner === undefined || !isMatch) {
      return undefined;
    }
    return this.beginOrChallenge(owner, origin);
  }

  /** Begins a session for an owner who has proved who they are or, if signing in requires a code, a challenge. Undefined as for `begin`. */
  async beginOrChallenge(owner: Owner, origin: SessionOrigin): Promise<StartedSession | StartedChallenge | undefined> {
    const isTwoFactorOn = (await this.#options.store.findTwoFactor(owner.accountId))?.onSinceMs !== undefined;
    return isTwoFactorOn ? this.#challenge(owner) : this.begin(owner, origin);
  }

  async #challenge({ accountId, passwordHash }: Owner): Promise<StartedChallenge | undefined> {
    const { store, clock, randomness } = this.#options;
    const challenge = generateToken(randomness);
    const expiresAtMs = clock.nowMs() + CHALLENGE_LIFETIME_MS;
    const isStarted = await store.addChallenge({ tokenHash: hashSecret(challenge), accountId, passwordHash, expiresAtMs });
    return isStarted ? { accountId, challenge } : undefined;
  }

  /**
   * Completes a challenge: begins the session if the code is right. The audit trail names the actor of `store`. Undefined if the challenge
   * or the code was already used, or has expired.
   */
  async complete(
    { accountId, challenge }: StartedChallenge,
    code: UsedCode,
    origin: SessionOrigin,
    store: AdminStore = this.#options.store,
  ): Promise<StartedSession | undefined> {
    const { clock, randomness } = this.#options;
    const token = generateToken(randomness);
    const expiresAtMs = clock.nowMs() + LIFETIME_MS;
    const session = { ...origin, tokenHash: hashSecret(token), expiresAtMs };
    return (await store.completeChallenge(hashSecret(challenge), code, session)) ? { accountId, token, expiresAtMs } : undefined;
  }

  /** Begins a session for an owner who has signed in with a passkey. Undefined if the passkey was removed or used in the meantime. */
  async beginWithPasskey({ passkey, counter }: VerifiedPasskey, origin: SessionOrigin): Promise<StartedSession | undefined> {
    const { store, clock, randomness } = this.#options;
    const token = generateToken(randomness);
    const expiresAtMs = clock.nowMs() + LIFETIME_MS;
    const session = { ...origin, tokenHash: hashSecret(token), expiresAtMs };
    const isStarted = await store.beginPasskeySession(passkey, counter, session);
    return isStarted ? { accountId: passkey.accountId, token, expiresAtMs } : undefined;
  }

  /** The session and its account; undefined if there is no session or it has ended. Using a session extends it, at most once an hour. */
  async find(token: string): Promise<FoundSession | undefined> {
    const { store, clock } = this.#options;
    const tokenHash = hashSecret(token);
    const session = await store.findSession(tokenHash);
    const expiresAtMs = clock.nowMs() + LIFETIME_MS;
    if (session !== undefined) {
      this.#uses.record(tokenHash);
    }
    if (session === undefined || expiresAtMs - session.expiresAtMs < HOUR_MS) {
      return session;
    }
    await store.prolongSession(tokenHash, expiresAtMs);
    return { ...session, expiresAtMs };
  }

  /**
   * Changes the password of an account's owner, and ends their other sessions. The audit trail names the actor of `store`. False if the
   * current password is wrong. Rejects with a Failure if the new one is easy to guess.
   */
  async changePassword(
    accountId: string,
    token: string,
    { from, to, priorityOf }: { readonly from: string; readonly to: string; readonly priorityOf: PriorityOf },
    store: AdminStore = this.#options.store,
  ): Promise<boolean> {
    const { passwords } = this.#options;
    const owner = await store.findOwnerOf(accountId);
    if (owner === undefined || !(await passwords.matches(from, owner.passwordHash, priorityOf(owner.email)))) {
      return false;
    }
    requireGoodPassword("new_password", to, owner.email);
    const hash = await passwords.hash(to, priorityOf(owner.email));
    const hashes = { from: owner.passwordHash, to: hash, currentTokenHash: hashSecret(token) };
    return store.changeOwnerPassword(accountId, hashes);
  }

  /** Whether the password is that of the account's owner. */
  async confirms(accountId: string, password: string, priorityOf: PriorityOf): Promise<boolean> {
    const { store, passwords } = this.#options;
    const owner = await store.findOwnerOf(accountId);
    return passwords.matches(password, owner?.passwordHash, priorityOf(owner?.email ?? ""));
  }

  /** The sessions of an account's owner, newest first. `token` is that of the current one. */
  async list(accountId: string, token: string): Promise<readonly ShownSession[]> {
    const currentHash = hashSecret(token);
    return (await this.#options.store.listSessions(accountId)).map(({ tokenHash, accountId: _, ...session }) => ({
      ...session,
      id: sessionId(tokenHash),
      lastUsedAtMs: Math.max(session.lastUsedAtMs, this.#uses.unwritten(tokenHash) ?? 0),
      isCurrent: tokenHash === currentHash,
    }));
  }

  /** Ends a session, if there is one. */
  end(token: string): Promise<void> {
    return this.#options.store.endSession(hashSecret(token));
  }

  /** Ends a session of an account's owner. False if there is none with this id. */
  async endById(accountId: string, id: string): Promise<boolean> {
    const { store } = this.#options;
    const session = (await store.listSessions(accountId)).find(({ tokenHash }) => sessionId(tokenHash) === id.toLowerCase());
    if (session !== undefined) {
      await store.endSession(session.tokenHash);
    }
    return session !== undefined;
  }

  /** Ends all sessions of an account's owner except that of the token, and returns how many. */
  endOthers(accountId: string, token: string): Promise<number> {
    return this.#options.store.endOtherSessions(accountId, hashSecret(token));
  }

  /** Writes when sessions were last used. Never rejects. */
  close(): Promise<void> {
    return this.#uses.close();
  }
}

// A session's id comes from the hash of its token, so that it does not need a column and reveals nothing about the token. Version 8 of
// UUIDs is for custom formats. https://www.rfc-editor.org/rfc/rfc9562#section-5.8
function sessionId(tokenHash: string): string {
  const hex = createHash("sha256").update(`session ${tokenHash}`).digest("hex");
  const variant = ((Number.parseInt(hex[16] ?? "0", 16) & 3) | 8).toString(16);
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `${variant}${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}
