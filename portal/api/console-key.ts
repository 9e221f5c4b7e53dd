// The key with which the console and Explore call the data services. It is created with the session when it is first needed, lives 15
// minutes, and is held in memory only: never in storage, in a URL or in a log.

import { ACCOUNT_HEADER, type PageAccount } from "./page-account.ts";
import { faultOf } from "./reason.ts";

/** What a page may show of the key that the console calls with. */
type ConsoleKeyState =
  | { readonly kind: "none" }
  /** Created here. `endsAtMs` is by the clock that was passed in. */
  | { readonly kind: "created"; readonly lastFour: string; readonly endsAtMs: number }
  /** Pasted by the customer. */
  | { readonly kind: "own"; readonly lastFour: string };

/** Stands in for a reason if nothing responded, or if something other than this server did. */
export const UNREACHABLE = "UNREACHABLE";

/** Says in the server's words why no key could be created. */
export class ConsoleKeyError extends Error {
  /** One of the server's reasons, such as `SESSION_INVALID`; `UNREACHABLE` if this server did not respond. */
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.name = "ConsoleKeyError";
    this.reason = reason;
  }
}

/** Whether this reason means that the key has expired or was revoked, so that a retry needs another key. */
export const isKeyFault = (reason: string | undefined): boolean => faultOf(reason) === "key";

/** The one key of a page. */
export interface ConsoleKeys {
  /** Returns the key to call with. Creates one if there is none, or if it expires within a minute. Rejects with a ConsoleKeyError. */
  get(): Promise<string>;
  readonly state: ConsoleKeyState;
  /** From now on uses the customer's own key; with undefined, returns to keys that are created here. */
  useOwn(secret: string | undefined): void;
  /**
   * Drops a key that the server has refused, so that the next `get` creates another. A pasted key stays, because only the customer can
   * replace it.
   */
  discard(secret: string): void;
  /** Forgets every key and revokes the one that was created here; resolves when that is done. For signing out and leaving the account. */
  forget(): Promise<void>;
  /**
   * Forgets every key without revoking it: the one created here was never shown and expires soon, and a revocation would go to every
   * server.
   */
  leave(): void;
  /** Calls `listener` whenever `state` changes. Returns a function that removes the listener. */
  subscribe(listener: () => void): () => void;
}

interface ConsoleKeysOptions {
  /** The account that the key belongs to. If the page does not know it, it is requested from the server. */
  readonly account: Pick<PageAccount, "known" | "set">;
  /** Sends to this page's own server, with the session's cookie. */
  readonly fetch: (path: string, init: RequestInit) => Promise<Response>;
  readonly nowMs: () => number;
}

interface PageKey {
  readonly account: string;
  readonly id: string;
  readonly secret: string;
  readonly endsAtMs: number;
}

const LIFETIME_MS = 15 * 60_000;
// The key of a call that begins now should still be valid when the call is admitted.
const RENEW_BEFORE_MS = 60_000;
const PACKAGE = "/quintet.account.v1";

interface CreatedKey {
  readonly key: { readonly id: string; readonly createdAt: string; readonly expiresAt: string };
  readonly secret: string;
}

interface FoundAccount {
  readonly account: { readonly id: string };
}

interface ConnectFailure {
  readonly message?: string;
  readonly details?: readonly { readonly type: string; readonly debug?: { readonly reason?: string } }[];
}

