// The tables of incidents that operators describe.
import type { IncidentImpact, IncidentState } from "../incident-records.ts";

export interface IncidentsTable {
  readonly id: string;
  readonly title: string;
  readonly impact: IncidentImpact;
  /** A JSON array; empty for all. */
  readonly services: string;
  readonly begins_at_ms: number;
  readonly ends_at_ms: number | null;
  readonly created_at_ms: number;
}

export interface IncidentUpdatesTable {
  readonly incident_id: string;
  /** Counts from 1. */
  readonly number: number;
  readonly at_ms: number;
  readonly state: IncidentState;
  readonly text: string;
}
