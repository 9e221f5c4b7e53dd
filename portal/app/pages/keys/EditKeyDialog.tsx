// Changes a key's name, its notes, and the services that it may call.
import { useState } from "preact/hooks";
import { type Key, KeyService } from "../../../../gen/quintet/account/v1/key_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { Dialog } from "../../../components/ui/Dialog.tsx";
import { Field, TextAreaField } from "../../../components/ui/Field.tsx";
import { Form } from "../../../components/ui/Form.tsx";
import { ConfirmButtons } from "../../DialogButtons.tsx";
import type { Change } from "./ChangeNotice.tsx";
import { NOTES_HINT } from "./notes.ts";
import { ServicesField, servicesOf } from "./ServicesField.tsx";

const NAMES = ["name", "services.names", "notes"];

/** `onChanged` gets the key as the server returned it. */
export function EditKeyDialog({
  apiKey,
  onChanged,
  onClose,
}: {
  readonly apiKey: Key;
  readonly onChanged: (change: Change) => void;
  readonly onClose: () => void;
}) {
  const { mutate, isPending, problem } = useMutation(KeyService.method.updateKey, [KeyService.method.listKeys]);
  const [isNoneChosen, setNoneChosen] = useState(false);
  const change = async (values: FormData): Promise<void> => {
    const { names, isNoneChosen: hasNone } = servicesOf(values);
    setNoneChosen(hasNone);
    if (hasNone) {
      return;
    }
    const [name = "", notes = ""] = [values.get("name"), values.get("notes")].map((value) => String(value).trim());
    const response = await mutate({ keyId: apiKey.id, name, notes, services: { names } });
    if (response?.key !== undefined) {
      onChanged({ key: response.key, kind: "changed" });
    }
  };
  return (
    <Dialog title={`Edit ${apiKey.name}`} onClose={onClose}>
      <Form problem={problem} names={NAMES} draft={`edit-key-${apiKey.id}`} onSubmit={(values) => void change(values)}>
        <Field label="Name" name="name" autocomplete="off" maxLength={64} defaultValue={apiKey.name} error={problem?.fields.name} />
        <ServicesField chosen={apiKey.services} isNoneChosen={isNoneChosen} error={problem?.fields["services.names"]} />
        <TextAreaField
          label="Notes"
          name="notes"
          rows={2}
          maxLength={500}
          defaultValue={apiKey.notes}
          hint={NOTES_HINT}
          error={problem?.fields.notes}
        />
        <ConfirmButtons label="Save" busyLabel="Saving…" isBusy={isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
