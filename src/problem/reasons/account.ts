// Reasons to do with the callers of the account services: their sessions and their accounts.
import { Code } from "@connectrpc/connect";
import { OF_ACCOUNTS, type ReasonRules, WITH_SESSION } from "../reason-rule.ts";

const SESSION_REFUSED = { code: Code.Unauthenticated, httpStatus: 401, authenticate: "session", fault: "session" } as const;

/** The entries of the table. */
export const ACCOUNT_REASONS = {
  SESSION_MISSING: {
    ...SESSION_REFUSED,
    missing: true,
    when: "There is neither an `authorization` header nor a session cookie.",
    whatToDo: "Sign in and send the token.",
    operations: WITH_SESSION,
  },
  SESSION_INVALID: {
    ...SESSION_REFUSED,
    when: "The header or cookie contains no token, an unknown token, or one whose session has ended.",
    whatToDo: "Sign in again.",
    operations: WITH_SESSION,
  },
  SIGN_IN_FAILED: {
    ...SESSION_REFUSED,
    fault: "input",
    when: "The e-mail address or the password is wrong.",
    whatToDo: "Check both. If you have forgotten the password, reset it or ask the operator for a new one.",
    operations: [{ access: ["nothing"], kind: "named" }],
  },
  ORIGIN_REFUSED: {
    code: Code.PermissionDenied,
    httpStatus: 403,
    fault: "request",
    when: "A page from another origin used the session cookie, or asked for one.",
    whatToDo: "Send the token in the `authorization` header instead.",
    operations: [{ access: ["session", "operator", "nothing"] }],
  },
  ACCOUNT_MISMATCH: {
    code: Code.PermissionDenied,
    httpStatus: 403,
    fault: "account",
    when: "The `x-quintet-account` header names an account that the signed-in person is not a member of, or the method works only on that person's own account.",
    whatToDo: "Sign in to that account, or leave the header out. In the browser, reload the page.",
    operations: WITH_SESSION,
  },
  ROLE_REQUIRED: {
    code: Code.PermissionDenied,
    httpStatus: 403,
    fault: "role",
    when: "The signed-in person is a member of the account, but their role does not allow the call. The message names the role that it needs.",
    whatToDo: "Ask an owner of the account for that role.",
    operations: [{ access: ["session"] }],
  },
  ACCOUNT_SUSPENDED: {
    code: Code.PermissionDenied,
    httpStatus: 403,
    fault: "suspension",
    when: "An operator has suspended the account: its sessions may only call GetAccount and EndSessions.",
    whatToDo: "Ask the operator to lift the suspension.",
    operations: WITH_SESSION,
  },
  OPERATOR_REQUIRED: {
    code: Code.PermissionDenied,
    httpStatus: 403,
    fault: "role",
    when: "Only operators may call OperatorService, and the session's account is not an operator's.",
    whatToDo: "Sign in to an operator's account.",
    operations: [{ access: ["operator"] }],
  },
  STORE_UNAVAILABLE: {
    code: Code.Unavailable,
    httpStatus: 503,
    fault: "server",
    retry: true,
    temporary: true,
    when: "The accounts' database is not responding.",
    whatToDo: "Try again after `Retry-After`.",
    operations: OF_ACCOUNTS,
  },
  PROVIDER_UNAVAILABLE: {
    code: Code.Unavailable,
    httpStatus: 503,
    fault: "server",
    retry: true,
    temporary: true,
    when: "The provider that you sign in with, such as Google, is not responding, or not as it should.",
    whatToDo: "Try again after `Retry-After`, or sign in with your password or a passkey.",
    operations: [{ access: ["nothing"], kind: "named" }],
  },
  PAYMENTS_UNAVAILABLE: {
    code: Code.Unavailable,
    httpStatus: 503,
    fault: "server",
    retry: true,
    temporary: true,
    when: "Stripe, which takes the cards, is not responding. What is paid already continues.",
    whatToDo: "Try again after `Retry-After`.",
    operations: [{ access: ["session"], kind: "named" }],
  },
  FAILED_PRECONDITION: {
    code: Code.FailedPrecondition,
    httpStatus: 409,
    fault: "state",
    when: "The current state does not allow the change: for example, the key is revoked, or the subscription is cancelled or already exists.",
    whatToDo: "Read the message; it says what prevents the change.",
    operations: [{ access: ["session", "operator", "nothing"], kind: "named" }],
  },
} as const satisfies ReasonRules;
