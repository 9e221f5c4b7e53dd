// The account services in the OpenAPI document: what each operation needs, accepts, returns and fails with, and nothing that applies only
// to the data services.
import { expect, test } from "vitest";
import { compileRoutes } from "../../src/gateway/rest/routes.ts";
import { REASONS, type Reason } from "../../src/problem/reason.ts";
import { ACCOUNT_SERVICES } from "../fixtures/data-services.ts";
import type { Schema } from "../fixtures/json-schema.ts";
import {
  ACCOUNT_OPERATIONS,
  DATA_OPERATIONS,
  DOCUMENT,
  documentedResponse,
  type Operation,
  SCHEMAS,
} from "../fixtures/openapi-document.ts";

const SESSION = [{ session: [] }, { sessionCookie: [] }];
const NOTHING: readonly unknown[] = [];

const GENERAL: readonly Reason[] = [
  "INVALID_ARGUMENT",
  "MALFORMED_REQUEST",
  "NOT_ACCEPTABLE",
  "REQUEST_TIMEOUT",
  "BODY_TOO_LARGE",
  "URI_TOO_LONG",
  "UNSUPPORTED_MEDIA_TYPE",
  "ENCODING_UNKNOWN",
  "HEADERS_TOO_LARGE",
  "SERVER_BUSY",
  "SHUTTING_DOWN",
  "DEADLINE_EXCEEDED",
  "INTERNAL",
];
const OF_SIGN_UP: readonly Reason[] = [...GENERAL, "ORIGIN_REFUSED", "RATE_LIMITED", "STORE_UNAVAILABLE"];
const OF_SIGN_IN: readonly Reason[] = [...OF_SIGN_UP, "PROVIDER_UNAVAILABLE"];
const OF_PUBLIC: readonly Reason[] = [...GENERAL, "RATE_LIMITED", "STORE_UNAVAILABLE", "LENGTH_REQUIRED"];
// Responses with the same status are documented together, so operations that suspended accounts may call have it too.
const OF_SESSION: readonly Reason[] = [
  ...OF_SIGN_UP,
  "SESSION_MISSING",
  "SESSION_INVALID",
  "ACCOUNT_MISMATCH",
  "ROLE_REQUIRED",
  "ACCOUNT_SUSPENDED",
  "PAYMENTS_UNAVAILABLE",
];
const OF_READING: readonly Reason[] = [...OF_SESSION, "LENGTH_REQUIRED"];
// The state of an account may forbid a method that changes something.
const OF_MAKING: readonly Reason[] = [...OF_SESSION, "FAILED_PRECONDITION"];
const OF_SET: readonly Reason[] = [...OF_SESSION, "NOT_FOUND"];
const OF_NAMED: readonly Reason[] = [...OF_MAKING, "NOT_FOUND"];

