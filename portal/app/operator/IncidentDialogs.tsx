// Publishes an incident or maintenance, adds updates, corrects it, or deletes it.
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { useState } from "preact/hooks";
import { type Incident, IncidentImpact, type IncidentUpdate } from "../../../gen/quintet/account/v1/incident_pb.js";
import { StatusService } from "../../../gen/quintet/account/v1/status_pb.js";
import { OperatorService } from "../../../gen/quintet/operator/v1/operator_pb.js";
import { useMutation } from "../../api/use-mutation.ts";
import { Button } from "../../components/ui/Button.tsx";
import { CheckboxList } from "../../components/ui/CheckboxList.tsx";
import { Dialog } from "../../components/ui/Dialog.tsx";
import { Field, SelectField, TextAreaField } from "../../components/ui/Field.tsx";
import { Form } from "../../components/ui/Form.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import { exactTime } from "../../components/ui/Time.tsx";
import { SERVICES } from "../../content/services.ts";
import { ConfirmButtons } from "../DialogButtons.tsx";
import { IMPACTS, inputTime, MAINTENANCE_STATES, STATES, stateName, timeOfInput } from "./incident-names.ts";

const { listIncidents, createIncident, updateIncident, deleteIncident, listAuditEntries } = OperatorService.method;
const CHANGED = [listIncidents, listAuditEntries, StatusService.method.getStatus];
const CHOICES = SERVICES.map(({ name, title }) => [name, title] as const);
const NAMES = ["title", "impact", "services", "text", "state", "begins_at", "ends_at"];
const HOUR_MS = 3_600_000;
const PUBLISHED_HINT = "It appears on the public status page within a minute.";

interface DialogProps {
  /** Called with the result as a sentence. */
  readonly onDone: (message: string) => void;
  readonly onClose: () => void;
}

const textIn = (values: FormData, name: string): string => String(values.get(name) ?? "").trim();
const timeIn = (values: FormData, name: string) => {
  const ms = timeOfInput(textIn(values, name));
  return ms === undefined ? undefined : timestampFromMs(ms);
};

type Faults = Readonly<Record<string, string>>;

const TitleField = ({ faults, title }: { readonly faults: Faults; readonly title?: string }) => (
  <Field label="Title" name="title" maxLength={100} autocomplete="off" defaultValue={title ?? ""} error={faults.title} />
);

const TextField = ({
  faults,
  text = "",
  hint = PUBLISHED_HINT,
}: {
  readonly faults: Faults;
  readonly text?: string | undefined;
  readonly hint?: string;
}) => (
  <TextAreaField
    label="Text"
    name="text"
    rows={4}
    maxLength={1000}
    defaultValue={text}
    hint={`Plain text. ${hint}`}
    error={faults.text}
  />
);

const Services = ({ faults, chosen = [] }: { readonly faults: Faults; readonly chosen?: readonly string[] }) => (
  <CheckboxList
    legend="Affected services"
    name="services"
    options={CHOICES}
    chosen={chosen}
    hint="Leave all unchecked if every service is affected."
    error={faults.services}
  />
);

const Times = ({ faults, beginsMs, endsMs }: { readonly faults: Faults; readonly beginsMs: number; readonly endsMs: number }) => (
  <>
    <Field label="Starts" name="begins_at" type="datetime-local" defaultValue={inputTime(beginsMs)} error={faults.begins_at} />
    <Field
      label="Ends"
      name="ends_at"
      type="datetime-local"
      defaultValue={inputTime(endsMs)}
      hint="In your time zone. Maintenance starts and ends automatically."
      error={faults.ends_at}
    />
  </>
);

