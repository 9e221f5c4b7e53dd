// Whose account this page shows. Each call that needs a session names that account, because the tabs of a browser share one session: once
// another tab has signed in as somebody else, the server refuses the call.
import type { Interceptor } from "@connectrpc/connect";
import type { GetAccountResponse } from "../../gen/quintet/account/v1/account_pb.js";

/** The header that names the account of a call. */
export const ACCOUNT_HEADER = "x-quintet-account";

/** The account that this page shows. */
export class PageAccount {
  #id: string | undefined;
  #former: string | undefined;
  #ask: () => Promise<string> = () => Promise.reject(new Error("askBy has not been called yet"));

  /** The account's id; undefined before it is known, and once the session is over. */
  get known(): string | undefined {
    return this.#id;
  }

  /** Sets the function that requests from the server whose session this is. */
  askBy(ask: () => Promise<string>): void {
    this.#ask = ask;
  }

  /** The account's id. If it is not known, requests it from the server; rejects as that call does. */
  async id(): Promise<string> {
    return this.#id ?? (await this.#ask());
  }

  /** The page shows this account from now on. */
  set(id: string): void {
    this.#id = id;
  }

  lose(): void {
    this.#former = this.#id ?? this.#former;
    this.#id = undefined;
  }

  /** Whether the account may continue on the page where the last session ended: true for the same account, or if there was none. */
  mayContinue(id: string): boolean {
    return this.#former === undefined || this.#former === id;
  }
}

/** The one instance of this page. */
export const pageAccount = new PageAccount();

// By name, because the pages of Explore do not load these services' descriptors.
const SERVICES: ReadonlySet<string> = new Set(["quintet.account.v1.AccountService", "quintet.operator.v1.OperatorService"]);
const GET_ACCOUNT = "quintet.account.v1.AccountService.GetAccount";
const PUBLIC = "ListPlans";

/** Names the page's account in each call that needs a session. The other calls wait until GetAccount has returned it. */
export const namesAccount =
  (account: PageAccount): Interceptor =>
  (next) =>
  async (request) => {
    const { method, header } = request;
    if (!SERVICES.has(method.parent.typeName) || method.name === PUBLIC) {
      return next(request);
    }
    if (`${method.parent.typeName}.${method.name}` !== GET_ACCOUNT) {
      header.set(ACCOUNT_HEADER, await account.id());
      return next(request);
    }
    if (account.known !== undefined) {
      header.set(ACCOUNT_HEADER, account.known);
    }
    const response = await next(request);
    const id = (response.message as GetAccountResponse).account?.id;
    if (id !== undefined) {
      account.set(id);
    }
    return response;
  };
