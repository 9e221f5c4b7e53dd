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
  readonly newcomersSubscriptionId: string;
  readonly fromDay: string;
  readonly toDay: string;
}

export interface Question {
  /** Whose session is used. A newcomer's account may be deleted, and its session may end. */
  readonly caller: "nobody" | "owner" | "operator" | "newcomer";
  /** The input of the call of this number, from 0. */
  readonly input: (things: PreparedThings, call: number) => JsonObject;
  /** How the call is meant to fail, if it cannot succeed: it needs the token of an e-mail. */
  readonly fails?: string;
}

const question = (caller: Question["caller"], input: Question["input"] = () => ({}), fails?: string): Question =>
  fails === undefined ? { caller, input } : { caller, input, fails };

const key = ({ keyIds }: PreparedThings, call: number): string => keyIds[call] ?? "";
const oneYear = ({ fromDay, toDay }: PreparedThings) => ({ fromDay, toDay, limit: 1000 });
const ofOwner = ({ ownerId: accountId }: PreparedThings) => ({ accountId });
const ofSubscription = ({ subscriptionId }: PreparedThings) => ({ subscriptionId });
const NEXT_PASSWORD = "six honest dice, thrown by hand";

/** By service and method, in the order in which they are called. */
export const ACCOUNT_QUESTIONS: ReadonlyMap<string, Question> = new Map([
  ["SignInService/SignUp", question("nobody", ({ password }, call) => ({ email: `another-${call}@bench.example`, password }))],
  ["SignInService/SignIn", question("nobody", ({ ownerEmail: email, password }) => ({ email, password }))],
  ["SignInService/RequestPasswordReset", question("nobody", ({ ownerEmail: email }) => ({ email }), "sends no mail")],
  ["SignInService/ResetPassword", question("nobody", () => ({ token: "nobody's", newPassword: NEXT_PASSWORD }), "token")],
  ["SignInService/VerifyEmail", question("nobody", () => ({ token: "nobody's", password: NEXT_PASSWORD }), "token")],
  ["AccountService/GetAccount", question("owner")],
  ["AccountService/ListKeys", question("owner")],
  ["AccountService/CreateKey", question("owner")],
  ["AccountService/UpdateKey", question("owner", (things, call) => ({ keyId: key(things, call), name: `name ${call}` }))],
  ["AccountService/RotateKey", question("owner", (things, call) => ({ keyId: key(things, call) }))],
  ["AccountService/RevokeKey", question("owner", (things, call) => ({ keyId: key(things, 10 + call) }))],
  ["AccountService/ListPlans", question("nobody")],
  ["AccountService/ListSubscriptions", question("owner", () => ({ includeCancelled: true }))],
  ["AccountService/CreateSubscription", question("newcomer", () => ({ service: "farkle", plan: "bench" }))],
  [
    "AccountService/RequestPlan",
    question("owner", (things, call) => ({ ...ofSubscription(things), plan: call % 2 === 0 ? "narrow" : "bench" })),
  ],
  [
    "AccountService/CancelSubscription",
    question("newcomer", ({ newcomersSubscriptionId: subscriptionId }) => ({ subscriptionId })),
  ],
  [
    "AccountService/GetUsage",
    question("owner", (things) => ({
      ...oneYear(things),
      groupBy: ["USAGE_DIMENSION_DAY", "USAGE_DIMENSION_METHOD", "USAGE_DIMENSION_OUTCOME", "USAGE_DIMENSION_KEY"],
    })),
  ],
  [
    "AccountService/ListRefusals",
    question("owner", (things) => ({ ...oneYear(things), groupBy: ["REFUSAL_DIMENSION_DAY", "REFUSAL_DIMENSION_KEY"] })),
  ],
  ["AccountService/WatchCalls", question("owner")],
  ["AccountService/ListSessions", question("owner")],
  ["AccountService/EndSession", question("owner", ({ sessionIds }, call) => ({ sessionId: sessionIds[call] ?? "" }))],
  ["AccountService/EndOtherSessions", question("owner")],
  ["AccountService/SendVerification", question("owner", () => ({}), "sends no mail")],
  [
    "AccountService/ChangePassword",
    question("newcomer", ({ password: currentPassword }) => ({ currentPassword, newPassword: NEXT_PASSWORD })),
  ],
  ["AccountService/SignOut", question("newcomer")],
  ["AccountService/DeleteAccount", question("newcomer", ({ password }) => ({ password }))],
  ["OperatorService/ListAccounts", question("operator", () => ({ limit: 100 }))],
  ["OperatorService/GetAccount", question("operator", ofOwner)],
  [
    "OperatorService/GetAccountUsage",
    question("operator", (things) => ({ ...ofOwner(things), fromDay: things.fromDay, toDay: things.toDay })),
  ],
  ["OperatorService/SuspendAccount", question("operator", ofOwner)],
  ["OperatorService/ResumeAccount", question("operator", ofOwner)],
  ["OperatorService/ListWaitingSubscriptions", question("operator", () => ({ limit: 100 }))],
  ["OperatorService/ActivateSubscription", question("operator", (things) => ({ ...ofSubscription(things), plan: "bench" }))],
  ["OperatorService/DeclineSubscription", question("operator", ofSubscription, "No plan of radio waits")],
  ["OperatorService/GetUsage", question("operator", ({ fromDay, toDay }) => ({ fromDay, toDay, limit: 100 }))],
  ["OperatorService/GetServerState", question("operator")],
  ["OperatorService/ListAuditEntries", question("operator", () => ({ limit: 100 }))],
]);
