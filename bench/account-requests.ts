// The largest request of each method of the account services, and whose session it needs.
import type { JsonObject } from "@bufbuild/protobuf";

/** What the bench has prepared. */
export interface PreparedThings {
  readonly password: string;
  readonly ownerEmail: string;
  readonly ownerId: string;
  readonly keyIds: readonly string[];
  /** Sessions of the owner that may end. */
  readonly sessionIds: readonly string[];
  readonly subscriptionId: string;
  /** The account of the newcomer who makes this call. */
  readonly fromDay: string;
  readonly toDay: string;
}

export interface SampleRequest {
  /** Whose session is used. A newcomer's account may be deleted, and its session may end. */
  readonly caller: "nobody" | "owner" | "operator" | "newcomer";
  /** The input of the call of this number, from 0. */
  readonly input: (things: PreparedThings, call: number) => JsonObject;
  /** How the call is meant to fail, if it cannot succeed: it needs the token of an e-mail. */
  readonly fails?: string;
}

const request = (caller: SampleRequest["caller"], input: SampleRequest["input"] = () => ({}), fails?: string): SampleRequest =>
  fails === undefined ? { caller, input } : { caller, input, fails };

const key = ({ keyIds }: PreparedThings, call: number): string => keyIds[call] ?? "";
const oneYear = ({ fromDay, toDay }: PreparedThings) => ({ fromDay, toDay, limit: 1000 });
const ofOwner = ({ ownerId: accountId }: PreparedThings) => ({ accountId });
const ofSubscription = ({ subscriptionId }: PreparedThings) => ({ subscriptionId });
const NEXT_PASSWORD = "six honest dice, thrown by hand";

/** By service and method, in the order in which they are called. */
export const ACCOUNT_REQUESTS: ReadonlyMap<string, SampleRequest> = new Map([
  ["SignInService/SignUp", request("nobody", ({ password }, call) => ({ email: `another-${call}@bench.example`, password }))],
  ["SignInService/SignIn", request("nobody", ({ ownerEmail: email, password }) => ({ email, password }))],
  ["SignInService/RequestPasswordReset", request("nobody", ({ ownerEmail: email }) => ({ email }), "sends no mail")],
  ["SignInService/ResetPassword", request("nobody", () => ({ token: "nobody's", newPassword: NEXT_PASSWORD }), "token")],
  ["SignInService/VerifyEmail", request("nobody", () => ({ token: "nobody's", password: NEXT_PASSWORD }), "token")],
  ["AccountService/GetAccount", request("owner")],
  ["KeyService/ListKeys", request("owner")],
  ["KeyService/CreateKey", request("owner")],
  ["KeyService/UpdateKey", request("owner", (things, call) => ({ keyId: key(things, call), name: `name ${call}` }))],
  ["KeyService/RotateKey", request("owner", (things, call) => ({ keyId: key(things, call) }))],
  ["KeyService/RevokeKey", request("owner", (things, call) => ({ keyId: key(things, 10 + call) }))],
  ["StatusService/ListPlans", request("nobody")],
  ["AccountService/ListSubscriptions", request("owner", () => ({ includeCancelled: true }))],
  [
    "AccountService/SetSubscription",
    request("owner", (_, call) => ({ service: "radio", plan: call % 2 === 0 ? "narrow" : "bench" })),
  ],
  ["AccountService/CancelSubscription", request("newcomer", () => ({ service: "radio" }))],
  [
    "UsageService/GetUsage",
    request("owner", (things) => ({
      ...oneYear(things),
      groupBy: ["USAGE_DIMENSION_DAY", "USAGE_DIMENSION_METHOD", "USAGE_DIMENSION_OUTCOME", "USAGE_DIMENSION_KEY"],
    })),
  ],
  ["UsageService/WatchCalls", request("owner")],
  ["ProfileService/GetProfile", request("owner")],
  ["ProfileService/EndSessions", request("owner", ({ sessionIds }, call) => ({ sessionId: sessionIds[call] ?? "" }))],
  ["ProfileService/SendVerification", request("owner", () => ({}), "sends no mail")],
  [
    "ProfileService/ChangePassword",
    request("newcomer", ({ password: currentPassword }) => ({ currentPassword, newPassword: NEXT_PASSWORD })),
  ],
  ["ProfileService/DeleteAccount", request("newcomer", ({ password }) => ({ password }))],
  ["OperatorService/ListAccounts", request("operator", () => ({ limit: 100 }))],
  ["OperatorService/GetAccount", request("operator", ofOwner)],
  [
    "OperatorService/GetUsage",
    request("operator", (things) => ({ ...ofOwner(things), fromDay: things.fromDay, toDay: things.toDay })),
  ],
  ["OperatorService/UpdateAccount", request("operator", (things, call) => ({ ...ofOwner(things), suspended: call % 2 === 0 }))],
  ["OperatorService/ListWaitingSubscriptions", request("operator", () => ({ limit: 100 }))],
  [
    "OperatorService/DecideSubscription",
    request("operator", (things) => ({ ...ofSubscription(things), decision: "SUBSCRIPTION_DECISION_ACTIVATE", plan: "bench" })),
  ],
  ["OperatorService/GetUsage", request("operator", ({ fromDay, toDay }) => ({ fromDay, toDay, limit: 100 }))],
  ["OperatorService/GetServerState", request("operator")],
  ["OperatorService/ListAuditEntries", request("operator", () => ({ limit: 100 }))],
]);
