// Whose account this page shows: the user's own, or one that they are a member of. Each call that needs a session names that account,
// because the tabs of a browser share one session: once another tab has signed in as somebody else, the server refuses the call.

/** The header that names the account of a call. */
export const ACCOUNT_HEADER = "x-quintet-account";

// Which other person's account this tab shows. It survives a reload, and is forgotten when the tab is closed or the session ends.
const SHARED = "shared-account";

/** The account that this page shows. */
export class PageAccount {
  #id: string | undefined;
  #former: string | undefined;
  #request: () => Promise<string> = () => Promise.reject(new Error("requestWith has not been called yet"));

  /** The id of the account that the page shows; undefined before it is known, and once the session is over. */
  get known(): string | undefined {
    return this.shared ?? this.#id;
  }

  /** The id of the user's own account; undefined before it is known, and once the session is over. */
  get own(): string | undefined {
    return this.#id;
  }

  /** The id of the account that the page shows, if it is somebody else's. */
  get shared(): string | undefined {
    try {
      return sessionStorage.getItem(SHARED) ?? undefined;
    } catch {
      // The browser forbids storage. Then only the user's own account is shown.
      return undefined;
    }
  }

  /** Shows another account from the next page on; undefined for the user's own. */
  show(id: string | undefined): void {
    if (id === undefined || id === this.#id) {
      sessionStorage.removeItem(SHARED);
    } else {
      sessionStorage.setItem(SHARED, id);
    }
  }

  /** Sets the function that asks the server whose session this is. */
  requestWith(request: () => Promise<string>): void {
    this.#request = request;
  }

  /** The id of the account that the page shows. If it is not known, requests it from the server, and rejects if that call fails. */
  async id(): Promise<string> {
    return this.shared ?? (await this.ownId());
  }

  /** The id of the user's own account, requested in the same way if it is not known. */
  async ownId(): Promise<string> {
    return this.#id ?? (await this.#request());
  }

  /** Sets the user's own account. */
  set(id: string): void {
    this.#id = id;
  }

  /** Forgets the user's own account, because the session has ended. `mayContinue` still compares with it. */
  lose(): void {
    this.#former = this.#id ?? this.#former;
    this.#id = undefined;
  }

  /**
   * Whether the user with this own account may continue on the page where the last session ended: true if that session was theirs, or if
   * there was none.
   */
  mayContinue(id: string): boolean {
    return this.#former === undefined || this.#former === id;
  }
}

/** The one instance of this page. */
export const pageAccount = new PageAccount();
