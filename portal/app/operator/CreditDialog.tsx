// Gives a subscription more calls this month. Asks how many and why, and then for a confirmation.
import { useState } from "preact/hooks";
import type { Subscription } from "../../../gen/quintet/account/v1/account_pb.js";
import { UsageService } from "../../../gen/quintet/account/v1/usage_pb.js";
import { OperatorService } from "../../../gen/quintet/operator/v1/operator_pb.js";
import { useMutation } from "../../api/use-mutation.ts";
import { Button } from "../../components/ui/Button.tsx";
import { Dialog, DialogActions } from "../../components/ui/Dialog.tsx";
import { Field } from "../../components/ui/Field.tsx";
import { Form } from "../../components/ui/Form.tsx";
import { formatCount, formatNumber, serviceTitle } from "../formats.ts";

const { creditQuota, getUsage, listAuditEntries } = OperatorService.method;
const CHANGED = [getUsage, listAuditEntries, UsageService.method.getUsage];
const CALLS_MAX = 1_000_000_000;
const MONTH = new Intl.DateTimeFormat(undefined, { month: "long", timeZone: "UTC" });

/** `owner` names the account. `onCredited` gets the result in a sentence. */
export function CreditDialog({
  owner,
  subscription,
  onCredited,
  onClose,
}: {
  readonly owner: string;
  readonly subscription: Subscription;
  readonly onCredited: (message: string) => void;
  readonly onClose: () => void;
}) {
  const { mutate, isPending, problem, reset } = useMutation(creditQuota, CHANGED);
  const [calls, setCalls] = useState("");
  const [reason, setReason] = useState("");
  const [errors, setErrors] = useState<{ readonly calls?: string; readonly reason?: string }>({});
  const [isConfirming, setConfirming] = useState(false);
  const title = serviceTitle(subscription.service);
  const count = Number(calls);
  const send = async (): Promise<void> => {
    if (!isConfirming) {
      const isWhole = /^\d+$/.test(calls.trim()) && count >= 1 && count <= CALLS_MAX;
      const found = {
        ...(!isWhole && { calls: `must be a whole number from 1 to ${formatNumber(CALLS_MAX)}` }),
        ...(reason.trim() === "" && { reason: "is required" }),
      };
      setErrors(found);
      setConfirming(Object.keys(found).length === 0);
      return;
    }
    const given = await mutate({ subscriptionId: subscription.id, calls: count, reason: reason.trim() });
    if (given !== undefined) {
      const total = `${formatNumber(given.credited)} added in total`;
      onCredited(`${owner} has ${formatCount(given.calls, "more call")} to ${title} this month (${total}).`);
    }
  };
  return (
    <Dialog title={`Add calls to ${title}`} onClose={onClose}>
      <Form problem={problem} names={["calls", "reason"]} onSubmit={() => void send()}>
        {isConfirming && problem === undefined ? (
          <p>
            {owner} gets <b>{formatCount(count, "more call")}</b> to {title} in {MONTH.format(Date.now())}, effective immediately.
            Unused calls expire at the end of the month. This cannot be undone.
          </p>
        ) : (
          <>
            <Field
              label="Calls"
              name="calls"
              inputMode="numeric"
              autocomplete="off"
              value={calls}
              error={problem?.fields.calls ?? errors.calls}
              onInput={(event) => setCalls(event.currentTarget.value)}
            />
            <Field
              label="Reason"
              name="reason"
              maxLength={200}
              autocomplete="off"
              value={reason}
              hint="For the audit trail. The customer does not see it."
              error={problem?.fields.reason ?? errors.reason}
              onInput={(event) => setReason(event.currentTarget.value)}
            />
          </>
        )}
        <DialogActions>
          <Button
            onClick={() => {
              reset();
              if (isConfirming) {
                setConfirming(false);
              } else {
                onClose();
              }
            }}
          >
            {isConfirming ? "Back" : "Cancel"}
          </Button>
          <Button kind="primary" type="submit" isBusy={isPending}>
            {isPending ? "Adding…" : isConfirming ? `Add ${formatCount(count, "call")}` : "Continue"}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