/** Publishes an incident, or maintenance if `isMaintenance`. */
export function CreateIncidentDialog({ isMaintenance, onDone, onClose }: DialogProps & { readonly isMaintenance: boolean }) {
  const { mutate, isPending, problem } = useMutation(createIncident, CHANGED);
  const [openedMs] = useState(() => Date.now());
  const faults = problem?.fields ?? {};
  const send = async (values: FormData): Promise<void> => {
    const common = {
      title: textIn(values, "title"),
      text: textIn(values, "text"),
      services: values.getAll("services").map(String),
    };
    const times = { beginsAt: timeIn(values, "begins_at"), endsAt: timeIn(values, "ends_at") };
    const made = await mutate(
      isMaintenance
        ? { ...common, ...times, impact: IncidentImpact.MAINTENANCE }
        : { ...common, impact: Number(values.get("impact")), state: Number(values.get("state")) },
    );
    if (made !== undefined) {
      onDone(`“${made.incident?.title}” will be on the status page within a minute.`);
    }
  };
  return (
    <Dialog title={isMaintenance ? "Schedule maintenance" : "Report incident"} onClose={onClose}>
      <Form problem={problem} names={NAMES} draft="incident" onSubmit={(values) => void send(values)}>
        <TitleField faults={faults} />
        {isMaintenance ? (
          <Times faults={faults} beginsMs={openedMs + 24 * HOUR_MS} endsMs={openedMs + 25 * HOUR_MS} />
        ) : (
          <>
            <SelectField label="Impact" name="impact" value={IMPACTS[0][0]} options={IMPACTS} error={faults.impact} />
            <SelectField label="State" name="state" value={STATES[0][0]} options={STATES} error={faults.state} />
          </>
        )}
        <Services faults={faults} />
        <TextField faults={faults} />
        <ConfirmButtons
          busyLabel="Saving…"
          onClose={onClose}
          isBusy={isPending}
          label={isMaintenance ? "Schedule" : "Report incident"}
        />
      </Form>
    </Dialog>
  );
}

// Changes an incident. The problem has the fields under the names that forms give them: `text`, not `new_update.text`.
function useUpdate() {
  const { mutate, isPending, problem } = useMutation(updateIncident, CHANGED);
  const fields = Object.entries(problem?.fields ?? {}).map(([path, fault]) => [path.slice(path.indexOf(".") + 1), fault]);
  return { mutate, isPending, problem: problem && { ...problem, fields: Object.fromEntries(fields) as Faults } };
}

/** Adds an update, and sets the state. */
export function UpdateDialog({ incident, onDone, onClose }: DialogProps & { readonly incident: Incident }) {
  const { mutate, isPending, problem } = useUpdate();
  const states = incident.impact === IncidentImpact.MAINTENANCE ? MAINTENANCE_STATES : STATES;
  const isKnown = states.some(([value]) => value === String(incident.state));
  // Maintenance that has not started stays as it is unless a state is chosen.
  const options = isKnown ? states : ([["0", `${stateName(incident.state)} (unchanged)`], ...states] as const);
  const send = async (values: FormData): Promise<void> => {
    const value = { state: Number(values.get("state")), text: textIn(values, "text") };
    const changed = await mutate({ incidentId: incident.id, what: { case: "newUpdate", value } });
    if (changed?.incident !== undefined) {
      onDone(`“${incident.title}” is now: ${stateName(changed.incident.state)}.`);
    }
  };
  return (
    <Dialog title={`Update “${incident.title}”`} onClose={onClose}>
      <Form problem={problem} names={NAMES} draft={`incident-${incident.id}`} onSubmit={(values) => void send(values)}>
        <SelectField
          label="State"
          name="state"
          value={isKnown ? String(incident.state) : "0"}
          options={options}
          error={problem?.fields.state}
        />
        <TextField faults={problem?.fields ?? {}} />
        <ConfirmButtons busyLabel="Saving…" onClose={onClose} isBusy={isPending} label="Add update" />
      </Form>
    </Dialog>
  );
}

