// The closed table of reasons: every failure that a caller can see has one of these. Nothing outside this table decides a status, whether a
// call counts against the monthly quota, what the documentation says about a reason, or how a page handles it. A new reason is one entry in
// a file of reasons/.
import type { ReasonRule } from "./reason-rule.ts";
import { ACCOUNT_REASONS } from "./reasons/account.ts";
import { KEY_REASONS } from "./reasons/key.ts";
import { REQUEST_REASONS } from "./reasons/request.ts";
import { SERVER_REASONS } from "./reasons/server.ts";
import { SERVICE_REASONS } from "./reasons/service.ts";

/** The reasons, grouped by where they come from. Each group is a table in docs/errors.md. */
export const REASONS_BY_ORIGIN = {
  key: KEY_REASONS,
  account: ACCOUNT_REASONS,
  service: SERVICE_REASONS,
  request: REQUEST_REASONS,
  server: SERVER_REASONS,
} as const;

const TABLE = { ...KEY_REASONS, ...ACCOUNT_REASONS, ...SERVICE_REASONS, ...REQUEST_REASONS, ...SERVER_REASONS };

/** The name of a reason, as callers see it in `error.reason` and in `google.rpc.ErrorInfo`. */
export type Reason = keyof typeof TABLE;

export const REASONS: Readonly<Record<Reason, ReasonRule>> = TABLE;

/** Whether a problem with this reason is temporary. */
export const isTemporary = (reason: Reason): boolean => REASONS[reason].temporary === true;
