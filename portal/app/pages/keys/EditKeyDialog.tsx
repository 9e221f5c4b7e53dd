// Gives a key another name, and changes the services that it may call.
import { AccountService, type Key } from "../../../../gen/quintet/account/v1/account_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { Button } from "../../../components/ui/Button.tsx";
import { CheckboxList } from "../../../components/ui/CheckboxList.tsx";
import { Dialog, DialogActions } from "../../../components/ui/Dialog.tsx";
import { Field } from "../../../components/ui/Field.tsx";
import { Form } from "../../../components/ui/Form.tsx";
import type { Change } from "./ChangeNotice.tsx";
import { SERVICE_CHOICES } from "./service-choices.ts";

const NAMES = ["name", "services.names"];

/** `onChanged` gets what the server has confirmed. */
export function EditKeyDialog({
  apiKey,
  onChanged,
  onClose,
}: {
  readonly apiKey: Key;
  readonly onChanged: (change: Change) => void;
  readonly onClose: () => void;
}) {
  const { mutate, isPending, problem } = useMutation(AccountService.method.updateKey, [AccountService.method.listKeys]);
  const change = async (values: FormData): Promise<void> => {
    const names = values.getAll("services").map(String);
    const answer = await mutate({ keyId: apiKey.id, name: String(values.get("name")).trim(), services: { names } });
    if (answer?.key !== undefined) {
      onChanged({ key: answer.key, kind: "changed" });
    }
  };
  return (
    <Dialog title={`Edit ${apiKey.name}`} onClose={onClose}>
      <Form problem={problem} names={NAMES} draft={`edit-key-${apiKey.id}`} onSubmit={(values) => void change(values)}>
        <Field label="Name" name="name" autocomplete="off" maxLength={64} defaultValue={apiKey.name} error={problem?.fields.name} />
        <CheckboxList
          legend="Services it can call"
          name="services"
          options={SERVICE_CHOICES}
          chosen={apiKey.services}
          hint="Leave all unchecked to allow every service. Changes apply from the next call."
          error={problem?.fields["services.names"]}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={isPending}>
            {isPending ? "Saving …" : "Save"}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