/** Corrects the title, the impact, the services and the times. `onEditTexts` leads to the texts. */
export function EditDialog({
  incident,
  onEditTexts,
  onDone,
  onClose,
}: DialogProps & { readonly incident: Incident; readonly onEditTexts: () => void }) {
  const { mutate, isPending, problem } = useUpdate();
  const isMaintenance = incident.impact === IncidentImpact.MAINTENANCE;
  const faults = problem?.fields ?? {};
  const msOf = (seconds: bigint | undefined): number => Number(seconds ?? 0n) * 1000;
  const send = async (values: FormData): Promise<void> => {
    const value = {
      ...{ title: textIn(values, "title"), services: { names: values.getAll("services").map(String) } },
      ...(isMaintenance
        ? { beginsAt: timeIn(values, "begins_at"), endsAt: timeIn(values, "ends_at") }
        : { impact: Number(values.get("impact")) }),
    };
    if ((await mutate({ incidentId: incident.id, what: { case: "correction", value } })) !== undefined) {
      onDone(`“${value.title}” was corrected.`);
    }
  };
  return (
    <Dialog title={`Edit “${incident.title}”`} onClose={onClose}>
      <Form problem={problem} names={NAMES} onSubmit={(values) => void send(values)}>
        <TitleField faults={faults} title={incident.title} />
        {isMaintenance ? (
          <Times faults={faults} beginsMs={msOf(incident.beginsAt?.seconds)} endsMs={msOf(incident.endsAt?.seconds)} />
        ) : (
          <SelectField label="Impact" name="impact" value={String(incident.impact)} options={IMPACTS} error={faults.impact} />
        )}
        <Services faults={faults} chosen={incident.services} />
        <p>
          <Button onClick={onEditTexts}>Edit the text of an update</Button>
        </p>
        <ConfirmButtons busyLabel="Saving…" onClose={onClose} isBusy={isPending} label="Save" />
      </Form>
    </Dialog>
  );
}

/** Corrects the text of an update, of the newest one unless another is chosen. */
export function EditUpdateDialog({ incident, onDone, onClose }: DialogProps & { readonly incident: Incident }) {
  const { mutate, isPending, problem } = useUpdate();
  const [number, setNumber] = useState(incident.updates[0]?.number ?? 1);
  const chosen = incident.updates.find((update) => update.number === number);
  const send = async (values: FormData): Promise<void> => {
    const value = { number, text: textIn(values, "text") };
    if ((await mutate({ incidentId: incident.id, what: { case: "correctedUpdate", value } })) !== undefined) {
      onDone(`The text of “${incident.title}” was corrected.`);
    }
  };
  return (
    <Dialog title={`Edit the text of “${incident.title}”`} onClose={onClose}>
      <Form problem={problem} names={["text"]} onSubmit={(values) => void send(values)}>
        {incident.updates.length > 1 && (
          <SelectField
            label="Update"
            name="number"
            value={String(number)}
            options={incident.updates.map((update) => [String(update.number), updateName(update)] as const)}
            onChange={(value) => setNumber(Number(value))}
          />
        )}
        <TextField key={number} faults={problem?.fields ?? {}} text={chosen?.text} hint="Its time and state do not change." />
        <ConfirmButtons busyLabel="Saving…" onClose={onClose} isBusy={isPending} label="Save" />
      </Form>
    </Dialog>
  );
}

const updateName = ({ state, at }: IncidentUpdate): string =>
  at === undefined ? stateName(state) : `${stateName(state)}, ${exactTime(at)}`;

/** Asks before an incident is deleted. */
export function DeleteIncidentDialog({ incident, onDone, onClose }: DialogProps & { readonly incident: Incident }) {
  const { mutate, isPending, problem } = useMutation(deleteIncident, CHANGED);
  const remove = async (): Promise<void> => {
    if ((await mutate({ incidentId: incident.id })) !== undefined) {
      onDone(`“${incident.title}” was deleted.`);
    }
  };
  return (
    <Dialog title={`Delete “${incident.title}”?`} onClose={onClose}>
      {problem !== undefined && <Notice tone="bad">{problem.message}</Notice>}
      <p>The incident and all its updates disappear from the status page. If it is over, add an update that says so instead.</p>
      <ConfirmButtons
        kind="danger"
        label="Delete"
        busyLabel="Deleting…"
        isBusy={isPending}
        onConfirm={() => void remove()}
        onClose={onClose}
      />
    </Dialog>
  );
}
