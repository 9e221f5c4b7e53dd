// Names the account that the page shows, or the user's own account, in each of the application's calls that needs a session.
import type { Interceptor } from "@connectrpc/connect";
import type { Account, GetAccountResponse } from "../../gen/quintet/account/v1/account_pb.js";
import { ACCOUNT_HEADER, type PageAccount } from "./page-account.ts";

const ACCOUNT = "quintet.account.v1.AccountService";
const OPERATOR = "quintet.operator.v1.OperatorService";
const PUBLIC_METHODS: ReadonlySet<string> = new Set(["ListPlans", "GetStatus"]);

/** The methods of AccountService that work on the user's own account, whichever account the page shows. */
export const OWN_ACCOUNT_METHODS: ReadonlySet<string> = new Set([
  "AcceptInvitation",
  "ListMemberships",
  "ChangePassword",
  "ChangeEmail",
  "GetTwoFactor",
  "BeginTwoFactor",
  "ConfirmTwoFactor",
  "EndTwoFactor",
  "ReplaceRecoveryCodes",
  "BeginPasskey",
  "CreatePasskey",
  "ListPasskeys",
  "UpdatePasskey",
  "DeletePasskey",
  "SignOut",
  "SendVerification",
  "ListSessions",
  "EndSession",
  "EndOtherSessions",
  "DeleteAccount",
]);

/**
 * Names the page's account in each call that needs a session. Such calls, except GetAccount itself, wait until GetAccount has returned the
 * account. `onOther` is called if the session now belongs to another person, who may have access to the same account.
 */
export const accountInterceptor =
  (account: PageAccount, onOther: () => void): Interceptor =>
  (next) =>
  async (request) => {
    const { method, header } = request;
    const isAccountMethod = method.parent.typeName === ACCOUNT;
    if ((!isAccountMethod && method.parent.typeName !== OPERATOR) || (isAccountMethod && PUBLIC_METHODS.has(method.name))) {
      return next(request);
    }
    if (!isAccountMethod || OWN_ACCOUNT_METHODS.has(method.name)) {
      header.set(ACCOUNT_HEADER, await account.ownId());
      return next(request);
    }
    if (method.name !== "GetAccount") {
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
