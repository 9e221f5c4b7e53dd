// Reads how long the audit trail is kept.
import type { Environment } from "./environment.ts";

/** How long the audit trail keeps an entry by default, in days. */
export const AUDIT_DAYS_DEFAULT = 400;

export const readAuditDays = (environment: Environment): number =>
  environment.integer(
    "QUINTET_AUDIT_DAYS",
    AUDIT_DAYS_DEFAULT,
    { min: 1, max: 3650 },
    "How long the audit trail keeps an entry, in days. It keeps at most the latest 10,000 entries of one account.",
  );
