// The key that the console and Explore call the data services with. It is made with the session when it is first needed, lives 15 minutes, and is
// held in memory alone: never in storage, in an address or in what is printed.

/** What is known of the key that is called with. */
type ConsoleKeyState =
  | { readonly kind: "none" }
  /** Made here; `endsAtMs` by the clock that was handed in. */
  | { readonly kind: "made"; readonly lastFour: string; readonly endsAtMs: number }
  /** Pasted by the customer. */
  | { readonly kind: "own"; readonly lastFour: string };

/** Why no key could be made, in the server's words. */
export class ConsoleKeyError extends Error {
  /** A reason of the server's list, such as `SESSION_INVALID`; `UNREACHABLE` where the server could not be asked. */
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.name = "ConsoleKeyError";
    this.reason = reason;
  }
}

const GONE_REASONS: readonly (string | undefined)[] = ["KEY_INVALID", "KEY_EXPIRED", "KEY_REVOKED"];

/** Whether a call failed with this reason because its key has ended or was revoked: then it is not worth another try. */
export const isKeyGone = (reason: string | undefined): boolean => GONE_REASONS.includes(reason);

/** The one key of a page. */
export interface ConsoleKeys {
  /** The key to call with. Makes one where there is none, or where it ends within a minute. Rejects with a ConsoleKeyError. */
  get(): Promise<string>;
  readonly state: ConsoleKeyState;
  /** Calls with the customer's own key from now on; with undefined, with one that is made here again. */
  useOwn(secret: string | undefined): void;
  /** The server has refused this key: the next `get` makes another. An own key stays, because only its owner can mend it. */
  discard(secret: string): void;
  /** Forgets every key, and revokes the one that was made here: resolves when that is answered. For signing out and leaving the page. */
  forget(): Promise<void>;
  /** Tells of each change of `state`. Returns what ends that. */
  subscribe(listener: () => void): () => void;
}

/** What it works with. */
export interface ConsoleKeyDependencies {
  /** Sends to this page's own server, with the session's cookie. */
  readonly fetch: (path: string, init: RequestInit) => Promise<Response>;
  readonly nowMs: () => number;
}

interface MadeKey {
  readonly id: string;
  readonly secret: string;
  readonly endsAtMs: number;
}

const LIFETIME_MS = 15 * 60_000;
// A call that begins now should find its key alive when it is admitted.
const RENEW_BEFORE_MS = 60_000;
const SERVICE = "/quintet.account.v1.AccountService";

interface CreateKeyAnswer {
  readonly key: { readonly id: string; readonly createdAt: string; readonly expiresAt: string };
  readonly secret: string;
}

interface ConnectFailure {
  readonly message?: string;
  readonly details?: readonly { readonly type: string; readonly debug?: { readonly reason?: string } }[];
}

/** Keeps the key of one page. */
export function createConsoleKeys({ fetch, nowMs }: ConsoleKeyDependencies): ConsoleKeys {
  let own: string | undefined;
  let made: MadeKey | undefined;
  let making: Promise<string> | undefined;
  // A key that arrives after all were forgotten must not be kept.
  let generation = 0;
  const listeners = new Set<() => void>();

  const post = (method: string, message: object, init: RequestInit = {}): Promise<Response> =>
    fetch(`${SERVICE}/${method}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(message),
      ...init,
    });

  // `keepalive` lets it arrive though the page is being closed.
  const revoke = async (keyId: string): Promise<void> => {
    await post("RevokeKey", { keyId }, { keepalive: true }).catch(() => {
      // It ends by itself within a quarter of an hour.
    });
  };

  const changed = (): void => {
    for (const listener of listeners) {
      listener();
    }
  };

  async function make(): Promise<string> {
    const mine = generation;
    const beginMs = nowMs();
    const { key, secret } = await create(post, beginMs);
    const endsAtMs = beginMs + Date.parse(key.expiresAt) - Date.parse(key.createdAt);
    if (mine !== generation) {
      void revoke(key.id);
      throw new ConsoleKeyError("SIGNED_OUT", "The key was made after it was no longer wanted, and is revoked.");
    }
    made = { id: key.id, secret, endsAtMs };
    changed();
    return secret;
  }

  return {
    async get() {
      if (own !== undefined) {
        return own;
      }
      if (made !== undefined && made.endsAtMs - nowMs() > RENEW_BEFORE_MS) {
        return made.secret;
      }
      if (making === undefined) {
        const begun = make().finally(() => {
          making = making === begun ? undefined : making;
        });
        making = begun;
      }
      return making;
    },
    get state(): ConsoleKeyState {
      const secret = own ?? made?.secret;
      if (secret === undefined) {
        return { kind: "none" };
      }
      const lastFour = secret.slice(-4);
      return own === undefined && made !== undefined
        ? { kind: "made", lastFour, endsAtMs: made.endsAtMs }
        : { kind: "own", lastFour };
    },
    useOwn(secret) {
      own = secret;
      changed();
    },
    discard(secret) {
      if (made?.secret === secret) {
        made = undefined;
        changed();
      }
    },
    async forget() {
      const last = made;
      generation += 1;
      making = undefined;
      own = undefined;
      made = undefined;
      changed();
      if (last !== undefined) {
        await revoke(last.id);
      }
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

// Where this machine's clock is so wrong that the server refuses the moment, it is asked again by the clock that its answer shows.
async function create(post: (method: string, message: object) => Promise<Response>, nowMs: number): Promise<CreateKeyAnswer> {
  const ask = (fromMs: number): Promise<Response> =>
    post("CreateKey", { name: "Console", expiresAt: new Date(fromMs + LIFETIME_MS).toISOString() });
  try {
    let response = await ask(nowMs);
    const serverMs = Date.parse(response.headers.get("date") ?? "");
    if (response.status === 400 && Math.abs(serverMs - nowMs) > RENEW_BEFORE_MS) {
      response = await ask(serverMs);
    }
    if (!response.ok) {
      throw failureOf((await response.json()) as ConnectFailure);
    }
    return (await response.json()) as CreateKeyAnswer;
  } catch (error) {
    throw error instanceof ConsoleKeyError ? error : new ConsoleKeyError("UNREACHABLE", "The server could not be asked for a key.");
  }
}

function failureOf({ message = "The server made no key.", details = [] }: ConnectFailure): ConsoleKeyError {
  const reason = details.find(({ type }) => type === "google.rpc.ErrorInfo")?.debug?.reason ?? "INTERNAL";
  return new ConsoleKeyError(reason, message);
}
