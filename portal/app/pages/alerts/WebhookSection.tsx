// The account's webhook endpoints: URLs to which alerts are sent.
import { useState } from "preact/hooks";
import { type WebhookEndpoint, WebhookService } from "../../../../gen/quintet/account/v1/webhook_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { Badge } from "../../../components/ui/Badge.tsx";
import { Button } from "../../../components/ui/Button.tsx";
import { Dialog } from "../../../components/ui/Dialog.tsx";
import { Menu, MenuItem } from "../../../components/ui/Menu.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import { Table } from "../../../components/ui/Table.tsx";
import { ConfirmButtons } from "../../DialogButtons.tsx";
import { DeliveryList } from "./DeliveryList.tsx";
import { WebhookDialog } from "./WebhookDialog.tsx";
import { WebhookSecretDialog } from "./WebhookSecretDialog.tsx";
import { alertTypesText, endpointState } from "./webhook-states.ts";

type Opened =
  | { readonly kind: "add" }
  | { readonly kind: "edit" | "delete"; readonly endpoint: WebhookEndpoint }
  | { readonly kind: "secret"; readonly secret: string; readonly isRotated: boolean };

const {
  listWebhookEndpoints,
  listWebhookDeliveries,
  updateWebhookEndpoint,
  rotateWebhookSecret,
  sendWebhookDelivery,
  deleteWebhookEndpoint,
} = WebhookService.method;
const ENDPOINTS_MAX = 5;

/** `mayChange`: whether the user's role allows changes. */
export function WebhookSection({
  endpoints,
  mayChange,
}: {
  readonly endpoints: readonly WebhookEndpoint[];
  readonly mayChange: boolean;
}) {
  const [opened, setOpened] = useState<Opened>();
  const [shownId, setShownId] = useState<string>();
  const update = useMutation(updateWebhookEndpoint, [listWebhookEndpoints, listWebhookDeliveries]);
  const rotation = useMutation(rotateWebhookSecret, [listWebhookEndpoints]);
  const test = useMutation(sendWebhookDelivery, [listWebhookDeliveries]);
  const problem = update.problem ?? rotation.problem ?? test.problem;
  const close = (): void => setOpened(undefined);
  const rotate = async ({ id }: WebhookEndpoint): Promise<void> => {
    const rotated = await rotation.mutate({ endpointId: id });
    if (rotated !== undefined) {
      setOpened({ kind: "secret", secret: rotated.secret, isRotated: true });
    }
  };
  const send = async ({ id }: WebhookEndpoint): Promise<void> => {
    if ((await test.mutate({ what: { case: "endpointId", value: id } })) !== undefined) {
      setShownId(id);
    }
  };
  const shown = endpoints.find(({ id }) => id === shownId);
  return (
    <>
      <p>
        Alerts can also go to your own servers, as <a href="/docs/accounts#webhooks">signed requests</a>.
      </p>
      {problem !== undefined && <Notice tone="bad">{problem.message}</Notice>}
      {endpoints.length > 0 && (
        <Table
          label="Webhook endpoints"
          stacks
          columns={[{ heading: "URL" }, { heading: "Alerts" }, { heading: "Status" }, { heading: "Actions", isFigure: true }]}
          rows={endpoints.map((endpoint) => ({
            key: endpoint.id,
            cells: [
              <>
                {endpoint.url}
                {endpoint.description !== "" && ` (${endpoint.description})`}
              </>,
              alertTypesText(endpoint),
              <Badge key="state" {...endpointState(endpoint)} />,
              <Menu key="menu" label={`Actions for ${endpoint.url}`}>
                <MenuItem onClick={() => setShownId(endpoint.id)}>View deliveries</MenuItem>
                {mayChange && (
                  <>
                    {!endpoint.disabled && <MenuItem onClick={() => void send(endpoint)}>Send test</MenuItem>}
                    <MenuItem onClick={() => setOpened({ kind: "edit", endpoint })}>Edit</MenuItem>
                    <MenuItem onClick={() => void update.mutate({ endpointId: endpoint.id, disabled: !endpoint.disabled })}>
                      {endpoint.disabled ? "Enable" : "Disable"}
                    </MenuItem>
                    <MenuItem onClick={() => void rotate(endpoint)}>Rotate secret</MenuItem>
                    <MenuItem tone="danger" onClick={() => setOpened({ kind: "delete", endpoint })}>
                      Delete
                    </MenuItem>
                  </>
                )}
              </Menu>,
            ],
          }))}
        />
      )}
      {!mayChange ? null : endpoints.length < ENDPOINTS_MAX ? (
        <p>
          <Button onClick={() => setOpened({ kind: "add" })}>Add webhook endpoint</Button>
        </p>
      ) : (
        <p>An account can have at most {ENDPOINTS_MAX} endpoints.</p>
      )}
      {shown !== undefined && <DeliveryList key={shown.id} endpoint={shown} />}
      {(opened?.kind === "add" || opened?.kind === "edit") && (
        <WebhookDialog
          endpoint={opened.kind === "edit" ? opened.endpoint : undefined}
          onSaved={(secret) => setOpened(secret === undefined ? undefined : { kind: "secret", secret, isRotated: false })}
          onClose={close}
        />
      )}
      {opened?.kind === "secret" && <WebhookSecretDialog {...opened} onClose={close} />}
      {opened?.kind === "delete" && <DeleteDialog endpoint={opened.endpoint} onClose={close} />}
    </>
  );
}

function DeleteDialog({ endpoint, onClose }: { readonly endpoint: WebhookEndpoint; readonly onClose: () => void }) {
  const { mutate, isPending, problem } = useMutation(deleteWebhookEndpoint, [listWebhookEndpoints]);
  const remove = async (): Promise<void> => {
    if ((await mutate({ endpointId: endpoint.id })) !== undefined) {
      onClose();
    }
  };
  return (
    <Dialog title="Delete webhook endpoint" onClose={onClose}>
      {problem !== undefined && <Notice tone="bad">{problem.message}</Notice>}
      <p>
        Nothing more will be sent to {endpoint.url}, and the log of its deliveries is deleted. To stop it temporarily, disable it
        instead.
      </p>
      <ConfirmButtons
        kind="danger"
        label="Delete permanently"
        busyLabel="Deleting…"
        isBusy={isPending}
        onConfirm={() => void remove()}
        onClose={onClose}
      />
    </Dialog>
  );
}
