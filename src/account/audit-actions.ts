// Names of what the audit trail notes, as people give them to look for it.
import { nearestName } from "../runtime/nearest-name.ts";
import { AUDIT_ACTIONS, type AuditAction } from "../store/audit-records.ts";

/** What actions are about, such as `key`. */
export const AUDIT_SUBJECTS: readonly string[] = [...new Set(AUDIT_ACTIONS.map((action) => action.slice(0, action.indexOf("."))))];

/** The action of this name, or all of a subject's; none when nothing is called so. */
export const actionsNamed = (name: string): readonly AuditAction[] =>
  AUDIT_ACTIONS.filter((action) => action === name || action.startsWith(`${name}.`));

/** The action or subject whose name is nearest; undefined when none is near. */
export const nearestAction = (name: string): string | undefined => nearestName(name, [...AUDIT_ACTIONS, ...AUDIT_SUBJECTS]);
