// Who may call which method of the account services, and how everybody else is refused. Anything that a request names is the owner's. A
// method that names nothing works on the caller's own account. A new method needs a row here.
import type { JsonObject } from "@bufbuild/protobuf";
import type { Reason } from "../../../src/problem/reason.ts";
import type { MemberRole } from "../../../src/store/owner-records.ts";
import { PASSWORD } from "./person.ts";

/** How a call ends. */
type Outcome = "OK" | Reason;

/** Who calls: somebody without a session, another customer, the account's owner, and an operator with their own account. */
export const CALLERS = ["nobody", "stranger", "owner", "operator"] as const;

/** One of them. */
export type CallerName = (typeof CALLERS)[number];

/** What the owner has. */
export interface OwnedThings {
  readonly accountId: string;
  readonly email: string;
  readonly keyId: string;
  readonly subscriptionId: string;
  readonly sessionId: string;
  readonly endpointId: string;
  readonly deliveryId: string;
  readonly memberId: string;
  readonly invitationId: string;
}

/** A method, its request, and the response to each caller. */
export interface AuthorisationRow {
  /** `AccountService/GetAccount` */
  readonly method: string;
  readonly input: (owned: OwnedThings) => JsonObject;
  readonly outcomes: Readonly<Record<CallerName, Outcome>>;
  /** How it ends for members whose role allows it, if not as for the owner. */
  readonly byMember?: Outcome;
  /** The role that the request needs, if it needs more than its method. */
  readonly role?: MemberRole;
}

const next = "six honest dice, thrown by hand";

const all = (outcome: Outcome) => ({ nobody: outcome, stranger: outcome, owner: outcome, operator: outcome });
const everybody = { nobody: "OK", stranger: "OK", owner: "OK", operator: "OK" } as const;
/** A method that works on the caller's own account. */
const ownAccount = { ...everybody, nobody: "SESSION_MISSING" } as const;
/** A method for accounts with two-factor authentication, or on servers that take cards. */
const offAlready = { ...all("FAILED_PRECONDITION"), nobody: "SESSION_MISSING" } as const;
/** A method for operators, who may call it for every account. */
const ofOperators = {
  nobody: "SESSION_MISSING",
  stranger: "OPERATOR_REQUIRED",
  owner: "OPERATOR_REQUIRED",
  operator: "OK",
} as const;
/** A method that names something that the owner has. */
const ownThing = { ...ownAccount, stranger: "NOT_FOUND", operator: "NOT_FOUND" } as const;

const row = (method: string, outcomes: AuthorisationRow["outcomes"], input: AuthorisationRow["input"] = () => ({})) => ({
  method,
  outcomes,
  input,
});
/** The primary owner cannot leave; members can. */
const forMembers = { ...all("FAILED_PRECONDITION"), nobody: "SESSION_MISSING" } as const;