// The call, its operationId, what it needs, what is in the path or the query, what is in the body, the data's schema, and the failures.
const EXPECTED: readonly (readonly [string, string, readonly unknown[], string, string, string, readonly Reason[]])[] = [
  [
    "POST /account/v1/sign-up",
    "SignInService_SignUp",
    NOTHING,
    "",
    "email, password, use_cookie, next",
    "SignUpResponse",
    OF_SIGN_IN,
  ],
  [
    "POST /account/v1/sign-in",
    "SignInService_SignIn",
    NOTHING,
    "",
    "email, challenge, password, code, credential_json, provider_response, use_cookie",
    "SignInResponse",
    [...OF_SIGN_IN, "SIGN_IN_FAILED", "FAILED_PRECONDITION"],
  ],
  [
    "POST /account/v1/begin-passkey-sign-in",
    "SignInService_BeginPasskeySignIn",
    NOTHING,
    "",
    "",
    "BeginPasskeySignInResponse",
    [...OF_SIGN_IN, "FAILED_PRECONDITION"],
  ],
  [
    "POST /account/v1/begin-provider-sign-in",
    "SignInService_BeginProviderSignIn",
    NOTHING,
    "",
    "provider",
    "BeginProviderSignInResponse",
    [...OF_SIGN_IN, "FAILED_PRECONDITION"],
  ],
  [
    "POST /account/v1/request-password-reset",
    "SignInService_RequestPasswordReset",
    NOTHING,
    "",
    "email",
    "RequestPasswordResetResponse",
    [...OF_SIGN_IN, "FAILED_PRECONDITION"],
  ],
  [
    "POST /account/v1/reset-password",
    "SignInService_ResetPassword",
    NOTHING,
    "",
    "token, new_password",
    "ResetPasswordResponse",
    OF_SIGN_IN,
  ],
  ["POST /account/v1/verify-email", "SignInService_VerifyEmail", NOTHING, "", "token, password", "VerifyEmailResponse", OF_SIGN_IN],
  ["POST /account/v1/get-invitation", "SignInService_GetInvitation", NOTHING, "", "token", "GetInvitationResponse", OF_SIGN_IN],
  ["GET /account/v1/account", "AccountService_GetAccount", SESSION, "", "", "GetAccountResponse", OF_READING],
  [
    "POST /account/v1/billing/checkout",
    "BillingService_CreateCheckout",
    SESSION,
    "",
    "service, plan",
    "CreateCheckoutResponse",
    OF_MAKING,
  ],
  [
    "POST /account/v1/billing/portal",
    "BillingService_CreatePortalSession",
    SESSION,
    "",
    "",
    "CreatePortalSessionResponse",
    OF_MAKING,
  ],
  [
    "GET /account/v1/billing/preview",
    "BillingService_PreviewChange",
    SESSION,
    "query service, query plan",
    "",
    "PreviewChangeResponse",
    [...OF_READING, "FAILED_PRECONDITION"],
  ],
  ["GET /account/v1/keys", "KeyService_ListKeys", SESSION, "query page_size, query page_token", "", "ListKeysResponse", OF_READING],
  [
    "POST /account/v1/keys",
    "KeyService_CreateKey",
    SESSION,
    "",
    "name, services, expires_at, idempotency_key, notes, allowed_addresses, allowed_origins, calls_per_month, requests_per_second",
    "CreateKeyResponse",
    OF_MAKING,
  ],
  [
    "PATCH /account/v1/keys/{key_id}",
    "KeyService_UpdateKey",
    SESSION,
    "path key_id",
    "name, disabled, services, notes, allowed_addresses, allowed_origins, calls_per_month, requests_per_second",
    "UpdateKeyResponse",
    OF_NAMED,
  ],
  [
    "POST /account/v1/keys/{key_id}/rotate",
    "KeyService_RotateKey",
    SESSION,
    "path key_id",
    "grace_seconds, idempotency_key",
    "RotateKeyResponse",
    OF_NAMED,
  ],
  ["DELETE /account/v1/keys/{key_id}", "KeyService_RevokeKey", SESSION, "path key_id", "", "RevokeKeyResponse", OF_NAMED],
  ["GET /account/v1/plans", "StatusService_ListPlans", NOTHING, "query service", "", "ListPlansResponse", OF_PUBLIC],
  ["GET /account/v1/status", "StatusService_GetStatus", NOTHING, "query only_open_incidents", "", "GetStatusResponse", OF_PUBLIC],
  [
    "GET /account/v1/subscriptions",
    "AccountService_ListSubscriptions",
    SESSION,
    "query include_cancelled",
    "",
    "ListSubscriptionsResponse",
    OF_READING,
  ],
  [
    "PUT /account/v1/subscriptions/{service}",
    "AccountService_SetSubscription",
    SESSION,
    "path service",
    "plan",
    "SetSubscriptionResponse",
    [...OF_SET, "PAYMENT_FAILED"],
  ],
  [
    "DELETE /account/v1/subscriptions/{service}",
    "AccountService_CancelSubscription",
    SESSION,
    "path service",
    "",
    "CancelSubscriptionResponse",
    OF_SET,
  ],
  [
    "GET /account/v1/usage",
    "UsageService_GetUsage",
    SESSION,
    "query measure, query service, query from_day, query to_day, query group_by, query limit, query offset",
    "",
    "GetUsageResponse",
    OF_READING,
  ],
  [
    "GET /account/v1/watch-calls",
    "UsageService_WatchCalls",
    SESSION,
    "query service, query key_id, query only_refused, query backlog",
    "",
    "WatchCallsResponse",
    OF_READING,
  ],
  [
    "GET /account/v1/calls",
    "UsageService_ListCalls",
    SESSION,
    "query page_size, query page_token, query request_id, query key_id, query service, query method, query outcome, query result, " +
      "query since, query until",
    "",
    "ListCallsResponse",
    OF_READING,
  ],
  [
    "PATCH /account/v1/account",
    "AccountService_UpdateAccount",
    SESSION,
    "",
    "settings, update_mask",
    "UpdateAccountResponse",
    OF_SESSION,
  ],
  [
    "GET /account/v1/activity",
    "AccountService_ListActivity",
    SESSION,
    "query page_size, query page_token, query actions, query since, query until, query include_short_lived_keys",
    "",
    "ListActivityResponse",
    OF_READING,
  ],
  [
    "GET /account/v1/alerts",
    "AccountService_ListAlerts",
    SESSION,
    "query limit, query offset",
    "",
    "ListAlertsResponse",
    OF_READING,
  ],
  [
    "GET /account/v1/webhook-endpoints",
    "WebhookService_ListWebhookEndpoints",
    SESSION,
    "",
    "",
    "ListWebhookEndpointsResponse",
    OF_READING,
  ],
  [
    "POST /account/v1/webhook-endpoints",
    "WebhookService_CreateWebhookEndpoint",
    SESSION,
    "",
    "url, description, alert_types",
    "CreateWebhookEndpointResponse",
    OF_MAKING,
  ],
  [
    "PATCH /account/v1/webhook-endpoints/{endpoint_id}",
    "WebhookService_UpdateWebhookEndpoint",
    SESSION,
    "path endpoint_id",
    "url, description, alert_types, disabled",
    "UpdateWebhookEndpointResponse",
    [...OF_SESSION, "NOT_FOUND"],
  ],
  [
    "POST /account/v1/webhook-endpoints/{endpoint_id}/rotate-secret",
    "WebhookService_RotateWebhookSecret",
    SESSION,
    "path endpoint_id",
    "",
    "RotateWebhookSecretResponse",
    [...OF_SESSION, "NOT_FOUND"],
  ],
  [
    "DELETE /account/v1/webhook-endpoints/{endpoint_id}",
    "WebhookService_DeleteWebhookEndpoint",
    SESSION,
    "path endpoint_id",
    "",
    "DeleteWebhookEndpointResponse",
    [...OF_SESSION, "NOT_FOUND"],
  ],
  [
    "GET /account/v1/webhook-endpoints/{endpoint_id}/deliveries",
    "WebhookService_ListWebhookDeliveries",
    SESSION,
    "path endpoint_id, query limit, query offset",
    "",
    "ListWebhookDeliveriesResponse",
    [...OF_READING, "NOT_FOUND"],
  ],
  [
    "POST /account/v1/webhook-deliveries",
    "WebhookService_SendWebhookDelivery",
    SESSION,
    "",
    "endpoint_id, delivery_id",
    "SendWebhookDeliveryResponse",
    OF_NAMED,
  ],
  ["GET /account/v1/members", "MemberService_ListMembers", SESSION, "", "", "ListMembersResponse", OF_READING],
  [
    "PATCH /account/v1/members/{member_id}",
    "MemberService_ChangeMemberRole",
    SESSION,
    "path member_id",
    "role, password, code",
    "ChangeMemberRoleResponse",
    OF_NAMED,
  ],
  [
    "DELETE /account/v1/members/{member_id}",
    "MemberService_RemoveMember",
    SESSION,
    "path member_id",
    "",
    "RemoveMemberResponse",
    OF_NAMED,
  ],
  [
    "POST /account/v1/invitations",
    "MemberService_InviteMember",
    SESSION,
    "",
    "email, role, password, code",
    "InviteMemberResponse",
    OF_MAKING,
  ],
  [
    "DELETE /account/v1/invitations/{invitation_id}",
    "MemberService_WithdrawInvitation",
    SESSION,
    "path invitation_id",
    "",
    "WithdrawInvitationResponse",
    [...OF_SESSION, "NOT_FOUND"],
  ],
  [
    "POST /account/v1/accept-invitation",
    "ProfileService_AcceptInvitation",
    SESSION,
    "",
    "token",
    "AcceptInvitationResponse",
    OF_MAKING,
  ],
  ["GET /account/v1/profile", "ProfileService_GetProfile", SESSION, "", "", "GetProfileResponse", OF_READING],
  [
    "POST /account/v1/change-password",
    "ProfileService_ChangePassword",
    SESSION,
    "",
    "current_password, new_password",
    "ChangePasswordResponse",
    OF_SESSION,
  ],
  [
    "POST /account/v1/two-factor/begin",
    "ProfileService_BeginTwoFactor",
    SESSION,
    "",
    "password",
    "BeginTwoFactorResponse",
    OF_MAKING,
  ],
  [
    "POST /account/v1/two-factor/confirm",
    "ProfileService_ConfirmTwoFactor",
    SESSION,
    "",
    "code",
    "ConfirmTwoFactorResponse",
    OF_MAKING,
  ],
  [
    "POST /account/v1/two-factor/end",
    "ProfileService_EndTwoFactor",
    SESSION,
    "",
    "password, code",
    "EndTwoFactorResponse",
    OF_MAKING,
  ],
  [
    "POST /account/v1/two-factor/replace-recovery-codes",
    "ProfileService_ReplaceRecoveryCodes",
    SESSION,
    "",
    "password, code",
    "ReplaceRecoveryCodesResponse",
    OF_MAKING,
  ],
  [
    "POST /account/v1/passkeys/begin",
    "ProfileService_BeginPasskey",
    SESSION,
    "",
    "password, code",
    "BeginPasskeyResponse",
    OF_MAKING,
  ],
  [
    "POST /account/v1/passkeys",
    "ProfileService_CreatePasskey",
    SESSION,
    "",
    "credential_json, name",
    "CreatePasskeyResponse",
    OF_MAKING,
  ],
  [
    "PATCH /account/v1/passkeys/{passkey_id}",
    "ProfileService_UpdatePasskey",
    SESSION,
    "path passkey_id",
    "name",
    "UpdatePasskeyResponse",
    [...OF_SESSION, "NOT_FOUND"],
  ],
  [
    "POST /account/v1/passkeys/{passkey_id}/delete",
    "ProfileService_DeletePasskey",
    SESSION,
    "path passkey_id",
    "password",
    "DeletePasskeyResponse",
    [...OF_SESSION, "NOT_FOUND"],
  ],
  [
    "POST /account/v1/change-email",
    "ProfileService_ChangeEmail",
    SESSION,
    "",
    "new_email, password, code",
    "ChangeEmailResponse",
    OF_SESSION,
  ],
  ["POST /account/v1/send-verification", "ProfileService_SendVerification", SESSION, "", "", "SendVerificationResponse", OF_MAKING],
  [
    "POST /account/v1/sessions/end",
    "ProfileService_EndSessions",
    SESSION,
    "",
    "session_id, others, current",
    "EndSessionsResponse",
    [...OF_SESSION, "NOT_FOUND"],
  ],
  [
    "POST /account/v1/delete-account",
    "ProfileService_DeleteAccount",
    SESSION,
    "",
    "password, code",
    "DeleteAccountResponse",
    OF_SESSION,
  ],
];

