// Makes a key: its name, the services that it may call, and when it expires.
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { useState } from "preact/hooks";
import { AccountService } from "../../../../gen/quintet/account/v1/account_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { Button } from "../../../components/ui/Button.tsx";
import { CheckboxList } from "../../../components/ui/CheckboxList.tsx";
import { Dialog, DialogActions } from "../../../components/ui/Dialog.tsx";
import { Field, SelectField } from "../../../components/ui/Field.tsx";
import { Form } from "../../../components/ui/Form.tsx";
import type { IssuedKey } from "./IssuedKeyDialog.tsx";
import { SERVICE_CHOICES } from "./service-choices.ts";

const NAMES = ["name", "services", "expires_at"];
const DAY_MS = 86_400_000;
const LIVES = [
  ["", "never"],
  ["7", "in 7 days"],
  ["30", "in 30 days"],
  ["90", "in 90 days"],
  ["365", "in a year"],
  ["day", "on a day of my choice"],
] as const;

/** `onIssued` gets the new key. */
export function MakeKeyDialog({
  onIssued,
  onClose,
}: {
  readonly onIssued: (made: IssuedKey) => void;
  readonly onClose: () => void;
}) {
  const { mutate, isPending, problem } = useMutation(AccountService.method.createKey, [AccountService.method.listKeys]);
  const [life, setLife] = useState("");
  const make = async (values: FormData): Promise<void> => {
    const expiry = expiryOf(life, String(values.get("expires_at")));
    const answer = await mutate({
      name: String(values.get("name")).trim(),
      services: values.getAll("services").map(String),
      ...(expiry !== undefined && { expiresAt: timestampFromDate(expiry) }),
    });
    if (answer?.key !== undefined) {
      onIssued({ key: answer.key, secret: answer.secret });
    }
  };
  const expiryError = problem?.fields.expires_at;
  return (
    <Dialog title="Make a key" onClose={onClose}>
      <Form problem={problem} names={NAMES} draft="make-key" onSubmit={(values) => void make(values)}>
        <Field
          label="Name"
          name="name"
          autocomplete="off"
          maxLength={64}
          hint="What uses it, such as a server or a program."
          error={problem?.fields.name}
        />
        <CheckboxList
          legend="Services that it may call"
          name="services"
          options={SERVICE_CHOICES}
          hint="With none chosen it may call all."
          error={problem?.fields.services}
        />
        <SelectField
          label="Expires"
          name="life"
          value={life}
          options={LIVES}
          onChange={setLife}
          error={life === "day" ? undefined : expiryError}
        />
        {life === "day" && (
          <Field label="First day on which it no longer works" name="expires_at" type="date" error={expiryError} />
        )}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={isPending}>
            {isPending ? "Making it …" : "Make the key"}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

// A day begins where the reader is. What is no day is sent as a time of the past, which the server refuses with its own words.
function expiryOf(life: string, day: string): Date | undefined {
  if (life === "") {
    return undefined;
  }
  if (life !== "day") {
    return new Date(Date.now() + Number(life) * DAY_MS);
  }
  return day === "" ? new Date(0) : new Date(`${day}T00:00`);
}
