// Reads how long the audit trail is kept.
import type { Environment } from "./environment.ts";

/** How long the audit trail keeps an entry where nothing else is said, in days. */
export const AUDIT_DAYS_DEFAULT = 400;

/** Reads QUINTET_AUDIT_DAYS. */
export const readAuditDays = (environment: Environment): number =>
  environment.integer(
    "QUINTET_AUDIT_DAYS",
    AUDIT_DAYS_DEFAULT,
    { min: 1, max: 3650 },
    "How long the audit trail keeps an entry, in days. Of one account it keeps the latest 10,000 at most.",
  );
