// The plans that wait to be activated.
import { useLocation } from "preact-iso";
import { OperatorService, type WaitingSubscription } from "../../../../gen/quintet/operator/v1/operator_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { useQuery } from "../../../api/use-query.ts";
import { Button } from "../../../components/ui/Button.tsx";
import { EmptyState } from "../../../components/ui/EmptyState.tsx";
import { Loaded } from "../../../components/ui/Loaded.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import { Table } from "../../../components/ui/Table.tsx";
import { serviceTitle } from "../../formats.ts";
import styles from "../../operator/OperatorPage.module.css";
import { OperatorPage } from "../../operator/OperatorPage.tsx";
import { offsetOf, PAGE_ROWS, Pages } from "../../operator/Pages.tsx";

const { listWaitingSubscriptions, activateSubscription, declineSubscription, getAccount, listAuditEntries } =
  OperatorService.method;
// The methods whose data shows a subscription's plan or a change of it.
const CHANGED = [listWaitingSubscriptions, getAccount, listAuditEntries];
const COLUMNS = [
  { heading: "Account" },
  { heading: "Service" },
  { heading: "Current plan" },
  { heading: "Requested plan" },
  { heading: "Decide" },
];

export default function Waiting() {
  return <OperatorPage title="Plan requests">{() => <WaitingList />}</OperatorPage>;
}

function WaitingList() {
  const { query } = useLocation();
  const waiting = useQuery(listWaitingSubscriptions, { limit: PAGE_ROWS, offset: offsetOf(query) });
  const activate = useMutation(activateSubscription, CHANGED);
  const decline = useMutation(declineSubscription, CHANGED);
  const problem = activate.problem ?? decline.problem;
  const isBusy = activate.isPending || decline.isPending;
  const cellsOf = ({ account, subscription, waitingPlan }: WaitingSubscription) => {
    const subscriptionId = subscription?.id ?? "";
    const of = `${waitingPlan} of ${subscription?.service} for ${account?.name}`;
    return [
      <a key="account" class={styles.break} href={`/app/operator/accounts/${account?.id}`}>
        {account?.email ?? account?.name}
      </a>,
      serviceTitle(subscription?.service ?? ""),
      subscription?.requestedPlan === undefined ? "none" : subscription.plan,
      waitingPlan,
      <div key="decide" class={styles.actions}>
        <Button
          kind="primary"
          isBusy={isBusy}
          label={`Activate ${of}`}
          onClick={() => void activate.mutate({ subscriptionId, plan: waitingPlan })}
        >
          Activate
        </Button>
        <Button isBusy={isBusy} label={`Decline ${of}`} onClick={() => void decline.mutate({ subscriptionId })}>
          Decline
        </Button>
      </div>,
    ];
  };
  return (
    <>
      {problem !== undefined && <Notice tone="bad">{problem.message}</Notice>}
      <Loaded query={waiting} rem={30}>
        {({ results, total, hasMore }) =>
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
              <Pages count={results.length} total={total} hasMore={hasMore} />
            </>
          )
        }
      </Loaded>
    </>
  );
}
