// A key's access to each service is remembered apart from the others'.
import { expect, test } from "vitest";
import { SERVICE_NAMES } from "../../../src/catalogue/service-names.ts";
import { KnownKey } from "../../../src/guard/keys/access.ts";
import { KEY_REFUSALS } from "../../../src/guard/keys/access-refusals.ts";
import type { Subscription } from "../../../src/store/records.ts";
import { credentialOf, plansOf, radioPlan } from "../scene.ts";

test("a key has the access of the service that it calls, whichever it called before", () => {
  const plans = plansOf(SERVICE_NAMES.map((service) => ({ ...radioPlan("free", 1000), service })));
  const credential = credentialOf({});
  const [first] = credential.subscriptions as readonly [Subscription];
  const subscribed = SERVICE_NAMES.filter((service) => service !== "bitcoin");
  const subscriptions = subscribed.map((service) => ({ ...first, id: `subscription-${service}`, service }));
  const key = new KnownKey({ ...credential, subscriptions }, plans, KEY_REFUSALS, { cell: 1, epoch: 1 });
  const seen = (): readonly (readonly string[])[] =>
    SERVICE_NAMES.map((service) => {
      const access = key.of(service);
      return "reason" in access ? [service, access.reason] : [access.principal.service, access.principal.subscriptionId];
    });
  const wanted = SERVICE_NAMES.map((service) => [
    service,
    service === "bitcoin" ? "SUBSCRIPTION_REQUIRED" : `subscription-${service}`,
  ]);
  expect(seen()).toEqual(wanted);
  // Now from memory.
  expect(seen()).toEqual(wanted);
});
