// The account services' refusals: one function for each, with a message that a person can act on. No message contains a token, and none
// reveals whether an e-mail address has an account.
import type { Problem } from "../problem/problem.ts";
import { INVITATIONS_A_DAY_MAX, type MemberRole } from "../store/owner-records.ts";

const RETRY_SOON_MS = 1000;
const RETRY_MAIL_MS = 30_000;
const STREAM_RETRY_MS = 5000;

const wholeSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

export const sessionMissing = (): Problem => ({
  reason: "SESSION_MISSING",
  message: "Sign in, and send the session's token as authorization: Bearer TOKEN.",
});

/** The token that was sent is unknown, or its session has ended. */
export const sessionInvalid = (): Problem => ({
  reason: "SESSION_INVALID",
  message: "The session is not known or has ended. Sign in again.",
});

/** The e-mail address or the password is wrong. */
export const signInFailed = (): Problem => ({
  reason: "SIGN_IN_FAILED",
  message: "The e-mail address or the password is wrong. Check both, and try again.",
});

/** The session's cookie is used from a page of another origin. */
export const originRefused = (): Problem => ({
  reason: "ORIGIN_REFUSED",
  message:
    "Only this server's own pages may use the session's cookie. Send the session's token as authorization: Bearer TOKEN instead.",
});

/** The caller is not a member of the account that the call names, or there is no such account. */
export const accountMismatch = (): Problem => ({
  reason: "ACCOUNT_MISMATCH",
  message:
    "The x-quintet-account header names an account that you are not a member of. Sign in to that account, or leave the header out.",
});

/** The call names another person's account, but the method works only on the caller's own. */
export const ownAccountOnly = (): Problem => ({
  reason: "ACCOUNT_MISMATCH",
  message:
    "This method works only on the session's own account, and the x-quintet-account header names another one. Leave the header out.",
});

/** The caller is a member of the account with a role that does not allow the call. */
export const roleRequired = (needed: MemberRole, role: MemberRole): Problem => ({
  reason: "ROLE_REQUIRED",
  message: `This needs the ${needed}${needed === "developer" ? " or owner" : ""} role, and you are a ${role} of this account. An owner of the account can change your role.`,
  metadata: { role: needed },
});

/** The account sends too many invitations. `retryAfterMs`: until the next one is allowed. */
export const tooManyInvitations = (retryAfterMs: number): Problem => ({
  reason: "RATE_LIMITED",
  message: `The account has sent ${INVITATIONS_A_DAY_MAX} invitations within 24 hours, which is the maximum; retry in ${wholeSeconds(retryAfterMs)} s.`,
  retryAfterMs: Math.ceil(retryAfterMs),
});

/** The session's account is suspended. */
export const accountSuspended = (): Problem => ({
  reason: "ACCOUNT_SUSPENDED",
  message: "This account is suspended. Ask the operator to lift the suspension.",
});

/** The session's account is not an operator's. */
export const operatorRequired = (): Problem => ({
  reason: "OPERATOR_REQUIRED",
  message: "Only operators of this server may call this, and this account is not an operator's.",
});

/** The current state does not allow the change. `subject` is a field of the input, or the account. */
export const stateForbids = (subject: string, message: string): Problem => ({
  reason: "FAILED_PRECONDITION",
  message,
  preconditionSubject: subject,
});

/** The accounts' store cannot be reached. */
export const storeUnavailable = (): Problem => ({
  reason: "STORE_UNAVAILABLE",
  message: `Accounts cannot be read or changed at the moment; retry in ${wholeSeconds(RETRY_SOON_MS)} s.`,
  retryAfterMs: RETRY_SOON_MS,
});

/** There were too many attempts to sign up or to guess a password. `retryAfterMs`: until the next attempt is allowed. */
export const tooManyAttempts = (retryAfterMs: number): Problem => ({
  reason: "RATE_LIMITED",
  message: `There were too many attempts to sign in or sign up; retry in ${wholeSeconds(retryAfterMs)} s.`,
  retryAfterMs: Math.ceil(retryAfterMs),
});

/** Too many wrong codes were entered for an account. `retryAfterMs`: until the next code is checked. */
export const tooManyCodes = (retryAfterMs: number): Problem => ({
  reason: "RATE_LIMITED",
  message: `Too many wrong codes; retry in ${wholeSeconds(retryAfterMs)} s.`,
  retryAfterMs: Math.ceil(retryAfterMs),
});