const nameOf = ({ $ref }: Schema): string => String($ref).replace("#/components/schemas/", "");

// Each body is documented as JSON; the form, if there is one, accepts the same.
function bodyNames({ requestBody }: Operation): readonly string[] {
  const schema = requestBody?.content["application/json"]?.schema;
  return schema === undefined ? [] : Object.keys(SCHEMAS[nameOf(schema)]?.properties ?? {});
}

function dataOf(operation: Operation): string {
  const { content } = documentedResponse(operation, 200);
  // The messages of a stream have no envelope.
  const message = content?.["application/x-ndjson"]?.schema;
  const { properties } = content?.["application/json"]?.schema ?? {};
  return nameOf(message ?? (properties as { readonly data: Schema }).data);
}

interface Example {
  readonly value: { readonly message: string };
}

const RANGES: readonly number[] = [406, 408, 411, 413, 414, 415, 431, 500, 504];

type Failures = readonly (readonly [status: string, reasons: readonly string[]])[];

const failuresOf = (operation: Operation): Failures =>
  Object.keys(operation.responses)
    .filter((status) => status !== "200")
    .toSorted()
    .map((status) => [
      status,
      Object.keys(documentedResponse(operation, status).content?.["application/json"]?.examples ?? {}).toSorted(),
    ]);

