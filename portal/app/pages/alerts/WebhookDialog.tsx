// Creates a webhook endpoint, or changes one.
import { useState } from "preact/hooks";
import { type WebhookEndpoint, WebhookService } from "../../../../gen/quintet/account/v1/webhook_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { CheckboxList } from "../../../components/ui/CheckboxList.tsx";
import { Dialog } from "../../../components/ui/Dialog.tsx";
import { Field } from "../../../components/ui/Field.tsx";
import { Form } from "../../../components/ui/Form.tsx";
import { ConfirmButtons } from "../../DialogButtons.tsx";
import { WEBHOOK_CHOICES } from "./alert-choices.ts";

const { createWebhookEndpoint, updateWebhookEndpoint, listWebhookEndpoints } = WebhookService.method;

/** `endpoint`: the endpoint to change; undefined to create one. `onSaved` gets the secret of a new endpoint. */
export function WebhookDialog({
  endpoint,
  onSaved,
  onClose,
}: {
  readonly endpoint: WebhookEndpoint | undefined;
  readonly onSaved: (secret: string | undefined) => void;
  readonly onClose: () => void;
}) {
  const creation = useMutation(createWebhookEndpoint, [listWebhookEndpoints]);
  const update = useMutation(updateWebhookEndpoint, [listWebhookEndpoints]);
  const [isNoneChosen, setNoneChosen] = useState(false);
  const { isPending, problem } = endpoint === undefined ? creation : update;
  const save = async (values: FormData): Promise<void> => {
    const url = String(values.get("url")).trim();
    const description = String(values.get("description")).trim();
    const chosen = values.getAll("alert_types").map(Number);
    setNoneChosen(chosen.length === 0);
    if (chosen.length === 0) {
      return;
    }
    // An empty list means all types, including types that are added later.
    const types = chosen.length === WEBHOOK_CHOICES.length ? [] : chosen;
    if (endpoint === undefined) {
      const created = await creation.mutate({ url, description, alertTypes: types });
      if (created !== undefined) {
        onSaved(created.secret);
      }
    } else if ((await update.mutate({ endpointId: endpoint.id, url, description, alertTypes: { types } })) !== undefined) {
      onSaved(undefined);
    }
  };
  const chosen = endpoint === undefined || endpoint.alertTypes.length === 0 ? undefined : endpoint.alertTypes.map(String);
  return (
    <Dialog title={endpoint === undefined ? "Add webhook endpoint" : "Edit webhook endpoint"} onClose={onClose}>
      <Form problem={problem} names={["url", "description"]} onSubmit={(values) => void save(values)}>
        <Field
          label="URL"
          name="url"
          type="url"
          autocomplete="off"
          maxLength={500}
          defaultValue={endpoint?.url ?? ""}
          hint="Where to send alerts, such as https://example.com/webhooks."
          error={problem?.fields.url}
        />
        <Field
          label="Description"
          name="description"
          autocomplete="off"
          maxLength={100}
          defaultValue={endpoint?.description ?? ""}
          hint="Optional."
          error={problem?.fields.description}
        />
        <CheckboxList
          legend="Alerts to send"
          name="alert_types"
          options={WEBHOOK_CHOICES}
          chosen={chosen ?? WEBHOOK_CHOICES.map(([type]) => type)}
          error={isNoneChosen ? "must not be empty: choose at least one" : undefined}
        />
        <ConfirmButtons
          label={endpoint === undefined ? "Add endpoint" : "Save"}
          busyLabel="Saving…"
          isBusy={isPending}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  );
}
