// Names the account that the page shows, or the user's own account, in each of the application's calls that needs a session.
import type { Interceptor } from "@connectrpc/connect";
import type { Account, GetAccountResponse } from "../../gen/quintet/account/v1/account_pb.js";
import { ACCOUNT_HEADER, type PageAccount } from "./page-account.ts";

const PACKAGE = "quintet.account.v1.";
const OPERATOR = "quintet.operator.v1.OperatorService";
const ACCOUNT_METHOD = "quintet.account.v1.AccountService/GetAccount";
/** Its methods work on the user's own account, whichever account the page shows. */
export const OWN_ACCOUNT_SERVICE = "quintet.account.v1.ProfileService";
const WITHOUT_SESSION: ReadonlySet<string> = new Set(["quintet.account.v1.StatusService", "quintet.account.v1.SignInService"]);

/**
 * Names the page's account in each call that needs a session. Such calls, except GetAccount itself, wait until GetAccount has returned the
 * account. `onOther` is called if the session now belongs to another person, who may have access to the same account.
 */
export const accountInterceptor =
  (account: PageAccount, onOther: () => void): Interceptor =>
  (next) =>
  async (request) => {
    const { method, header } = request;
    const service = method.parent.typeName;
    if (service !== OPERATOR && (!service.startsWith(PACKAGE) || WITHOUT_SESSION.has(service))) {
      return next(request);
    }
    if (service === OPERATOR || service === OWN_ACCOUNT_SERVICE) {
      header.set(ACCOUNT_HEADER, await account.ownId());
      return next(request);
    }
    if (`${service}/${method.name}` !== ACCOUNT_METHOD) {
      header.set(ACCOUNT_HEADER, await account.id());
      return next(request);
    }
    if (account.known !== undefined) {
      header.set(ACCOUNT_HEADER, account.known);
    }
    const response = await next(request);
    const own = ownAccountOf(response.message as GetAccountResponse)?.id;
    if (own !== undefined && account.own !== undefined && own !== account.own) {
      onOther();
    } else if (own !== undefined) {
      account.set(own);
    }
    return response;
  };

/** The user's own account. */
export const ownAccountOf = ({ account, signedIn }: GetAccountResponse): Account | undefined => signedIn ?? account;