function statusesOf(reasons: readonly string[]): Failures {
  const statusOf = (reason: string): string => {
    const { httpStatus } = REASONS[reason as Reason];
    return RANGES.includes(httpStatus) ? `${String(httpStatus).charAt(0)}XX` : String(httpStatus);
  };
  // A range is the same for all operations, and some can be called by GET.
  const all = [...new Set([...reasons, "LENGTH_REQUIRED"])].toSorted();
  return [...new Set(all.map(statusOf))].toSorted().map((status) => [status, all.filter((reason) => statusOf(reason) === status)]);
}

test("has the paths of the account services' rules, and no others", () => {
  const ruled = compileRoutes(ACCOUNT_SERVICES.flatMap(({ methods }) => methods)).rows;
  const documented = ACCOUNT_OPERATIONS.map(({ verb, path }) => `${verb.toUpperCase()} ${path}`);
  expect(documented.toSorted()).toEqual(ruled.map(({ httpMethod, template }) => `${httpMethod} ${template}`).toSorted());
});

const byOperation = ([first]: readonly unknown[], [second]: readonly unknown[]): number =>
  String(first).localeCompare(String(second));

test("each account operation says what it needs, accepts and returns, and how it can fail", () => {
  const seen = ACCOUNT_OPERATIONS.map(({ verb, path, operation }) => [
    `${verb.toUpperCase()} ${path}`,
    operation.operationId,
    operation.security,
    (operation.parameters ?? []).map((parameter) => `${parameter.in} ${parameter.name}`).join(", "),
    bodyNames(operation).join(", "),
    dataOf(operation),
    failuresOf(operation),
  ]);
  const expected = EXPECTED.map((row) => row.with(-1, statusesOf(row[6])));
  expect(seen.toSorted(byOperation)).toEqual(expected.toSorted(byOperation));
});

