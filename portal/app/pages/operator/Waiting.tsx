// The requested plans that are not active yet.
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { OperatorService, type WaitingSubscription } from "../../../../gen/quintet/operator/v1/operator_pb.js";
import { useQuery } from "../../../api/use-query.ts";
import { Button } from "../../../components/ui/Button.tsx";
import { EmptyState } from "../../../components/ui/EmptyState.tsx";
import { Loaded } from "../../../components/ui/Loaded.tsx";
import { Table } from "../../../components/ui/Table.tsx";
import { Distance } from "../../../components/ui/Time.tsx";
import { DoneNotice } from "../../DoneNotice.tsx";
import { formatMoney, planTitle, serviceTitle } from "../../formats.ts";
import { ActivateDialog, DeclineDialog } from "../../operator/DecideDialog.tsx";
import styles from "../../operator/OperatorPage.module.css";
import { OperatorPage } from "../../operator/OperatorPage.tsx";
import { offsetOf, PAGE_ROWS, Pages } from "../../operator/Pages.tsx";
import { useDialogInUrl } from "../../use-dialog-in-url.ts";

const COLUMNS = [
  { heading: "Account" },
  { heading: "Service" },
  { heading: "Current plan" },
  { heading: "Requested plan" },
  { heading: "Price per month" },
  { heading: "Requested" },
  { heading: "Actions" },
];

export default function Waiting() {
  return <OperatorPage title="Plan requests">{() => <WaitingList />}</OperatorPage>;
}

function WaitingList() {
  const { query } = useLocation();
  const waiting = useQuery(OperatorService.method.listWaitingSubscriptions, { limit: PAGE_ROWS, offset: offsetOf(query) });
  const dialog = useDialogInUrl();
  const [done, setDone] = useState<string>();
  const chosen = waiting.data?.results.find(({ subscription }) => subscription?.id === dialog.query.subscription);
  const decided = (message: string): void => {
    setDone(message);
    dialog.close();
  };
  const cellsOf = ({ account, subscription, waitingPlan }: WaitingSubscription) => {
    const terms = subscription?.requestedTerms ?? subscription?.terms;
    const since = subscription?.requestedAt ?? subscription?.agreedAt;
    const id = { subscription: subscription?.id ?? "" };
    const of = `${planTitle(waitingPlan)} for ${serviceTitle(subscription?.service ?? "")}, ${account?.name}`;
    return [
      <a key="account" class={styles.break} href={`/app/operator/accounts/id/${account?.id}`}>
        {account?.email ?? account?.name}
      </a>,
      serviceTitle(subscription?.service ?? ""),
      subscription?.requestedPlan === undefined ? "None" : planTitle(subscription.plan),
      planTitle(waitingPlan),
      terms === undefined ? "" : formatMoney(terms.priceMinor, terms.currency),
      since === undefined ? "" : <Distance key="since" at={since} />,
      <div key="decide" class={styles.actions}>
        <Button kind="primary" label={`Activate ${of}`} onClick={() => dialog.open("activate", id)}>
          Activate
        </Button>
        <Button label={`Decline ${of}`} onClick={() => dialog.open("decline", id)}>
          Decline
        </Button>
      </div>,
    ];
  };
  return (
    <>
      <DoneNotice message={done} onClose={() => setDone(undefined)} />
      {dialog.name === "activate" && chosen !== undefined && (
        <ActivateDialog waiting={chosen} onDecided={decided} onClose={dialog.close} />
      )}
      {dialog.name === "decline" && chosen !== undefined && (
        <DeclineDialog waiting={chosen} onDecided={decided} onClose={dialog.close} />
      )}
      <Loaded query={waiting} rem={30}>
        {({ results, total, nextOffset }) =>
          results.length === 0 ? (
            <EmptyState title="No pending requests">
              <p>Requests for paid plans are listed here until you activate or decline them.</p>
            </EmptyState>
          ) : (
            <>
              <Table
                label="Plan requests"
                stacks
                columns={COLUMNS}
                rows={results.map((row) => ({ key: row.subscription?.id ?? "", cells: cellsOf(row) }))}
              />
              <Pages count={results.length} total={total} nextOffset={nextOffset} />
            </>
          )
        }
      </Loaded>
    </>
  );
}
