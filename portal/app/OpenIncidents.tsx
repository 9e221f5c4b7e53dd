// Says on every page of the application that an incident is open or maintenance is in progress. The status page has the details.
import { type Incident, IncidentState } from "../../gen/quintet/account/v1/incident_pb.js";
import { StatusService } from "../../gen/quintet/account/v1/status_pb.js";
import { useQuery } from "../api/use-query.ts";
import { Notice } from "../components/ui/Notice.tsx";
import { serviceTitle } from "./formats.ts";
import styles from "./OpenIncidents.module.css";

const READ_INTERVAL_MS = 60_000;

const affected = ({ services }: Incident): string => (services.length === 0 ? "" : ` (${services.map(serviceTitle).join(", ")})`);

/**
 * A notice; nothing if no incident is open and no maintenance is in progress. Until that is known, the elements after it are not painted,
 * so that the notice does not push them down.
 */
export function OpenIncidents() {
  const { data, problem } = useQuery(
    StatusService.method.getStatus,
    { onlyOpenIncidents: true },
    { refetchInterval: READ_INTERVAL_MS },
  );
  if (data === undefined && problem === undefined) {
    return <div class={styles.unknown} />;
  }
  const open = (data?.incidents ?? []).filter(({ state }) => state !== IncidentState.SCHEDULED);
  if (open.length === 0) {
    return null;
  }
  return (
    <Notice tone="plain">
      {open.map((incident) => `${incident.title}${affected(incident)}`).join("; ")}. <a href="/status">View status page</a>
    </Notice>
  );
}