test("a path's variable is required, and optional fields of a body are not", () => {
  const required = ACCOUNT_OPERATIONS.flatMap(({ operation: { operationId, parameters = [], requestBody } }) => {
    const schema = requestBody?.content["application/json"]?.schema;
    const inBody = schema === undefined ? [] : (SCHEMAS[nameOf(schema)]?.required ?? []);
    const names = [...parameters.filter((parameter) => parameter.required).map(({ name }) => name), ...(inBody as string[])];
    return names.length === 0 ? [] : [[operationId, ...names]];
  });
  expect(required.toSorted()).toEqual(
    [
      ["SignInService_SignUp", "email"],
      ["SignInService_BeginProviderSignIn", "provider"],
      ["SignInService_RequestPasswordReset", "email"],
      ["SignInService_ResetPassword", "token", "new_password"],
      ["SignInService_VerifyEmail", "token", "password"],
      ["SignInService_GetInvitation", "token"],
      ["BillingService_CreateCheckout", "service", "plan"],
      ["BillingService_PreviewChange", "service", "plan"],
      ["KeyService_UpdateKey", "key_id"],
      ["KeyService_RotateKey", "key_id"],
      ["KeyService_RevokeKey", "key_id"],
      ["AccountService_SetSubscription", "service", "plan"],
      ["AccountService_CancelSubscription", "service"],
      ["WebhookService_CreateWebhookEndpoint", "url"],
      ["WebhookService_UpdateWebhookEndpoint", "endpoint_id"],
      ["WebhookService_RotateWebhookSecret", "endpoint_id"],
      ["WebhookService_DeleteWebhookEndpoint", "endpoint_id"],
      ["WebhookService_ListWebhookDeliveries", "endpoint_id"],
      ["MemberService_ChangeMemberRole", "member_id", "role"],
      ["MemberService_RemoveMember", "member_id"],
      ["MemberService_InviteMember", "email", "role"],
      ["MemberService_WithdrawInvitation", "invitation_id"],
      ["ProfileService_AcceptInvitation", "token"],
      ["ProfileService_ChangePassword", "current_password", "new_password"],
      ["ProfileService_BeginTwoFactor", "password"],
      ["ProfileService_ConfirmTwoFactor", "code"],
      ["ProfileService_EndTwoFactor", "password", "code"],
      ["ProfileService_ReplaceRecoveryCodes", "password", "code"],
      ["ProfileService_BeginPasskey", "password"],
      ["ProfileService_CreatePasskey", "credential_json"],
      ["ProfileService_UpdatePasskey", "passkey_id", "name"],
      ["ProfileService_DeletePasskey", "passkey_id", "password"],
      ["ProfileService_ChangeEmail", "new_email", "password"],
      ["ProfileService_DeleteAccount", "password"],
    ].toSorted(),
  );
});

