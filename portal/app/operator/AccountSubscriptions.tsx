// An account's subscriptions for operators, who may give each of them more calls this month.
import { useState } from "preact/hooks";
import { type Subscription, SubscriptionState } from "../../../gen/quintet/account/v1/account_pb.js";
import type { GetAccountResponse } from "../../../gen/quintet/operator/v1/operator_pb.js";
import { Badge } from "../../components/ui/Badge.tsx";
import { Button } from "../../components/ui/Button.tsx";
import { Table } from "../../components/ui/Table.tsx";
import { Day } from "../../components/ui/Time.tsx";
import { useLoaded } from "../../components/ui/use-loaded.ts";
import { DoneNotice } from "../DoneNotice.tsx";
import { planTitle, serviceTitle } from "../formats.ts";
import { useDialogInUrl } from "../use-dialog-in-url.ts";
import styles from "./OperatorPage.module.css";

const COLUMNS = [
  { heading: "Service" },
  { heading: "Plan" },
  { heading: "Requested" },
  { heading: "Status" },
  { heading: "Paid by card" },
  { heading: "This month" },
];

const STATES = {
  [SubscriptionState.UNSPECIFIED]: { tone: "off", label: "Unknown" },
  [SubscriptionState.REQUESTED]: { tone: "waits", label: "Waiting for activation" },
  [SubscriptionState.ACTIVE]: { tone: "good", label: "Active" },
  [SubscriptionState.CANCELLED]: { tone: "off", label: "Cancelled" },
} as const;

const loadCreditDialog = async () => (await import("./CreditDialog.tsx")).CreditDialog;

export function AccountSubscriptions({ found: { account, subscriptions } }: { readonly found: GetAccountResponse }) {
  const dialog = useDialogInUrl();
  const [done, setDone] = useState<string>();
  const CreditDialog = useLoaded(loadCreditDialog, dialog.name === "credit");
  const credited = subscriptions.find(({ id }) => id === dialog.query.subscription);
  return (
    <section class={styles.part}>
      <h2>Subscriptions</h2>
      <DoneNotice message={done} onClose={() => setDone(undefined)} />
      {subscriptions.length === 0 ? (
        <p>No subscriptions.</p>
      ) : (
        <Table
          label="Subscriptions"
          stacks
          columns={COLUMNS}
          rows={subscriptions.map((one) => ({ key: one.id, cells: cellsOf(one, dialog.open) }))}
        />
      )}
      {dialog.name === "credit" && credited !== undefined && CreditDialog !== undefined && (
        <CreditDialog
          owner={account?.email ?? account?.name ?? ""}
          subscription={credited}
          onClose={dialog.close}
          onCredited={(message) => {
            setDone(message);
            dialog.close();
          }}
        />
      )}
    </section>
  );
}

const cellsOf = (
  { id, service, plan, requestedPlan, state, cardPayment }: Subscription,
  open: (name: string, values: Readonly<Record<string, string>>) => void,
) => [
  serviceTitle(service),
  state === SubscriptionState.REQUESTED ? "None" : planTitle(plan),
  state === SubscriptionState.REQUESTED ? planTitle(plan) : requestedPlan === undefined ? "None" : planTitle(requestedPlan),
  <Badge key="state" {...STATES[state]} />,
  cardPayment === undefined ? (
    "–"
  ) : (
    <span key="card">
      {cardPayment.graceEndsAt !== undefined && (
        <>
          Failed, kept until <Day at={cardPayment.graceEndsAt} />{" "}
        </>
      )}
      {cardPayment.endsAt !== undefined && (
        <>
          Cancelled, ends on <Day at={cardPayment.endsAt} />{" "}
        </>
      )}
      {cardPayment.invoiceUrl !== "" && <a href={cardPayment.invoiceUrl}>Invoice</a>}
    </span>
  ),
  state === SubscriptionState.ACTIVE && (
    <Button label={`Add calls to ${serviceTitle(service)}`} onClick={() => open("credit", { subscription: id })}>
      Add calls
    </Button>
  ),
];
