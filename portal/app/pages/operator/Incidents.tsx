// The incidents and the maintenance that operators publish on the status page.
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { Incident } from "../../../../gen/quintet/account/v1/incident_pb.js";
import { OperatorService } from "../../../../gen/quintet/operator/v1/operator_pb.js";
import { useQuery } from "../../../api/use-query.ts";
import { Badge } from "../../../components/ui/Badge.tsx";
import { Button } from "../../../components/ui/Button.tsx";
import { EmptyState } from "../../../components/ui/EmptyState.tsx";
import { Loaded } from "../../../components/ui/Loaded.tsx";
import { Table } from "../../../components/ui/Table.tsx";
import { DateTime } from "../../../components/ui/Time.tsx";
import { DoneNotice } from "../../DoneNotice.tsx";
import { serviceTitle } from "../../formats.ts";
import {
  CreateIncidentDialog,
  DeleteIncidentDialog,
  EditDialog,
  EditUpdateDialog,
  UpdateDialog,
} from "../../operator/IncidentDialogs.tsx";
import { impactName, isOver, stateName } from "../../operator/incident-names.ts";
import styles from "../../operator/OperatorPage.module.css";
import { OperatorPage } from "../../operator/OperatorPage.tsx";
import { offsetOf, PAGE_ROWS, Pages } from "../../operator/Pages.tsx";
import { useDialogInUrl } from "../../use-dialog-in-url.ts";

const COLUMNS = [
  { heading: "Incident" },
  { heading: "State" },
  { heading: "Services" },
  { heading: "Starts" },
  { heading: "Ends" },
  { heading: "Actions" },
];

const DIALOGS = { update: UpdateDialog, edit: EditDialog, texts: EditUpdateDialog, delete: DeleteIncidentDialog } as const;

export default function Incidents() {
  return <OperatorPage title="Incidents">{() => <IncidentList />}</OperatorPage>;
}

function IncidentList() {
  const { query } = useLocation();
  const incidents = useQuery(OperatorService.method.listIncidents, { limit: PAGE_ROWS, offset: offsetOf(query) });
  const dialog = useDialogInUrl();
  const [done, setDone] = useState<string>();
  const finished = (message: string): void => {
    setDone(message);
    dialog.close();
  };
  const chosen = incidents.data?.results.find(({ id }) => id === dialog.query.incident);
  const Chosen = dialog.name !== undefined && dialog.name in DIALOGS ? DIALOGS[dialog.name as keyof typeof DIALOGS] : undefined;
  const cellsOf = (incident: Incident) => [
    <span key="title" class={styles.break}>
      <b>{incident.title}</b>
      <br />
      {impactName(incident.impact)}
    </span>,
    <Badge key="state" tone={isOver(incident.state) ? "off" : "waits"} label={stateName(incident.state)} />,
    incident.services.length === 0 ? "All" : incident.services.map(serviceTitle).join(", "),
    incident.beginsAt === undefined ? "" : <DateTime key="begins" at={incident.beginsAt} />,
    incident.endsAt === undefined ? "Open" : <DateTime key="ends" at={incident.endsAt} />,
    <div key="change" class={styles.actions}>
      {(["update", "edit", "delete"] as const).map((name) => (
        <Button
          key={name}
          kind={name === "update" ? "primary" : "plain"}
          label={`${BUTTONS[name]} ${incident.title}`}
          onClick={() => dialog.open(name, { incident: incident.id })}
        >
          {BUTTONS[name]}
        </Button>
      ))}
    </div>,
  ];
  return (
    <>
      <DoneNotice message={done} onClose={() => setDone(undefined)} />
      {(dialog.name === "report" || dialog.name === "schedule") && (
        <CreateIncidentDialog isMaintenance={dialog.name === "schedule"} onDone={finished} onClose={dialog.close} />
      )}
      {Chosen !== undefined && chosen !== undefined && (
        <Chosen
          incident={chosen}
          onEditTexts={() => dialog.open("texts", { incident: chosen.id })}
          onDone={finished}
          onClose={dialog.close}
        />
      )}
      <p>
        Everything you write here is public on <a href="/status">the status page</a> while the incident is open, and for 90 days
        after it has ended.
      </p>
      <p class={styles.actions}>
        <Button kind="primary" onClick={() => dialog.open("report")}>
          Report incident
        </Button>
        <Button onClick={() => dialog.open("schedule")}>Schedule maintenance</Button>
      </p>
      <Loaded query={incidents} rem={30}>
        {({ results, total, nextOffset }) =>
          results.length === 0 ? (
            <EmptyState title="No incidents">
              <p>Nothing was reported or scheduled in the last 90 days.</p>
            </EmptyState>
          ) : (
            <>
              <Table
                label="Incidents"
                stacks
                columns={COLUMNS}
                rows={results.map((one) => ({ key: one.id, cells: cellsOf(one) }))}
              />
              <Pages count={results.length} total={total} nextOffset={nextOffset} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

const BUTTONS = { update: "Update", edit: "Edit", delete: "Delete" } as const;