test("account operations have no limits of a plan and no twin, and say when to retry after a temporary refusal", () => {
  const headersOf = (operation: Operation, status: number): readonly string[] =>
    Object.keys(documentedResponse(operation, status).headers ?? {});
  const seen = ACCOUNT_OPERATIONS.map(({ operation }) => ({
    headers: [200, 429, 503].map((status) => headersOf(operation, status)),
    isTwin: operation.description.includes("GET operation"),
  }));
  expect(seen).toEqual(
    ACCOUNT_OPERATIONS.map(() => ({ headers: [["X-Request-Id"], ["Retry-After"], ["Retry-After"]], isTwin: false })),
  );
});

test("data operations need a key, and have no failures that only a session can have", () => {
  expect(DOCUMENT.security).toEqual([{ gatewayKey: [] }]);
  const reasons = DATA_OPERATIONS.flatMap(({ get, post }) => [get, post ?? []].flat().flatMap(failuresOf)).flatMap(
    ([, here]) => here,
  );
  const ofSessions = ["SESSION_MISSING", "SESSION_INVALID", "SIGN_IN_FAILED", "ORIGIN_REFUSED", "STORE_UNAVAILABLE"];
  expect(ofSessions.filter((reason) => reasons.includes(reason))).toEqual([]);
});

test("says how a session is sent", () => {
  const { session, sessionCookie } = DOCUMENT.components.securitySchemes;
  const seen = [session, sessionCookie].map(({ description: _, ...scheme }) => scheme);
  expect(seen).toEqual([
    { type: "http", scheme: "bearer" },
    { type: "apiKey", in: "cookie", name: "quintet_session" },
  ]);
});

test("describes bodies correctly: the size limit of these services, whether compression is accepted, and that all may be busy", () => {
  const said = (path: string, status: number, reason: string): unknown =>
    (documentedResponse(DOCUMENT.paths[path].post, status).content?.["application/json"]?.examples?.[reason] as Example | undefined)
      ?.value.message;
  const compressed = "This method does not accept a compressed request; send it without an encoding.";
  const seen = ["/farkle/v1/score", "/account/v1/keys", "/account/v1/sign-up"].map((path) => [
    said(path, 413, "BODY_TOO_LARGE"),
    said(path, 415, "ENCODING_UNKNOWN"),
    said(path, 503, "SERVER_BUSY"),
  ]);
  const busy = "The server is reading as many request bodies as it can at the moment; retry in 1 s.";
  expect(seen).toEqual([
    ["The body is longer than 64 KiB.", "The request's compression is not supported; use gzip, identity or none.", busy],
    ["The body is longer than 4 KiB.", compressed, busy],
    ["The body is longer than 4 KiB.", compressed, busy],
  ]);
});
