// What was sent to a webhook endpoint in the last 7 days, with every attempt.
import { useState } from "preact/hooks";
import {
  type WebhookDelivery,
  WebhookDeliveryState,
  type WebhookEndpoint,
  WebhookService,
} from "../../../../gen/quintet/account/v1/webhook_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { useQuery } from "../../../api/use-query.ts";
import { Badge } from "../../../components/ui/Badge.tsx";
import { Button } from "../../../components/ui/Button.tsx";
import { Loaded } from "../../../components/ui/Loaded.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import { Table } from "../../../components/ui/Table.tsx";
import { DateTime } from "../../../components/ui/Time.tsx";
import styles from "../Account.module.css";
import { deliveryState, isSoon } from "./webhook-states.ts";

const PAGE_DELIVERIES = 20;
const REFETCH_MS = 1500;
const { listWebhookDeliveries, sendWebhookDelivery, listWebhookEndpoints } = WebhookService.method;

export function DeliveryList({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const [offset, setOffset] = useState(0);
  const [isPolling, setPolling] = useState(true);
  const deliveries = useQuery(
    listWebhookDeliveries,
    { endpointId: endpoint.id, limit: PAGE_DELIVERIES, offset },
    { refetchInterval: isPolling && REFETCH_MS, keepsPrevious: true },
  );
  const { mutate, problem } = useMutation(sendWebhookDelivery, [listWebhookDeliveries, listWebhookEndpoints]);
  const shouldPoll = deliveries.data === undefined || deliveries.data.results.some((one) => isSoon(one, Date.now()));
  if (shouldPoll !== isPolling) {
    setPolling(shouldPoll);
  }
  return (
    <>
      <h3>Deliveries to {endpoint.url}</h3>
      {problem !== undefined && <Notice tone="bad">{problem.message}</Notice>}
      <Loaded query={deliveries} rem={12}>
        {({ results, nextOffset }) => (
          <>
            {results.length === 0 ? (
              <p>Nothing was sent in the last 7 days. Send a test to try the endpoint.</p>
            ) : (
              <Table
                label="Deliveries, newest first"
                stacks
                columns={[
                  { heading: "Time" },
                  { heading: "Event" },
                  { heading: "Status" },
                  { heading: "Attempts" },
                  { heading: "Actions", isFigure: true },
                ]}
                rows={results.map((one) => ({
                  key: one.id,
                  cells: [
                    one.createdAt && <DateTime key="at" at={one.createdAt} />,
                    <code key="event">{one.eventType}</code>,
                    <DeliveryState key="state" delivery={one} />,
                    <Attempts key="attempts" delivery={one} />,
                    one.state === WebhookDeliveryState.WAITING && one.attempts.length === 0 ? (
                      ""
                    ) : (
                      <Button
                        key="replay"
                        label={`Replay ${one.eventType}`}
                        onClick={() => void mutate({ what: { case: "deliveryId", value: one.id } }).then(() => setPolling(true))}
                      >
                        Replay
                      </Button>
                    ),
                  ],
                }))}
              />
            )}
            <div class={styles.buttons}>
              {offset > 0 && <Button onClick={() => setOffset(Math.max(0, offset - PAGE_DELIVERIES))}>Newer deliveries</Button>}
              {nextOffset !== undefined && <Button onClick={() => setOffset(nextOffset)}>Older deliveries</Button>}
            </div>
          </>
        )}
      </Loaded>
    </>
  );
}

function DeliveryState({ delivery }: { readonly delivery: WebhookDelivery }) {
  const { tone, label, detail } = deliveryState(delivery);
  return (
    <>
      <Badge tone={tone} label={label} /> {detail}
      {delivery.state === WebhookDeliveryState.WAITING && delivery.attempts.length > 0 && delivery.nextAttemptAt && (
        <>
          {" "}
          Next attempt: <DateTime at={delivery.nextAttemptAt} />
        </>
      )}
    </>
  );
}

const Attempts = ({ delivery: { attempts, payload, eventId } }: { readonly delivery: WebhookDelivery }) => (
  <details>
    <summary>{attempts.length === 1 ? "1 attempt" : `${attempts.length} attempts`}</summary>
    <ol>
      {attempts.map(({ attempt, sentAt, durationMs, httpStatus, response, error }) => (
        <li key={attempt} value={attempt}>
          {sentAt && <DateTime at={sentAt} />}: {error || `HTTP ${httpStatus}`} ({durationMs} ms)
          {response !== "" && (
            <>
              <br />
              <code>{response}</code>
            </>
          )}
        </li>
      ))}
    </ol>
    <p>
      <code>webhook-id: {eventId}</code>
      <br />
      <code>{payload}</code>
    </p>
  </details>
);
