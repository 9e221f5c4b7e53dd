// The methods for webhooks.

import { type RateLimit, Throttle } from "@quintet/guard";
import { AlertType as Type } from "../../../gen/quintet/account/v1/alert_pb.js";
import { Failure, throwIfLimited } from "../../problem/failure.ts";
import { invalidArgument } from "../../problem/problem.ts";
import type { Clock } from "../../runtime/clock.ts";
import { hasControlCharacter } from "../../runtime/control-characters.ts";
import type { Randomness } from "../../runtime/randomness.ts";
import type { AlertType } from "../../store/alert-records.ts";
import type { AdminStore } from "../../store/store.ts";
import { tooManyWebhooks } from "../refusals.ts";
import { webhookUrlFault } from "../webhook-url.ts";
import { type AccountHandlers, asOwner, failOnConflict, following, notFound } from "./handlers.ts";
import { alertTypesOf, deliveryMessage, endpointMessage } from "./webhook-messages.ts";

const DEFAULT_LIMIT = 50;
const SECRET_BYTES = 32;
/** How long requests are also signed with the previous secret. */
const GRACE_MS = 86_400_000;
/** Each test or replay makes a request to a server that may not be the customer's. */
const SENDS_PER_ACCOUNT: RateLimit = { burst: 10, everyMs: 60_000 };

interface WebhookHandlerOptions {
  readonly store: AdminStore;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Whether webhooks may go to private addresses. */
  readonly allowsPrivateWebhooks?: boolean;
}

type WebhookMethods =
  | "listWebhookEndpoints"
  | "createWebhookEndpoint"
  | "updateWebhookEndpoint"
  | "rotateWebhookSecret"
  | "deleteWebhookEndpoint"
  | "listWebhookDeliveries"
  | "sendWebhookDelivery";

export function createWebhookHandlers({
  store,
  clock,
  randomness,
  allowsPrivateWebhooks: allowsPrivate = false,
}: WebhookHandlerOptions): Pick<AccountHandlers, WebhookMethods> {
  const sends = new Throttle(clock, SENDS_PER_ACCOUNT);
  const generateSecret = (): string => `whsec_${Buffer.from(randomness.bytes(SECRET_BYTES)).toString("base64")}`;
  const checkedUrl = (url: string): string => {
    const description = webhookUrlFault(url, { allowsPrivate });
    if (description !== undefined) {
      throw new Failure(invalidArgument([{ field: "url", description }]));
    }
    return url;
  };
  const checkedDescription = (description: string): string => {
    if (hasControlCharacter(description)) {
      const fault = "must be at most 100 characters without control characters";
      throw new Failure(invalidArgument([{ field: "description", description: fault }]));
    }
    return description;
  };
  const checkedTypes = (types: readonly Type[], field: string): readonly AlertType[] => {
    const index = types.indexOf(Type.WEBHOOK_FAILING);
    if (index >= 0) {
      const description = "must not be ALERT_TYPE_WEBHOOK_FAILING, which is sent only by e-mail";
      throw new Failure(invalidArgument([{ field: `${field}[${index}]`, description }]));
    }
    return alertTypesOf(types);
  };
  const requireEndpoint = async (accountId: string, id: string): Promise<void> => {
    if ((await store.findWebhookEndpoint(accountId, id)) === undefined) {
      throw notFound("webhook endpoint", id);
    }
  };
  return {
    async listWebhookEndpoints(_, { accountId }) {
      const endpoints = await store.webhookEndpoints(accountId);
      return { results: endpoints.map(endpointMessage) };
    },
    async createWebhookEndpoint({ url, description, alertTypes }, who) {
      const secret = generateSecret();
      const texts = { url: checkedUrl(url), description: checkedDescription(description) };
      const given = { ...texts, alertTypes: checkedTypes(alertTypes, "alert_types"), secret };
      const endpoint = await failOnConflict("account", () =>
        asOwner(store, who).createWebhookEndpoint({ ...given, id: randomness.uuid(), accountId: who.accountId }),
      );
      return { endpoint: endpointMessage(endpoint), secret };
    },
    async updateWebhookEndpoint({ endpointId, url, description, alertTypes, disabled }, who) {
      await requireEndpoint(who.accountId, endpointId);
      const changes = {
        ...(url !== undefined && { url: checkedUrl(url) }),
        ...(description !== undefined && { description: checkedDescription(description) }),
        ...(alertTypes !== undefined && { alertTypes: checkedTypes(alertTypes.types, "alert_types.types") }),
        ...(disabled !== undefined && { isDisabled: disabled }),
      };
      const changed = await failOnConflict("endpoint_id", () =>
        asOwner(store, who).updateWebhookEndpoint(who.accountId, endpointId, changes),
      );
      return { endpoint: endpointMessage(changed) };
    },
    async rotateWebhookSecret({ endpointId }, who) {
      await requireEndpoint(who.accountId, endpointId);
      const secret = generateSecret();
      const rotated = await failOnConflict("endpoint_id", () =>
        asOwner(store, who).rotateWebhookSecret(who.accountId, endpointId, secret, clock.nowMs() + GRACE_MS),
      );
      return { endpoint: endpointMessage(rotated), secret };
    },
    async deleteWebhookEndpoint({ endpointId }, who) {
      await requireEndpoint(who.accountId, endpointId);
      await failOnConflict("endpoint_id", () => asOwner(store, who).deleteWebhookEndpoint(who.accountId, endpointId));
      return {};
    },
    async listWebhookDeliveries({ endpointId, limit = DEFAULT_LIMIT, offset }, { accountId }) {
      await requireEndpoint(accountId, endpointId);
      const { deliveries, hasMore } = await store.webhookDeliveries(accountId, endpointId, { limit, offset });
      return { results: deliveries.map(deliveryMessage), ...following(hasMore, offset, limit) };
    },
    async sendWebhookDelivery({ what }, who) {
      const { accountId } = who;
      const id = what.value ?? "";
      if (what.case === "endpointId") {
        await requireEndpoint(accountId, id);
      } else if ((await store.findWebhookDelivery(accountId, id)) === undefined) {
        throw notFound("webhook delivery", id);
      }
      throwIfLimited(sends.take(accountId), tooManyWebhooks);
      const delivery =
        what.case === "endpointId"
          ? await failOnConflict("endpoint_id", () => asOwner(store, who).addWebhookTest(accountId, id, randomness.uuid()))
          : await failOnConflict("delivery_id", () => asOwner(store, who).replayWebhookDelivery(accountId, id));
      return { delivery: deliveryMessage(delivery) };
    },
  };
}
