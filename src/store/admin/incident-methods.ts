// The store's methods for incidents.
import type { AuditAction, AuditNote } from "../audit-records.ts";
import { type Incident, incidentStateAt } from "../incident-records.ts";
import type { IncidentStore } from "../incident-store.ts";
import * as incidents from "../repositories/incidents.ts";
import type { AuditedChanges } from "./audited-changes.ts";

export function incidentMethods({ nowMs, read, writeAudited }: AuditedChanges) {
  const noteOf =
    (action: AuditAction) =>
    (incident: Incident): AuditNote => ({
      ...{ action, accountId: null, subject: incident.id },
      details: {
        ...{ title: incident.title, impact: incident.impact, state: incidentStateAt(incident, nowMs()) },
        services: incident.services.length === 0 ? null : incident.services,
      },
    });
  return {
    incidents: () => read((db) => incidents.incidents(db, nowMs())),
    findIncident: (id) => read((db) => incidents.findIncident(db, id)),
    createIncident: (incident) => writeAudited((db) => incidents.createIncident(db, incident, nowMs()), noteOf("incident.create")),
    addIncidentUpdate: (id, update) =>
      writeAudited((db) => incidents.addIncidentUpdate(db, id, update, nowMs()), noteOf("incident.add_update")),
    editIncidentUpdate: (id, number, text) =>
      writeAudited((db) => incidents.editIncidentUpdate(db, id, number, text), noteOf("incident.edit_update")),
    updateIncident: (id, changes) => writeAudited((db) => incidents.updateIncident(db, id, changes), noteOf("incident.update")),
    async deleteIncident(id) {
      await writeAudited((db) => incidents.deleteIncident(db, id), noteOf("incident.delete"));
    },
  } satisfies IncidentStore;
}
