// Incidents and maintenance that operators announce, and their states.
import type { ServiceName } from "../catalogue/service-names.ts";

/** How long incidents are kept after they have ended, in days. */
export const INCIDENTS_KEPT_DAYS = 90;
/** The most incidents that are kept at a time. */
export const INCIDENTS_MAX = 200;
/** The most updates that one incident may have. */
export const INCIDENT_UPDATES_MAX = 50;

/** How an incident affects services. `maintenance` is planned. */
export type IncidentImpact = "degraded" | "partial_outage" | "major_outage" | "maintenance";

/** The first four are for incidents, the others for maintenance. */
export type IncidentState = "investigating" | "identified" | "monitoring" | "resolved" | "scheduled" | "in_progress" | "completed";

/** What an operator wrote, and the state of the incident from then on. */
interface IncidentUpdate {
  /** 1 for the first update of an incident. */
  readonly number: number;
  readonly atMs: number;
  readonly state: IncidentState;
  readonly text: string;
}

export interface Incident {
  readonly id: string;
  readonly title: string;
  readonly impact: IncidentImpact;
  /** The affected services; empty for all. */
  readonly services: readonly ServiceName[];
  readonly beginsAtMs: number;
  /** When it ended, or when the maintenance will end; null while an incident is open. */
  readonly endsAtMs: number | null;
  readonly createdAtMs: number;
  /** Newest first; at least one. */
  readonly updates: readonly IncidentUpdate[];
}

export type NewIncidentUpdate = Pick<IncidentUpdate, "state" | "text">;

/** A new incident, with its first update. */
export type NewIncident = Omit<Incident, "createdAtMs" | "updates"> & { readonly update: NewIncidentUpdate };

/** Corrections to an incident. A field that is left out stays as it is. */
export type IncidentChanges = Partial<Pick<Incident, "title" | "impact" | "services" | "beginsAtMs">> & {
  readonly endsAtMs?: number;
};

/** An incident's state at a time. Maintenance begins and ends at its planned times, unless an operator has begun or ended it earlier. */
export function incidentStateAt({ impact, beginsAtMs, endsAtMs, updates }: Incident, nowMs: number): IncidentState {
  if (impact !== "maintenance") {
    return updates[0]?.state ?? "investigating";
  }
  if (endsAtMs !== null && nowMs >= endsAtMs) {
    return "completed";
  }
  return nowMs >= beginsAtMs ? "in_progress" : "scheduled";
}

/** Whether an incident is over. */
export const hasEnded = ({ endsAtMs }: Incident, nowMs: number): boolean => endsAtMs !== null && endsAtMs <= nowMs;
