// Passwords and sessions: the library that knows how, on our store, behind the few words that the rest needs. Loaded when it is
// first needed: it takes some 300 ms and 40 MB, which a gateway whose customers only call need not spend.
import type { OwnerStore } from "../store/owner-store.ts";
import { StoreUnavailable } from "../store/store.ts";
import type { SignedIn } from "./visitor.ts";

const DAY_S = 86_400;

// The contract's 128 characters, which the library counts in UTF-16 code units: two for many of them.
const PASSWORD_UNITS_MAX = 2 * 128;

/** How long a session lasts without use, in seconds. */
const SESSION_SECONDS = 7 * DAY_S;

/** A session that has begun. */
export interface BegunSession {
  /** 32 letters and digits. */
  readonly token: string;
  readonly expiresAtMs: number;
}

/** Whose a session is. */
export interface KnownSession {
  readonly accountId: string;
  readonly expiresAtMs: number;
}

/** Passwords and sessions. Each method rejects as the store does. */
export interface Sessions {
  /** A password's scrypt hash, with its salt. Takes some 50 ms of another thread's time. */
  hash(password: string): Promise<string>;
  /** Begins a session of an account that has an owner. */
  begin(accountId: string): Promise<BegunSession>;
  /** Begins a session. Undefined when the address or the password is wrong, after the same time in either case. */
  signIn(email: string, password: string): Promise<(BegunSession & { readonly accountId: string }) | undefined>;
  /** Whose session this is; undefined when there is none, or it is over. Use prolongs it, once a day at most. */
  find(token: string): Promise<KnownSession | undefined>;
  /** Changes the password of a session's owner, and ends their other sessions. False when the current one is wrong. */
  changePassword(session: SignedIn, current: string, next: string): Promise<boolean>;
  /** Ends a session. */
  end(token: string): Promise<void>;
}

/** Loads the library. `secret` is 32 bytes or more: it signs what only this process reads. */
export async function openSessions(store: OwnerStore, secret: string): Promise<Sessions> {
  const [{ betterAuth }, { APIError }, { bearer }, { createSessionRows, tokenHash }] = await Promise.all([
    import("better-auth/minimal"),
    import("better-auth/api"),
    import("better-auth/plugins"),
    import("./session-rows.ts"),
  ]);
  const times = { createdAt: "created_at", updatedAt: "updated_at" };
  const auth = betterAuth({
    database: createSessionRows(store),
    secret,
    // It makes no links and compares no origins: nothing reaches it over HTTP.
    baseURL: "http://localhost",
    telemetry: { enabled: false },
    logger: { disabled: true },
    plugins: [bearer()],
    emailAndPassword: { enabled: true, disableSignUp: true, maxPasswordLength: PASSWORD_UNITS_MAX },
    user: { modelName: "owners", fields: { emailVerified: "email_verified", ...times } },
    session: {
      modelName: "owner_sessions",
      fields: {
        userId: "owner_id",
        token: "token_hash",
        expiresAt: "expires_at",
        ipAddress: "ip_address",
        userAgent: "user_agent",
        ...times,
      },
      expiresIn: SESSION_SECONDS,
      updateAge: DAY_S,
      freshAge: 0,
    },
    account: {
      modelName: "owner_credentials",
      fields: { userId: "owner_id", providerId: "provider_id", accountId: "provider_account_id", ...times },
    },
  });
  const { password, internalAdapter } = await auth.$context;
  const bearing = (token: string): Headers => new Headers({ authorization: `Bearer ${token}` });
  const begun = ({ token, expiresAt }: { token: string; expiresAt: Date }): BegunSession => ({
    token,
    expiresAtMs: expiresAt.getTime(),
  });
  // What the library says to a caller is an error with a status, and what the store said is inside another.
  const unless = async <Answer>(statuses: readonly string[], work: () => Promise<Answer>): Promise<Answer | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof APIError && error.cause instanceof StoreUnavailable) {
        throw error.cause;
      }
      if (error instanceof APIError && statuses.includes(String(error.status))) {
        return undefined;
      }
      throw error;
    }
  };
  return {
    hash: (text) => password.hash(text),
    begin: async (accountId) => begun(await internalAdapter.createSession(accountId)),
    async signIn(email, text) {
      const body = { email, password: text };
      const known = await unless(["UNAUTHORIZED", "BAD_REQUEST"], () => auth.api.signInEmail({ body }));
      const found = known && (await internalAdapter.findSession(known.token));
      return found ? { ...begun(found.session), accountId: found.user.id } : undefined;
    },
    async find(token) {
      const found = await unless(["UNAUTHORIZED"], () => auth.api.getSession({ headers: bearing(token) }));
      return found ? { accountId: found.user.id, expiresAtMs: found.session.expiresAt.getTime() } : undefined;
    },
    // Step by step: the library's own way would look for the session again, and take a store that is silent for a session that is over.
    async changePassword({ accountId, token }, current, next) {
      const credential = await internalAdapter.findCredentialAccount(accountId);
      const hash = credential?.password;
      if (!(credential && hash && (await password.verify({ hash, password: current })))) {
        return false;
      }
      await internalAdapter.updateAccount(credential.id, { password: await password.hash(next) });
      await store.endOtherSessions(accountId, tokenHash(token));
      return true;
    },
    // Not the library's way either, which is as content when the store is silent.
    async end(token) {
      await store.deleteRows("owner_sessions", [{ column: "token_hash", operator: "=", value: tokenHash(token) }]);
    },
  };
}
