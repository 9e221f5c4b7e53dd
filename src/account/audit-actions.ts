// The names by which people look for actions in the audit trail.
import { nearestName } from "@quintet/transcoding";
import { AUDIT_ACTIONS, type AuditAction } from "../store/audit-records.ts";

/** The subjects of actions, such as `key`. */
export const AUDIT_SUBJECTS: readonly string[] = [...new Set(AUDIT_ACTIONS.map((action) => action.slice(0, action.indexOf("."))))];

/** The action with this name, or all actions on the subject with this name; empty if neither exists. */
export const actionsNamed = (name: string): readonly AuditAction[] =>
  AUDIT_ACTIONS.filter((action) => action === name || action.startsWith(`${name}.`));

/** The action or subject whose name is closest; undefined if none is close. */
export const nearestAction = (name: string): string | undefined => nearestName(name, [...AUDIT_ACTIONS, ...AUDIT_SUBJECTS]);
