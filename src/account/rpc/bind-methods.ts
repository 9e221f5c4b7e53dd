// Each method of the account services with its handler, and with how its caller is found out.
import type { DescMethod, DescMethodServerStreaming, DescService } from "@bufbuild/protobuf";
import { AccountService } from "../../../gen/quintet/account/v1/account_pb.js";
import { SignInService } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import { OperatorService } from "../../../gen/quintet/operator/v1/operator_pb.js";
import type { createAccountHandlers } from "./account-handlers.ts";
import { type AccountCaller, type BoundMethod, type BoundStream, bindMethod, bindStream } from "./bound-method.ts";
import type { SignedIn } from "./handlers.ts";
import type { createMailHandlers } from "./mail-handlers.ts";
import type { createOperatorHandlers } from "./operator-handlers.ts";
import type { createPlanHandlers } from "./plan-handlers.ts";
import type { AnonymousCaller, createSignInHandlers } from "./sign-in-handlers.ts";
import type { createWatchHandlers } from "./watch-handlers.ts";

/** Finds out whose session calls a method. Rejects with a Failure when there is none, or its account may not call it. */
export type Identify = (method: DescMethod) => (caller: AccountCaller) => Promise<SignedIn>;

type Methods<Desc extends DescService> = {
  readonly [Name in keyof Desc["method"]]: Desc["method"][Name] extends DescMethodServerStreaming ? BoundStream : BoundMethod;
};

/** AccountService's. */
export function accountMethods(
  accounts: ReturnType<typeof createAccountHandlers> &
    ReturnType<typeof createPlanHandlers> &
    ReturnType<typeof createWatchHandlers> &
    Pick<ReturnType<typeof createMailHandlers>, "sendVerification">,
  identify: Identify,
): Methods<typeof AccountService> {
  const { method } = AccountService;
  return {
    getAccount: bindMethod(method.getAccount, identify(method.getAccount), accounts.getAccount),
    listKeys: bindMethod(method.listKeys, identify(method.listKeys), accounts.listKeys),
    createKey: bindMethod(method.createKey, identify(method.createKey), accounts.createKey),
    updateKey: bindMethod(method.updateKey, identify(method.updateKey), accounts.updateKey),
    rotateKey: bindMethod(method.rotateKey, identify(method.rotateKey), accounts.rotateKey),
    revokeKey: bindMethod(method.revokeKey, identify(method.revokeKey), accounts.revokeKey),
    listSubscriptions: bindMethod(method.listSubscriptions, identify(method.listSubscriptions), accounts.listSubscriptions),
    createSubscription: bindMethod(method.createSubscription, identify(method.createSubscription), accounts.createSubscription),
    requestPlan: bindMethod(method.requestPlan, identify(method.requestPlan), accounts.requestPlan),
    cancelSubscription: bindMethod(method.cancelSubscription, identify(method.cancelSubscription), accounts.cancelSubscription),
    getUsage: bindMethod(method.getUsage, identify(method.getUsage), accounts.getUsage),
    listRefusals: bindMethod(method.listRefusals, identify(method.listRefusals), accounts.listRefusals),
    changePassword: bindMethod(method.changePassword, identify(method.changePassword), accounts.changePassword),
    sendVerification: bindMethod(method.sendVerification, identify(method.sendVerification), accounts.sendVerification),
    listSessions: bindMethod(method.listSessions, identify(method.listSessions), accounts.listSessions),
    endSession: bindMethod(method.endSession, identify(method.endSession), accounts.endSession),
    endOtherSessions: bindMethod(method.endOtherSessions, identify(method.endOtherSessions), accounts.endOtherSessions),
    deleteAccount: bindMethod(method.deleteAccount, identify(method.deleteAccount), accounts.deleteAccount),
    signOut: bindMethod(method.signOut, identify(method.signOut), accounts.signOut),
    listPlans: bindMethod(method.listPlans, () => undefined, accounts.listPlans),
    watchCalls: bindStream(method.watchCalls, identify(method.watchCalls), accounts.watchCalls),
  };
}

/** SignInService's. */
export function signInMethods(
  handlers: ReturnType<typeof createSignInHandlers> &
    Omit<ReturnType<typeof createMailHandlers>, "sendVerification" | "sendSignUp">,
): Methods<typeof SignInService> {
  const { method } = SignInService;
  const anonymous = ({ peer, userAgent }: AccountCaller): AnonymousCaller => ({ peer, userAgent });
  return {
    signUp: bindMethod(method.signUp, anonymous, handlers.signUp),
    signIn: bindMethod(method.signIn, anonymous, handlers.signIn),
    requestPasswordReset: bindMethod(method.requestPasswordReset, anonymous, handlers.requestPasswordReset),
    resetPassword: bindMethod(method.resetPassword, anonymous, handlers.resetPassword),
    verifyEmail: bindMethod(method.verifyEmail, anonymous, handlers.verifyEmail),
  };
}

/** OperatorService's. */
export function operatorMethods(
  handlers: ReturnType<typeof createOperatorHandlers>,
  identify: Identify,
): Methods<typeof OperatorService> {
  const { method } = OperatorService;
  return {
    listAccounts: bindMethod(method.listAccounts, identify(method.listAccounts), handlers.listAccounts),
    getAccount: bindMethod(method.getAccount, identify(method.getAccount), handlers.getAccount),
    getAccountUsage: bindMethod(method.getAccountUsage, identify(method.getAccountUsage), handlers.getAccountUsage),
    suspendAccount: bindMethod(method.suspendAccount, identify(method.suspendAccount), handlers.suspendAccount),
    resumeAccount: bindMethod(method.resumeAccount, identify(method.resumeAccount), handlers.resumeAccount),
    listWaitingSubscriptions: bindMethod(
      method.listWaitingSubscriptions,
      identify(method.listWaitingSubscriptions),
      handlers.listWaitingSubscriptions,
    ),
    activateSubscription: bindMethod(
      method.activateSubscription,
      identify(method.activateSubscription),
      handlers.activateSubscription,
    ),
    declineSubscription: bindMethod(method.declineSubscription, identify(method.declineSubscription), handlers.declineSubscription),
    getUsage: bindMethod(method.getUsage, identify(method.getUsage), handlers.getUsage),
    getServerState: bindMethod(method.getServerState, identify(method.getServerState), handlers.getServerState),
    listAuditEntries: bindMethod(method.listAuditEntries, identify(method.listAuditEntries), handlers.listAuditEntries),
  };
}