/** Keeps the key of one page. */
export function createConsoleKeys({ account, fetch, nowMs }: ConsoleKeysOptions): ConsoleKeys {
  let own: string | undefined;
  let created: PageKey | undefined;
  let making: Promise<string> | undefined;
  // A key that arrives after all keys were forgotten must not be kept.
  let generation = 0;
  const listeners = new Set<() => void>();

  const post = (accountId: string | undefined, method: string, message: object, init: RequestInit = {}): Promise<Response> =>
    fetch(`${PACKAGE}.${method}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(accountId !== undefined && { [ACCOUNT_HEADER]: accountId }) },
      body: JSON.stringify(message),
      ...init,
    });

  const findAccount = async (): Promise<string> => {
    const { id } = (await resultOf<FoundAccount>(post(undefined, "AccountService/GetAccount", {}))).account;
    account.set(id);
    return id;
  };

  // With `keepalive`, the request is sent even if the page is being closed.
  const revoke = async (accountId: string, keyId: string): Promise<void> => {
    await post(accountId, "KeyService/RevokeKey", { keyId }, { keepalive: true }).catch(() => {
      // The key expires within 15 minutes anyway.
    });
  };

  const changed = (): void => {
    for (const listener of listeners) {
      listener();
    }
  };

  const drop = (): void => {
    generation += 1;
    making = undefined;
    own = undefined;
    created = undefined;
    changed();
  };

  async function make(): Promise<string> {
    const ownGeneration = generation;
    const accountId = account.known ?? (await findAccount());
    const beginMs = nowMs();
    const { key, secret } = await create((message) => post(accountId, "KeyService/CreateKey", message), beginMs);
    const endsAtMs = beginMs + Date.parse(key.expiresAt) - Date.parse(key.createdAt);
    if (ownGeneration !== generation) {
      void revoke(accountId, key.id);
      throw new ConsoleKeyError("SIGNED_OUT", "The key arrived after it was no longer needed, so it is revoked.");
    }
    created = { account: accountId, id: key.id, secret, endsAtMs };
    changed();
    return secret;
  }

  return {
    async get() {
      if (own !== undefined) {
        return own;
      }
      if (created !== undefined && created.endsAtMs - nowMs() > RENEW_BEFORE_MS) {
        return created.secret;
      }
      if (making === undefined) {
        const started = make().finally(() => {
          making = making === started ? undefined : making;
        });
        making = started;
      }
      return making;
    },
    get state(): ConsoleKeyState {
      const secret = own ?? created?.secret;
      if (secret === undefined) {
        return { kind: "none" };
      }
      const lastFour = secret.slice(-4);
      return own === undefined && created !== undefined
        ? { kind: "created", lastFour, endsAtMs: created.endsAtMs }
        : { kind: "own", lastFour };
    },
    useOwn(secret) {
      own = secret;
      changed();
    },
    discard(secret) {
      if (created?.secret === secret) {
        created = undefined;
        changed();
      }
    },
    leave() {
      drop();
    },
    async forget() {
      const last = created;
      drop();
      if (last !== undefined) {
        await revoke(last.account, last.id);
      }
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

// If this machine's clock is so wrong that the server refuses the expiry time, tries once more with the time of the server's response.
async function create(post: (message: object) => Promise<Response>, nowMs: number): Promise<CreatedKey> {
  const ask = (fromMs: number): Promise<Response> =>
    post({ name: "Console", expiresAt: new Date(fromMs + LIFETIME_MS).toISOString() });
  const responding = ask(nowMs).then((response) => {
    const serverMs = Date.parse(response.headers.get("date") ?? "");
    return response.status === 400 && Math.abs(serverMs - nowMs) > RENEW_BEFORE_MS ? ask(serverMs) : response;
  });
  return await resultOf<CreatedKey>(responding);
}

async function resultOf<Result>(responding: Promise<Response>): Promise<Result> {
  try {
    const response = await responding;
    if (!response.ok) {
      throw failureOf((await response.json()) as ConnectFailure);
    }
    return (await response.json()) as Result;
  } catch (error) {
    throw error instanceof ConsoleKeyError
      ? error
      : new ConsoleKeyError(UNREACHABLE, "The server could not be reached to create a key.");
  }
}

function failureOf({ message = "The server did not create a key.", details = [] }: ConnectFailure): ConsoleKeyError {
  const reason = details.find(({ type }) => type === "google.rpc.ErrorInfo")?.debug?.reason ?? UNREACHABLE;
  return new ConsoleKeyError(reason, message);
}
