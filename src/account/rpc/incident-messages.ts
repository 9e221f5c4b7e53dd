// Converts incidents into messages and back.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  IncidentImpact as Impact,
  type IncidentSchema,
  IncidentState as State,
} from "../../../gen/quintet/account/v1/incident_pb.js";
import { type Incident, type IncidentImpact, type IncidentState, incidentStateAt } from "../../store/incident-records.ts";

const IMPACTS: Readonly<Record<IncidentImpact, Impact>> = {
  degraded: Impact.DEGRADED,
  partial_outage: Impact.PARTIAL_OUTAGE,
  major_outage: Impact.MAJOR_OUTAGE,
  maintenance: Impact.MAINTENANCE,
};

const STATES: Readonly<Record<IncidentState, State>> = {
  investigating: State.INVESTIGATING,
  identified: State.IDENTIFIED,
  monitoring: State.MONITORING,
  resolved: State.RESOLVED,
  scheduled: State.SCHEDULED,
  in_progress: State.IN_PROGRESS,
  completed: State.COMPLETED,
};

const inverse = <Name extends string>(values: Readonly<Record<Name, number>>): ReadonlyMap<number, Name> =>
  new Map((Object.entries(values) as [Name, number][]).map(([name, value]) => [value, name]));

const IMPACT_NAMES = inverse(IMPACTS);
const STATE_NAMES = inverse(STATES);

/** Undefined if it was left out. */
export const impactOf = (impact: Impact): IncidentImpact | undefined => IMPACT_NAMES.get(impact);
export const stateOf = (state: State): IncidentState | undefined => STATE_NAMES.get(state);

/** An incident as it is at a given time. */
export const incidentMessage = (incident: Incident, nowMs: number): MessageInitShape<typeof IncidentSchema> => ({
  id: incident.id,
  title: incident.title,
  impact: IMPACTS[incident.impact],
  state: STATES[incidentStateAt(incident, nowMs)],
  services: [...incident.services],
  beginsAt: timestampFromMs(incident.beginsAtMs),
  ...(incident.endsAtMs !== null && { endsAt: timestampFromMs(incident.endsAtMs) }),
  createdAt: timestampFromMs(incident.createdAtMs),
  updates: incident.updates.map(({ number, atMs, state, text }) => ({
    ...{ number, at: timestampFromMs(atMs), state: STATES[state], text },
  })),
});
