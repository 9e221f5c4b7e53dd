// The part of the store for incidents: operators write them, and anybody may read them.
import type { Incident, IncidentChanges, NewIncident, NewIncidentUpdate } from "./incident-records.ts";

export interface IncidentStore {
  /** Incidents that are open or scheduled, and those that ended in the last 90 days: the latest first. There are never more than 200. */
  incidents(): Promise<readonly Incident[]>;
  findIncident(id: string): Promise<Incident | undefined>;
  /** Creates an incident. StoreConflict if there are too many. */
  createIncident(incident: NewIncident): Promise<Incident>;
  /**
   * Adds an update, now. `resolved` and `completed` end the incident, `in_progress` begins maintenance, and every other state reopens an
   * incident. StoreConflict if there is no such incident, or it has too many updates.
   */
  addIncidentUpdate(id: string, update: NewIncidentUpdate): Promise<Incident>;
  /** Replaces the text of the update with this number. StoreConflict if there is none. */
  editIncidentUpdate(id: string, number: number, text: string): Promise<Incident>;
  /** Corrects an incident. StoreConflict if there is no such incident. */
  updateIncident(id: string, changes: IncidentChanges): Promise<Incident>;
  /** Deletes an incident with its updates. StoreConflict if there is no such incident. */
  deleteIncident(id: string): Promise<void>;
}
