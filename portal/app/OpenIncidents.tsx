// Says on every page of the application that something is known not to work, or is being worked on. The status page has the rest.
import { AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import { type Incident, IncidentState } from "../../gen/quintet/account/v1/incident_pb.js";
import { useQuery } from "../api/use-query.ts";
import { Notice } from "../components/ui/Notice.tsx";
import { serviceTitle } from "./formats.ts";

const READ_INTERVAL_MS = 60_000;

const affected = ({ services }: Incident): string => (services.length === 0 ? "" : ` (${services.map(serviceTitle).join(", ")})`);

/** A line; nothing while no incident is open and no maintenance has started. */
export function OpenIncidents() {
  const { data } = useQuery(AccountService.method.getStatus, { onlyOpenIncidents: true }, { refetchInterval: READ_INTERVAL_MS });
  const open = (data?.incidents ?? []).filter(({ state }) => state !== IncidentState.SCHEDULED);
  if (open.length === 0) {
    return null;
  }
  return (
    <Notice tone="plain">
      {open.map((incident) => `${incident.title}${affected(incident)}`).join("; ")}. <a href="/status">See the status page</a>
    </Notice>
  );
}
