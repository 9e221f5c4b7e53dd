// A customer creates a webhook endpoint, tests it, sends a delivery again, changes it, and deletes it. Whole responses are compared.
import { expect } from "vitest";
import { verified, type WebhookReceiver, withStatus } from "../../fixtures/servers/webhook-receiver.ts";
import { METHODS, type Person } from "./person.ts";
import { A_TIME, AN_ID, badInput, forbidden, MILLISECONDS } from "./responses.ts";

const A_SECRET: unknown = expect.stringMatching(/^whsec_[\w+/]{43}=$/);
const NO_ID = "00000000-0000-4000-8000-000000000000";

const notFound = (what: string) =>
  ({ reason: "NOT_FOUND", message: `The account has no webhook ${what} with the ID ${NO_ID}.` }) as const;

interface Endpoint {
  readonly id: string;
}
interface Delivery {
  readonly id: string;
  readonly event_id: string;
  readonly state: string;
}

/** Plays it through for a person with a new account. `receiver`: the customer's server. */
export async function runWebhooks(person: Person, receiver: WebhookReceiver, email: string): Promise<void> {
  const session = await person.begin(email);
  await person.get(METHODS.listWebhookEndpoints, {}, { results: [] }, session);
  const wrong = badInput({ field: "url", description: "must not contain a user name or password; requests are signed instead" });
  await person.fail(METHODS.createWebhookEndpoint, { url: "https://ada:x@hooks.example/" }, wrong, session);

  const created = {
    ...{ id: AN_ID, url: receiver.url, description: "kitchen", alert_types: ["quota_threshold"], disabled: false },
    created_at: A_TIME,
  };
  const { endpoint, secret } = await person.get<{ endpoint: Endpoint; secret: string }>(
    METHODS.createWebhookEndpoint,
    { url: receiver.url, description: "kitchen", alert_types: ["quota_threshold"] },
    { endpoint: created, secret: A_SECRET },
    session,
  );
  const one = { endpoint_id: endpoint.id };
  await person.get(METHODS.listWebhookEndpoints, {}, { results: [{ ...created, id: endpoint.id }] }, session);

  // A test is sent, and the delivery says how it ended.
  const waiting = {
    ...{ id: AN_ID, event_id: AN_ID, event_type: "webhook.test", state: "waiting" },
    ...{ created_at: A_TIME, next_attempt_at: A_TIME, payload: expect.stringContaining('"type":"webhook.test"') },
    ...{ error: "", attempts: [] },
  };
  receiver.respond = withStatus(503, "closed today");
  const { delivery } = await person.get<{ delivery: Delivery }>(METHODS.sendWebhookDelivery, one, { delivery: waiting }, session);
  const stateOf = async (): Promise<string | undefined> =>
    (await person.take<{ results: Delivery[] }>(METHODS.listWebhookDeliveries, one, session)).results[0]?.state;
  await expect.poll(stateOf).toBe("failed");
  const attempt = { attempt: 1, sent_at: A_TIME, duration_ms: MILLISECONDS, http_status: 503, response: "closed today" };
  const { next_attempt_at: _, ...settled } = { ...waiting, id: delivery.id, event_id: delivery.event_id };
  const failed = {
    ...settled,
    state: "failed",
    attempts: [{ ...attempt, error: expect.stringContaining("503") }],
  };
  await person.get(METHODS.listWebhookDeliveries, one, { results: [failed] }, session);

  // It is sent again, with the same id, and arrives.
  receiver.respond = withStatus(200, "thanks");
  const replayed = { ...failed, state: "waiting", next_attempt_at: A_TIME };
  await person.get(METHODS.sendWebhookDelivery, { delivery_id: delivery.id }, { delivery: replayed }, session);
  await expect.poll(stateOf).toBe("delivered");
  const [first, second] = receiver.received.slice(-2);
  expect([first, second].map((webhook) => webhook?.headers["webhook-id"])).toEqual([delivery.event_id, delivery.event_id]);
  expect(verified(second ?? expect.unreachable(), secret)).toMatchObject({ type: "webhook.test", data: one });

  // Changed, disabled and deleted.
  const changed = { ...created, id: endpoint.id, description: "cellar", alert_types: [] };
  const change = { ...one, description: "cellar", alert_types: {} };
  await person.get(METHODS.updateWebhookEndpoint, change, { endpoint: changed }, session);
  const rotated = { endpoint: { ...changed, previous_secret_expires_at: A_TIME }, secret: A_SECRET };
  await person.get(METHODS.rotateWebhookSecret, one, rotated, session);
  const disabled = { ...rotated.endpoint, disabled: true, disabled_reason: "owner" };
  await person.get(METHODS.updateWebhookEndpoint, { ...one, disabled: true }, { endpoint: disabled }, session);
  const enable = forbidden("endpoint_id", "The webhook endpoint is disabled. Enable it first.");
  await person.fail(METHODS.sendWebhookDelivery, one, enable, session);
  await person.get(METHODS.deleteWebhookEndpoint, one, {}, session);
  await person.get(METHODS.listWebhookEndpoints, {}, { results: [] }, session);
  await person.fail(METHODS.listWebhookDeliveries, { endpoint_id: NO_ID }, notFound("endpoint"), session);
  await person.fail(METHODS.sendWebhookDelivery, { delivery_id: NO_ID }, notFound("delivery"), session);
}
