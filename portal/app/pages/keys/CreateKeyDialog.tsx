// Creates a key: its name, the services that it may call, and its expiry. If the response is lost, sending the form again does not create
// a second key.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { useRef, useState } from "preact/hooks";
import { type CreateKeyRequestSchema, type Key, KeyService } from "../../../../gen/quintet/account/v1/key_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { Dialog } from "../../../components/ui/Dialog.tsx";
import { Field, SelectField, TextAreaField } from "../../../components/ui/Field.tsx";
import { Form } from "../../../components/ui/Form.tsx";
import { ConfirmButtons } from "../../DialogButtons.tsx";
import { generateRequestId } from "../../request-id.ts";
import type { IssuedKey } from "./IssuedKeyDialog.tsx";
import { LIMIT_NAMES, LimitFields, limitsOf } from "./LimitFields.tsx";
import { NOTES_HINT } from "./notes.ts";
import { ServicesField, servicesOf } from "./ServicesField.tsx";
import { UnseenKeyDialog } from "./UnseenKeyDialog.tsx";

const NAMES = ["name", "services", "expires_at", "notes", ...LIMIT_NAMES];
const DAY_MS = 86_400_000;
const LIFETIMES = [
  ["", "never"],
  ["7", "in 7 days"],
  ["30", "in 30 days"],
  ["90", "in 90 days"],
  ["365", "in a year"],
  ["day", "on a date I choose"],
] as const;

type Request = MessageInitShape<typeof CreateKeyRequestSchema>;

/** `onIssued` gets the new key. */
export function CreateKeyDialog({
  onIssued,
  onClose,
}: {
  readonly onIssued: (created: IssuedKey) => void;
  readonly onClose: () => void;
}) {
  const { mutate, isPending, problem } = useMutation(KeyService.method.createKey, [KeyService.method.listKeys]);
  const [life, setLife] = useState("");
  const last = useRef<{ readonly form: string; readonly request: Request } | undefined>(undefined);
  const [unseen, setUnseen] = useState<Key>();
  const [isNoneChosen, setNoneChosen] = useState(false);
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const make = async (values: FormData): Promise<void> => {
    const name = String(values.get("name")).trim();
    const { names: services, isNoneChosen: hasNone } = servicesOf(values);
    setNoneChosen(hasNone);
    const { faults: wrong, ...limits } = limitsOf(values);
    setFaults(wrong);
    if (hasNone || Object.keys(wrong).length > 0) {
      return;
    }
    const day = String(values.get("expires_at"));
    const notes = String(values.get("notes")).trim();
    const form = JSON.stringify([name, services, life, day, notes, limits]);
    // Sending the same form again must make the same request, with the same expiry time.
    if (last.current?.form !== form) {
      const expiry = expiryOf(life, day);
      const expiresAt = expiry && timestampFromDate(expiry);
      const request = { name, services, notes, ...limits, idempotencyKey: generateRequestId(), ...(expiresAt && { expiresAt }) };
      last.current = { form, request };
    }
    const response = await mutate(last.current.request);
    if (response?.key !== undefined && response.secret === "") {
      setUnseen(response.key);
    } else if (response?.key !== undefined) {
      onIssued({ key: response.key, secret: response.secret });
    }
  };
  if (unseen !== undefined) {
    return <UnseenKeyDialog unseen={unseen} onClose={onClose} />;
  }
  const expiryError = problem?.fields.expires_at;
  return (
    <Dialog title="Create key" onClose={onClose}>
      <Form problem={problem} names={NAMES} draft="make-key" onSubmit={(values) => void make(values)}>
        <Field
          label="Name"
          name="name"
          autocomplete="off"
          maxLength={64}
          hint="What will use the key, such as a server or an app."
          error={problem?.fields.name}
        />
        <ServicesField isNoneChosen={isNoneChosen} error={problem?.fields.services} />
        <SelectField
          label="Expires"
          name="life"
          value={life}
          options={LIFETIMES}
          onChange={setLife}
          error={life === "day" ? undefined : expiryError}
        />
        {life === "day" && <Field label="Expiry date" name="expires_at" type="date" error={expiryError} />}
        <TextAreaField label="Notes" name="notes" rows={2} maxLength={500} hint={NOTES_HINT} error={problem?.fields.notes} />
        <details>
          <summary>Limits</summary>
          <LimitFields errors={{ ...problem?.fields, ...faults }} />
        </details>
        <ConfirmButtons label="Create key" busyLabel="Creating…" isBusy={isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}

// Days are in the user's time zone. An invalid day is sent as a time in the past, so that the error message comes from the server.
function expiryOf(life: string, day: string): Date | undefined {
  if (life === "") {
    return undefined;
  }
  if (life !== "day") {
    return new Date(Date.now() + Number(life) * DAY_MS);
  }
  return day === "" ? new Date(0) : new Date(`${day}T00:00`);
}
