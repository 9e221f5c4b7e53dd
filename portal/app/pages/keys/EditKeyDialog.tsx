// Gives a key another name.
import { AccountService, type Key } from "../../../../gen/quintet/account/v1/account_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { Button } from "../../../components/ui/Button.tsx";
import { Dialog, DialogActions } from "../../../components/ui/Dialog.tsx";
import { Field } from "../../../components/ui/Field.tsx";
import { Form } from "../../../components/ui/Form.tsx";

const NAMES = ["name"];

/** The dialog. */
export function RenameKeyDialog({ apiKey, onClose }: { readonly apiKey: Key; readonly onClose: () => void }) {
  const { mutate, isPending, problem } = useMutation(AccountService.method.updateKey, [AccountService.method.listKeys]);
  const rename = async (values: FormData): Promise<void> => {
    if ((await mutate({ keyId: apiKey.id, name: String(values.get("name")).trim() })) !== undefined) {
      onClose();
    }
  };
  return (
    <Dialog title={`Rename ${apiKey.name}`} onClose={onClose}>
      <Form problem={problem} names={NAMES} draft={`rename-key-${apiKey.id}`} onSubmit={(values) => void rename(values)}>
        <Field label="Name" name="name" autocomplete="off" maxLength={64} defaultValue={apiKey.name} error={problem?.fields.name} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={isPending}>
            {isPending ? "Renaming it …" : "Rename"}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
