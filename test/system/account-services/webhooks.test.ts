// A customer's webhooks in every protocol, with the customer's own server.
import { expect, onTestFinished, test } from "vitest";
import { startGateway } from "../../fixtures/gateway.ts";
import { startReceiver } from "../../fixtures/servers/webhook-receiver.ts";
import { CLIENTS } from "./clients.ts";
import { Person, placeOf } from "./person.ts";
import { runWebhooks } from "./webhook-life.ts";

test.each(CLIENTS)(
  "an endpoint is created, tested, changed and deleted, and a delivery is sent again, by $name",
  async (client) => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const gateway = await startGateway({ variables: { QUINTET_WEBHOOK_ADDRESSES: "private" } });
    onTestFinished(() => gateway.close());
    await runWebhooks(new Person(placeOf(gateway), client), receiver, "ada@example.com");
    expect(receiver.received).toHaveLength(2);
  },
);