/** The account calls too often. `retryAfterMs`: until the next one is allowed. */
export const tooManyCalls = (retryAfterMs: number): Problem => ({
  reason: "RATE_LIMITED",
  message: `Too many calls from this account; retry in ${wholeSeconds(retryAfterMs)} s.`,
  retryAfterMs: Math.ceil(retryAfterMs),
});

/** An operator makes changes too fast. */
export const tooManyOperatorChanges = (retryAfterMs: number): Problem => ({
  reason: "RATE_LIMITED",
  message: `Too many changes by this operator; retry in ${wholeSeconds(retryAfterMs)} s.`,
  retryAfterMs: Math.ceil(retryAfterMs),
});

/** Too many public calls from a network. `retryAfterMs`: until the next call is allowed. */
export const tooManyPublicCalls = (retryAfterMs: number): Problem => ({
  reason: "RATE_LIMITED",
  message: `Too many calls from this network; retry in ${wholeSeconds(retryAfterMs)} s.`,
  retryAfterMs: Math.ceil(retryAfterMs),
});

/** An account changes its keys and subscriptions too fast. */
export const tooManyChanges = (retryAfterMs: number): Problem => ({
  reason: "RATE_LIMITED",
  message: `Too many changes to this account's keys and subscriptions; retry in ${wholeSeconds(retryAfterMs)} s.`,
  retryAfterMs: Math.ceil(retryAfterMs),
});

/** An account sends too many tests, or replays too many deliveries. `retryAfterMs`: until the next one is allowed. */
export const tooManyWebhooks = (retryAfterMs: number): Problem => ({
  reason: "RATE_LIMITED",
  message: `Too many test webhooks and replays; retry in ${wholeSeconds(retryAfterMs)} s.`,
  retryAfterMs: Math.ceil(retryAfterMs),
});

/** Too many e-mails are queued. */
export const mailQueueFull = (): Problem => ({
  reason: "RATE_LIMITED",
  message: `Too many e-mails are waiting to be sent; retry in ${wholeSeconds(RETRY_MAIL_MS)} s.`,
  retryAfterMs: RETRY_MAIL_MS,
});

/** Too many e-mails were requested for an address or by a network. `retryAfterMs`: until the next one is allowed. */
export const tooManyMails = (retryAfterMs: number): Problem => ({
  reason: "RATE_LIMITED",
  message: `Too many e-mails were requested; retry in ${wholeSeconds(retryAfterMs)} s.`,
  retryAfterMs: Math.ceil(retryAfterMs),
});

export const noMail = (): Problem =>
  stateForbids("server", "This server does not send e-mail. Ask its operator for a new password.");

/** A provider with which people sign in does not answer, or not as it should. */
export const providerUnavailable = (title: string): Problem => ({
  reason: "PROVIDER_UNAVAILABLE",
  message: `Nobody can be signed in with ${title} at the moment; retry in ${wholeSeconds(RETRY_MAIL_MS)} s, or sign in in another way.`,
  retryAfterMs: RETRY_MAIL_MS,
});

/** Stripe does not answer. */
export const paymentsUnavailable = (): Problem => ({
  reason: "PAYMENTS_UNAVAILABLE",
  message: `Payments by card cannot be made or changed at the moment; retry in ${wholeSeconds(RETRY_MAIL_MS)} s.`,
  retryAfterMs: RETRY_MAIL_MS,
});

/** Too many requests are waiting for usage to be added up. */
export const reportQueueFull = (): Problem => ({
  reason: "STORE_UNAVAILABLE",
  message: `Too many usage reports are being prepared at the moment; retry in ${wholeSeconds(RETRY_SOON_MS)} s.`,
  retryAfterMs: RETRY_SOON_MS,
});

/**
 * Too many streams are watching calls. If `perAccountMax` is given, this account has reached that maximum; otherwise all accounts together
 * have too many streams.
 */
export const tooManyWatchers = (perAccountMax: number | undefined): Problem => ({
  reason: "RATE_LIMITED",
  message: `${
    perAccountMax === undefined
      ? "Too many streams are watching calls at the moment;"
      : `This account has ${perAccountMax} streams watching its calls, which is the maximum: close one, or`
  } retry in ${wholeSeconds(STREAM_RETRY_MS)} s.`,
  retryAfterMs: STREAM_RETRY_MS,
});
