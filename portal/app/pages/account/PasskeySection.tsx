// The owner's passkeys on the account page, and the dialogs that create, rename and delete them.
import { useState } from "preact/hooks";
import type { Passkey } from "../../../../gen/quintet/account/v1/passkey_pb.js";
import { ProfileService } from "../../../../gen/quintet/account/v1/profile_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { Button } from "../../../components/ui/Button.tsx";
import { Dialog } from "../../../components/ui/Dialog.tsx";
import { Field } from "../../../components/ui/Field.tsx";
import { Form } from "../../../components/ui/Form.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import { Day } from "../../../components/ui/Time.tsx";
import { ConfirmButtons } from "../../DialogButtons.tsx";
import { passkeyOrigin } from "../../server-facts.ts";
import type { DialogInUrl } from "../../use-dialog-in-url.ts";
import styles from "../Account.module.css";
import { CodeField, CurrentPasswordField } from "./ProofFields.tsx";

const { beginPasskey, createPasskey, getProfile, updatePasskey, deletePasskey } = ProfileService.method;

/** `requiresCode`: two-factor authentication is on. */
export function PasskeySection({
  passkeys,
  requiresCode,
  dialog,
}: {
  readonly passkeys: readonly Passkey[];
  readonly requiresCode: boolean;
  readonly dialog: DialogInUrl;
}) {
  const chosen = passkeys.find(({ id }) => id === dialog.query.id);
  const origin = passkeyOrigin();
  const isHere = origin === location.origin;
  if (origin === undefined && passkeys.length === 0) {
    return null;
  }
  return (
    <section class={styles.section}>
      <h2>Passkeys</h2>
      <p>
        Sign in with your fingerprint, face or PIN instead of a password and a code. A passkey works only on this site, so it cannot
        be phished.
      </p>
      {passkeys.length > 0 && (
        <ul aria-label="Passkeys">
          {passkeys.map(({ id, name, createdAt, lastUsedAt }) => (
            <li key={id}>
              <b>{name}</b>, created {createdAt && <Day at={createdAt} />}
              {lastUsedAt === undefined ? (
                ", not used yet "
              ) : (
                <>
                  , last used <Day at={lastUsedAt} />{" "}
                </>
              )}
              <Button label={`Rename passkey ${name}`} onClick={() => dialog.open("rename-passkey", { id })}>
                Rename
              </Button>{" "}
              <Button label={`Delete passkey ${name}`} onClick={() => dialog.open("delete-passkey", { id })}>
                Delete
              </Button>
            </li>
          ))}
        </ul>
      )}
      {origin !== undefined && !isHere && (
        <p>
          Passkeys work only at <a href={`${origin}/app/account`}>{origin}</a>. Sign in there to create one.
        </p>
      )}
      {isHere && <Button onClick={() => dialog.open("passkey")}>Create passkey</Button>}
      {isHere && dialog.name === "passkey" && (
        <CreateDialog requiresCode={requiresCode} onClose={dialog.close} onDone={dialog.closeHere} />
      )}
      {dialog.name === "rename-passkey" && chosen !== undefined && (
        <RenameDialog passkey={chosen} onClose={dialog.close} onDone={dialog.closeHere} />
      )}
      {dialog.name === "delete-passkey" && chosen !== undefined && (
        <DeleteDialog passkey={chosen} onClose={dialog.close} onDone={dialog.closeHere} />
      )}
    </section>
  );
}

interface DialogProps {
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function CreateDialog({ requiresCode, onClose, onDone }: DialogProps & { readonly requiresCode: boolean }) {
  const begin = useMutation(beginPasskey);
  const create = useMutation(createPasskey, [getProfile]);
  const [refusal, setRefusal] = useState<string>();
  const add = async (values: FormData): Promise<void> => {
    setRefusal(undefined);
    const password = String(values.get("password"));
    const started = await begin.mutate({ password, code: String(values.get("code") ?? "").trim() });
    if (started === undefined) {
      return;
    }
    try {
      const { startRegistration } = await import("@simplewebauthn/browser");
      const { id, rawId, type, response } = await startRegistration({ optionsJSON: JSON.parse(started.optionsJson) });
      const { clientDataJSON, attestationObject, transports } = response;
      const credential = { id, rawId, type, response: { clientDataJSON, attestationObject, transports } };
      const name = String(values.get("name")).trim();
      if ((await create.mutate({ credentialJson: JSON.stringify(credential), name })) !== undefined) {
        onDone();
      }
    } catch {
      setRefusal("Your browser did not create a passkey. Try again, or use another device.");
    }
  };
  const problem = begin.problem ?? create.problem;
  return (
    <Dialog title="Create passkey" onClose={onClose}>
      {refusal !== undefined && <Notice tone="bad">{refusal}</Notice>}
      <Form problem={problem} names={["name", "password", "code"]} onSubmit={(values) => void add(values)}>
        <Field
          label="Name"
          name="name"
          type="text"
          maxLength={64}
          placeholder="Laptop"
          required={false}
          error={problem?.fields.name}
        />
        <CurrentPasswordField error={problem?.fields.password} />
        {requiresCode && <CodeField error={problem?.fields.code} />}
        <ConfirmButtons label="Create" isBusy={begin.isPending || create.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}

function RenameDialog({ passkey: { id, name }, onClose, onDone }: DialogProps & { readonly passkey: Passkey }) {
  const { mutate, isPending, problem } = useMutation(updatePasskey, [getProfile]);
  const rename = async (values: FormData): Promise<void> => {
    if ((await mutate({ passkeyId: id, name: String(values.get("name")).trim() })) !== undefined) {
      onDone();
    }
  };
  return (
    <Dialog title={`Rename passkey ${name}`} onClose={onClose}>
      <Form problem={problem} names={["name"]} onSubmit={(values) => void rename(values)}>
        <Field label="Name" name="name" type="text" maxLength={64} defaultValue={name} error={problem?.fields.name} />
        <ConfirmButtons kind="primary" label="Rename" isBusy={isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}

function DeleteDialog({ passkey: { id, name }, onClose, onDone }: DialogProps & { readonly passkey: Passkey }) {
  const { mutate, isPending, problem } = useMutation(deletePasskey, [getProfile]);
  const remove = async (values: FormData): Promise<void> => {
    if ((await mutate({ passkeyId: id, password: String(values.get("password")) })) !== undefined) {
      onDone();
    }
  };
  return (
    <Dialog title={`Delete passkey ${name}`} onClose={onClose}>
      <p>It will stop working. Delete it on your device too.</p>
      <Form problem={problem} names={["password"]} onSubmit={(values) => void remove(values)}>
        <CurrentPasswordField error={problem?.fields.password} />
        <ConfirmButtons kind="danger" label="Delete" isBusy={isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
