// The methods of OperatorService that announce incidents and maintenance.
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import type { IncidentCorrection, OperatorService } from "../../../gen/quintet/operator/v1/operator_pb.js";
import type { ServiceName } from "../../catalogue/service-names.ts";
import { Failure } from "../../problem/failure.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Randomness } from "../../runtime/randomness.ts";
import type { Incident, IncidentImpact } from "../../store/incident-records.ts";
import type { AdminStore } from "../../store/store.ts";
import { addIncidentUpdate, createIncident, editIncidentUpdate, updateIncident } from "../incidents.ts";
import { failOnConflict, type Handlers, pageOf, type SignedIn } from "./handlers.ts";
import { impactOf, incidentMessage, stateOf } from "./incident-messages.ts";
import type { OperatorAccess } from "./operator-access.ts";

const PAGE_LIMIT = 50;

type IncidentHandlers = Pick<
  Handlers<typeof OperatorService, SignedIn>,
  "listIncidents" | "createIncident" | "updateIncident" | "deleteIncident"
>;

/** The handlers. `who` is an operator. */
export function createIncidentHandlers({
  store,
  clock,
  randomness,
  access: { storeForChange },
}: {
  readonly store: AdminStore;
  readonly clock: Pick<Clock, "nowMs">;
  readonly randomness: Pick<Randomness, "uuid">;
  readonly access: OperatorAccess;
}): IncidentHandlers {
  const shown = (incident: Incident) => ({ incident: incidentMessage(incident, clock.nowMs()) });
  const require = async (id: string): Promise<Incident> => {
    const found = await store.findIncident(id);
    if (found === undefined) {
      throw new Failure({ reason: "NOT_FOUND", message: `There is no incident with the ID ${id}.` });
    }
    return found;
  };
  return {
    async listIncidents({ limit = PAGE_LIMIT, offset }) {
      const all = await store.incidents();
      const page = all.slice(offset, offset + limit);
      const nowMs = clock.nowMs();
      return { ...pageOf(page.length, all.length, offset), results: page.map((one) => incidentMessage(one, nowMs)) };
    },
    async createIncident({ title, impact, services, text, state, beginsAt, endsAt }, who) {
      const given = {
        ...{ title, impact: impactOf(impact) as IncidentImpact, services: services as ServiceName[], text, state: stateOf(state) },
        ...{ beginsAtMs: msOf(beginsAt), endsAtMs: msOf(endsAt) },
      };
      const create = () => createIncident({ store: storeForChange(who), clock, randomness }, given);
      return shown(await failOnConflict("incidents", create));
    },
    async updateIncident({ incidentId, what }, who) {
      const incident = await require(incidentId);
      const options = { store: storeForChange(who), clock };
      const update = (): Promise<Incident> => {
        switch (what.case) {
          case "newUpdate":
            return addIncidentUpdate(options, incident, { state: stateOf(what.value.state), text: what.value.text });
          case "correctedUpdate":
            return editIncidentUpdate(options, incident, what.value);
          default:
            return updateIncident(options, incident, correctionOf(what.value));
        }
      };
      return shown(await failOnConflict("incident_id", update));
    },
    async deleteIncident({ incidentId }, who) {
      const { id } = await require(incidentId);
      await failOnConflict("incident_id", () => storeForChange(who).deleteIncident(id));
      return {};
    },
  };
}

const correctionOf = (given: IncidentCorrection | undefined) => ({
  title: given?.title,
  impact: impactOf(given?.impact ?? 0),
  services: given?.services?.names as ServiceName[] | undefined,
  beginsAtMs: msOf(given?.beginsAt),
  endsAtMs: msOf(given?.endsAt),
});

const msOf = (timestamp: Timestamp | undefined): number | undefined =>
  timestamp === undefined ? undefined : timestampMs(timestamp);
