// What an incident's impact and state are called, and the times of a form.
import { IncidentImpact, IncidentState } from "../../../gen/quintet/account/v1/incident_pb.js";

/** The impacts of an incident. Maintenance has an impact of its own. */
export const IMPACTS = [
  [String(IncidentImpact.DEGRADED), "Degraded performance"],
  [String(IncidentImpact.PARTIAL_OUTAGE), "Partial outage"],
  [String(IncidentImpact.MAJOR_OUTAGE), "Major outage"],
] as const;

/** The states that an update may give an incident. */
export const STATES = [
  [String(IncidentState.INVESTIGATING), "Investigating"],
  [String(IncidentState.IDENTIFIED), "Identified"],
  [String(IncidentState.MONITORING), "Monitoring"],
  [String(IncidentState.RESOLVED), "Resolved"],
] as const;

/** The states that an update may give maintenance. */
export const MAINTENANCE_STATES = [
  [String(IncidentState.IN_PROGRESS), "In progress"],
  [String(IncidentState.COMPLETED), "Completed"],
] as const;

const NAMES: ReadonlyMap<string, string> = new Map<string, string>([
  ...STATES,
  ...MAINTENANCE_STATES,
  [String(IncidentState.SCHEDULED), "Scheduled"],
]);

export const impactName = (impact: IncidentImpact): string =>
  impact === IncidentImpact.MAINTENANCE ? "Maintenance" : (IMPACTS.find(([value]) => value === String(impact))?.[1] ?? "Incident");

export const stateName = (state: IncidentState): string => NAMES.get(String(state)) ?? "Unknown";

export const isOver = (state: IncidentState): boolean => state === IncidentState.RESOLVED || state === IncidentState.COMPLETED;

/** The value of an input for a day and a time, in the user's time zone: `2026-12-01T03:00`. */
export function inputTime(ms: number): string {
  const date = new Date(ms);
  return new Date(ms - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The time in such an input, in milliseconds since the epoch; undefined if there is none. */
export function timeOfInput(value: string): number | undefined {
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
}