/** All of them. */
export const AUTHORISATION: readonly AuthorisationRow[] = [
  row("SignInService/SignUp", everybody, () => ({ password: PASSWORD })),
  row("SignInService/SignIn", everybody, ({ email }) => ({ email, password: PASSWORD })),
  // Codes are tested in two-factor.test.ts. Here, nobody has turned two-factor authentication on.
  row("SignInService/SignIn", all("INVALID_ARGUMENT"), () => ({ challenge: "nobody's", code: "123456" })),
  // This server has no public address, and says so. Passkeys are tested in passkeys.test.ts.
  row("SignInService/BeginPasskeySignIn", all("FAILED_PRECONDITION")),
  row("SignInService/SignIn", all("FAILED_PRECONDITION"), () => ({ credential_json: "{}" })),
  // Providers are tested in test/account/rpc/provider-sign-in.test.ts. This server has none.
  row("SignInService/BeginProviderSignIn", all("FAILED_PRECONDITION"), () => ({ provider: "google" })),
  row("ProfileService/BeginPasskey", { ...all("FAILED_PRECONDITION"), nobody: "SESSION_MISSING" }, () => ({ password: PASSWORD })),
  row("ProfileService/CreatePasskey", { ...all("FAILED_PRECONDITION"), nobody: "SESSION_MISSING" }, () => ({
    credential_json: "{}",
  })),
  row("ProfileService/UpdatePasskey", { ...all("NOT_FOUND"), nobody: "SESSION_MISSING" }, () => ({
    passkey_id: "11111111-1111-4111-8111-111111111111",
    name: "phone",
  })),
  row("ProfileService/DeletePasskey", { ...all("NOT_FOUND"), nobody: "SESSION_MISSING" }, () => ({
    passkey_id: "11111111-1111-4111-8111-111111111111",
    password: PASSWORD,
  })),
  row("ProfileService/GetProfile", ownAccount),
  row("ProfileService/BeginTwoFactor", ownAccount, () => ({ password: PASSWORD })),
  row("ProfileService/ConfirmTwoFactor", offAlready, () => ({ code: "123456" })),
  row("ProfileService/EndTwoFactor", offAlready, () => ({ password: PASSWORD, code: "123456" })),
  row("ProfileService/ReplaceRecoveryCodes", offAlready, () => ({ password: PASSWORD, code: "123456" })),
  // This server sends no mail, and says so. The tokens of links are tested in mail.test.ts.
  row("SignInService/RequestPasswordReset", all("FAILED_PRECONDITION"), ({ email }) => ({ email })),
  row("SignInService/ResetPassword", all("INVALID_ARGUMENT"), () => ({ token: "nobody's", new_password: next })),
  row("SignInService/VerifyEmail", all("INVALID_ARGUMENT"), () => ({ token: "nobody's", password: next })),
  row("SignInService/GetInvitation", all("INVALID_ARGUMENT"), () => ({ token: "nobody's" })),
  row("ProfileService/SendVerification", { ...all("FAILED_PRECONDITION"), nobody: "SESSION_MISSING" }),
  row("StatusService/ListPlans", everybody),
  row("StatusService/GetStatus", everybody),
  row("AccountService/GetAccount", ownAccount),
  row("KeyService/ListKeys", ownAccount),
  row("KeyService/CreateKey", ownAccount),
  row("KeyService/UpdateKey", ownThing, ({ keyId: key_id }) => ({ key_id, disabled: true })),
  row("KeyService/RotateKey", ownThing, ({ keyId: key_id }) => ({ key_id })),
  row("KeyService/RevokeKey", ownThing, ({ keyId: key_id }) => ({ key_id })),
  row("AccountService/ListSubscriptions", ownAccount),
  row("AccountService/SetSubscription", ownAccount, () => ({ service: "radio", plan: "free" })),
  // Others have none.
  row("AccountService/CancelSubscription", ownThing, () => ({ service: "farkle" })),
  row("UsageService/GetUsage", ownAccount),
  // Returns nothing about a key that is not the caller's.
  row("UsageService/WatchCalls", ownAccount, ({ keyId: key_id }) => ({ key_id })),
  row("AccountService/ListActivity", ownAccount),
  row("AccountService/ListAlerts", ownAccount),
  row("AccountService/UpdateAccount", ownAccount, () => ({ settings: { logs_parameters: true } })),
  row("WebhookService/ListWebhookEndpoints", ownAccount),
  row("WebhookService/CreateWebhookEndpoint", ownAccount, () => ({ url: "https://hook.invalid/" })),
  row("WebhookService/UpdateWebhookEndpoint", ownThing, ({ endpointId: endpoint_id }) => ({ endpoint_id, description: "ours" })),
  row("WebhookService/RotateWebhookSecret", ownThing, ({ endpointId: endpoint_id }) => ({ endpoint_id })),
  row("WebhookService/SendWebhookDelivery", ownThing, ({ endpointId: endpoint_id }) => ({ endpoint_id })),
  row("WebhookService/ListWebhookDeliveries", ownThing, ({ endpointId: endpoint_id }) => ({ endpoint_id })),
  row("WebhookService/SendWebhookDelivery", ownThing, ({ deliveryId: delivery_id }) => ({ delivery_id })),
  row("WebhookService/DeleteWebhookEndpoint", ownThing, ({ endpointId: endpoint_id }) => ({ endpoint_id })),
  row("UsageService/ListCalls", ownAccount, ({ keyId: key_id }) => ({ key_id })),
  row("BillingService/CreateCheckout", offAlready, () => ({ service: "farkle", plan: "pro" })),
  row("BillingService/CreatePortalSession", offAlready),
  row("BillingService/PreviewChange", offAlready, () => ({ service: "farkle", plan: "pro" })),
  row("MemberService/ListMembers", ownAccount),
  row("MemberService/ChangeMemberRole", ownThing, ({ memberId: member_id }) => ({ member_id, role: "MEMBER_ROLE_READER" })),
  { ...row("MemberService/RemoveMember", ownThing, ({ memberId: member_id }) => ({ member_id })), role: "owner" },
  { ...row("MemberService/RemoveMember", forMembers, () => ({ member_id: "me" })), byMember: "OK" },
  row("MemberService/InviteMember", ownAccount, ({ accountId }) => ({
    ...{ email: `${accountId}@example.com`, role: "MEMBER_ROLE_OWNER", password: PASSWORD },
  })),
  row("MemberService/WithdrawInvitation", ownThing, ({ invitationId: invitation_id }) => ({ invitation_id })),
  // Tokens are tested in members.test.ts.
  row("ProfileService/AcceptInvitation", { ...all("INVALID_ARGUMENT"), nobody: "SESSION_MISSING" }, () => ({ token: "nobody's" })),
  row("ProfileService/ChangePassword", ownAccount, () => ({ current_password: PASSWORD, new_password: next })),
  // The wrong password, because the address is needed further on.
  row("ProfileService/ChangeEmail", { ...all("INVALID_ARGUMENT"), nobody: "SESSION_MISSING" }, () => ({
    new_email: "new@example.com",
    password: "wrong",
  })),
  row("ProfileService/EndSessions", ownThing, ({ sessionId: session_id }) => ({ session_id })),
  row("ProfileService/EndSessions", ownAccount, () => ({ others: true })),
  row("ProfileService/EndSessions", ownAccount, () => ({ current: true })),
  row("OperatorService/ListAccounts", ofOperators),
  row("OperatorService/GetAccount", ofOperators, ({ accountId: account_id }) => ({ account_id })),
  // Nobody has a key that ends like this, which only an operator can see.
  row("OperatorService/FindKeys", ofOperators, () => ({ last_four: "none" })),
  // The owner calls last, and is suspended by then.
  row("OperatorService/UpdateAccount", { ...ofOperators, owner: "ACCOUNT_SUSPENDED" }, ({ accountId: account_id }) => ({
    account_id,
    suspended: true,
  })),
  row("OperatorService/UpdateAccount", ofOperators, ({ accountId: account_id }) => ({ account_id, suspended: false })),
  // The account has neither two-factor authentication nor passkeys, which only an operator can see.
  row("OperatorService/ResetTwoFactor", { ...ofOperators, operator: "FAILED_PRECONDITION" }, ({ accountId: account_id }) => ({
    account_id,
  })),
  row("OperatorService/ListWaitingSubscriptions", ofOperators),
  row("OperatorService/DecideSubscription", ofOperators, ({ subscriptionId: subscription_id }) => ({
    subscription_id,
    decision: "activate",
    plan: "pro",
  })),
  // No plan is waiting, which only an operator can see.
  row("OperatorService/DecideSubscription", { ...ofOperators, operator: "FAILED_PRECONDITION" }, ({ subscriptionId }) => ({
    subscription_id: subscriptionId,
    decision: "decline",
  })),
  row("OperatorService/CreditQuota", ofOperators, ({ subscriptionId: subscription_id }) => ({
    subscription_id,
    calls: 5,
    reason: "an outage",
  })),
  row("OperatorService/GetUsage", ofOperators),
  row("OperatorService/GetServerState", ofOperators),
  row("OperatorService/ListIncidents", ofOperators),
  row("OperatorService/CreateIncident", ofOperators, () => ({ title: "Slow", impact: "INCIDENT_IMPACT_DEGRADED", text: "Soon." })),
  // There is no such incident, which only an operator can see.
  row("OperatorService/UpdateIncident", { ...ofOperators, operator: "NOT_FOUND" }, ({ keyId: incident_id }) => ({
    incident_id,
    new_update: { text: "It is over." },
  })),
  row("OperatorService/DeleteIncident", { ...ofOperators, operator: "NOT_FOUND" }, ({ keyId }) => ({ incident_id: keyId })),
  row("OperatorService/ListAuditEntries", ofOperators),
  row("ProfileService/DeleteAccount", ownAccount, () => ({ password: PASSWORD })),
];
