// Changes the limits of a key.
import { useState } from "preact/hooks";
import { type Key, KeyService } from "../../../../gen/quintet/account/v1/key_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { Dialog } from "../../../components/ui/Dialog.tsx";
import { Form } from "../../../components/ui/Form.tsx";
import { ConfirmButtons } from "../../DialogButtons.tsx";
import { formatNumber } from "../../formats.ts";
import type { Change } from "./ChangeNotice.tsx";
import { LIMIT_NAMES, LimitFields, limitsOf } from "./LimitFields.tsx";

/** `onChanged` gets the key as the server returned it. */
export function LimitKeyDialog({
  apiKey,
  onChanged,
  onClose,
}: {
  readonly apiKey: Key;
  readonly onChanged: (change: Change) => void;
  readonly onClose: () => void;
}) {
  const { mutate, isPending, problem } = useMutation(KeyService.method.updateKey, [KeyService.method.listKeys]);
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const { callsPerMonth, callsThisMonth = 0 } = apiKey;
  const change = async (values: FormData): Promise<void> => {
    const { allowedAddresses, allowedOrigins, faults: wrong, ...counts } = limitsOf(values);
    setFaults(wrong);
    if (Object.keys(wrong).length > 0) {
      return;
    }
    const lists = { allowedAddresses: { networks: allowedAddresses }, allowedOrigins: { origins: allowedOrigins } };
    const response = await mutate({ keyId: apiKey.id, ...counts, ...lists });
    if (response?.key !== undefined) {
      onChanged({ key: response.key, kind: "changed" });
    }
  };
  return (
    <Dialog title={`Limits for ${apiKey.name}`} onClose={onClose}>
      <Form problem={problem} names={LIMIT_NAMES} draft={`limit-key-${apiKey.id}`} onSubmit={(values) => void change(values)}>
        <p>
          Calls that these limits refuse do not count against your plans, so your other keys keep working.
          {callsPerMonth !== undefined &&
            ` This month the key has used ${formatNumber(callsThisMonth)} of ${formatNumber(callsPerMonth)} calls.`}
        </p>
        <LimitFields limits={apiKey} errors={{ ...problem?.fields, ...faults }} />
        <ConfirmButtons label="Save" busyLabel="Saving…" isBusy={isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
