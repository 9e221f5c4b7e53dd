import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import {
  CancelSubscriptionRequestSchema,
  ListSubscriptionsRequestSchema,
  SetSubscriptionRequestSchema,
  type SubscriptionSchema,
  SubscriptionState,
} from "../../../gen/quintet/account/v1/account_pb.js";
import { ListPlansRequestSchema, type PlanSchema } from "../../../gen/quintet/account/v1/status_pb.js";
import { createPlanHandlers } from "../../../src/account/rpc/account-rpc.ts";
import { planMessage } from "../../../src/account/rpc/messages.ts";
import type { Plan } from "../../../src/catalogue/plan.ts";
import { loadPlans } from "../../../src/catalogue/plans.ts";
import { SERVICE_NAMES } from "../../../src/catalogue/service-names.ts";
import { Failure } from "../../../src/problem/failure.ts";
import { invalidArgument } from "../../../src/problem/problem.ts";
import { me, nowMs, nthId, openTwoAccounts, other, type TwoAccounts } from "./two-accounts.ts";

type SubscriptionMessage = MessageInitShape<typeof SubscriptionSchema>;

// The first subscription, as it is created on the free plan, with this change.
const subscriptionOf = (change: SubscriptionMessage = {}): SubscriptionMessage => ({
  id: nthId(1),
  service: "radio",
  plan: "free",
  state: SubscriptionState.ACTIVE,
  createdAt: timestampFromMs(nowMs),
  ...change,
});

// The same in a list, with its terms. What is requested was requested at the same time.
function listedOf(subscription: SubscriptionMessage): SubscriptionMessage {
  const { plan, requestedPlan } = subscription;
  const termsOf = (name: string): MessageInitShape<typeof PlanSchema> =>
    planMessage(loadPlans(undefined).find("radio", name) as Plan);
  const agreedAt = subscription.createdAt;
  const request = requestedPlan === undefined ? {} : { requestedTerms: termsOf(requestedPlan), requestedAt: agreedAt };
  return { ...subscription, terms: termsOf(plan ?? ""), agreedAt, ...request } as SubscriptionMessage;
}

const set = ({ handlers }: TwoAccounts, plan = "free", who = me) =>
  handlers.setSubscription(create(SetSubscriptionRequestSchema, { service: "radio", plan }), who);
const listed = ({ handlers }: TwoAccounts, wish: MessageInitShape<typeof ListSubscriptionsRequestSchema> = {}, who = me) =>
  handlers.listSubscriptions(create(ListSubscriptionsRequestSchema, wish), who);
const cancelled = ({ handlers }: TwoAccounts, who = me) =>
  handlers.cancelSubscription(create(CancelSubscriptionRequestSchema, { service: "radio" }), who);

const noneThere = new Failure({ reason: "NOT_FOUND", message: "The account has no subscription to radio." });

describe("the plans on offer", () => {
  const plansOf = async (service: string) => {
    const { listPlans } = createPlanHandlers(loadPlans(undefined));
    return listPlans(create(ListPlansRequestSchema, { service }), undefined);
  };
  const eur = { currency: "EUR" };

  test.for<{ service: string; first: MessageInitShape<typeof PlanSchema>; last: MessageInitShape<typeof PlanSchema> }>([
    {
      service: "radio",
      first: { name: "free", priceMinor: 0, callsPerMonth: 20_000, requestsPerSecond: 5 },
      last: { name: "mega", priceMinor: 5900, callsPerMonth: 10_000_000, requestsPerSecond: 120 },
    },
    {
      service: "token-price",
      first: { name: "free", priceMinor: 0, callsPerMonth: 11_500, requestsPerSecond: 3, tokensPerCallMax: 3 },
      last: { name: "scale", priceMinor: 5950, callsPerMonth: 3_250_000, requestsPerSecond: 30, tokensPerCallMax: 100 },
    },
    {
      service: "token-list",
      first: { name: "free", priceMinor: 0, callsPerMonth: 5000, requestsPerSecond: 3 },
      last: { name: "business", priceMinor: 11_500, callsPerMonth: 4_500_000, requestsPerSecond: 50 },
    },
    {
      service: "bitcoin",
      first: { name: "free", priceMinor: 0, callsPerMonth: 650, requestsPerSecond: 2 },
      last: { name: "scale", priceMinor: 21_300, callsPerMonth: 620_000, requestsPerSecond: 40 },
    },
    {
      service: "farkle",
      first: { name: "free", priceMinor: 0, callsPerMonth: 7460, requestsPerSecond: 2, farkleBreakdown: false },
      last: { name: "mega", priceMinor: 3648, callsPerMonth: 1_353_000, requestsPerSecond: 40, farkleBreakdown: true },
    },
  ])("of $service include what that service's plans allow", async ({ service, first, last }) => {
    const { results = [] } = await plansOf(service);
    expect(results.length).toBe(4);
    expect([results[0], results[3]]).toEqual([
      { service, ...eur, ...first },
      { service, ...eur, ...last },
    ]);
  });

  test("of all services are listed by service", async () => {
    const { results = [] } = await plansOf("");
    const inOrder = SERVICE_NAMES.flatMap((name) => new Array(loadPlans(undefined).of(name).length).fill(name));
    expect(results.map(({ service }) => service)).toEqual(inOrder);
  });
});

describe("a new subscription", () => {
  test("to a free plan is active", async () => {
    const scene = await openTwoAccounts();
    expect(await set(scene)).toEqual({ subscription: subscriptionOf() });
    expect(await listed(scene)).toEqual({ results: [listedOf(subscriptionOf())] });
    expect(await listed(scene, {}, other)).toEqual({ results: [] });
  });

  test("to a paid plan is on the free one until that is activated", async () => {
    const scene = await openTwoAccounts();
    const expected = subscriptionOf({ requestedPlan: "pro" });
    expect(await set(scene, "pro")).toEqual({ subscription: expected });
    expect(await listed(scene)).toEqual({ results: [listedOf(expected)] });
  });

  test("that is asked for twice at the same time is one, on the plan that was asked for last", async () => {
    const scene = await openTwoAccounts();
    await Promise.all([set(scene), set(scene, "pro")]);
    expect(await listed(scene)).toEqual({ results: [listedOf(subscriptionOf({ requestedPlan: "pro" }))] });
    expect(await set(scene, "pro")).toEqual({ subscription: subscriptionOf({ requestedPlan: "pro" }) });
  });

  test("must name a plan on offer", async () => {
    const scene = await openTwoAccounts();
    const fault = { field: "plan", description: 'must be one of free, basic, pro, mega for radio, not "scale"' };
    await expect(set(scene, "scale")).rejects.toThrow(new Failure(invalidArgument([fault])));
    expect(await listed(scene)).toEqual({ results: [] });
  });
});

describe("a requested plan", () => {
  test("waits alongside the active one if it is a paid one, until the active one is requested again", async () => {
    const scene = await openTwoAccounts();
    await set(scene);
    const waiting = subscriptionOf({ requestedPlan: "pro" });
    expect(await set(scene, "pro")).toEqual({ subscription: waiting });
    expect(await listed(scene)).toEqual({ results: [listedOf(waiting)] });
    expect(await set(scene, "mega")).toEqual({ subscription: subscriptionOf({ requestedPlan: "mega" }) });
    expect(await set(scene, "free")).toEqual({ subscription: subscriptionOf() });
  });

  test("replaces the one that waits, and is active at once if it is free", async () => {
    const scene = await openTwoAccounts();
    await set(scene, "pro");
    const waiting = subscriptionOf({ requestedPlan: "mega" });
    expect(await set(scene, "mega")).toEqual({ subscription: waiting });
    expect(await set(scene, "free")).toEqual({ subscription: subscriptionOf() });
  });

  test("is distinguished from the one that an operator activated", async () => {
    const scene = await openTwoAccounts();
    await set(scene);
    await scene.store.activate(nthId(1), "pro");
    expect(await listed(scene)).toEqual({ results: [listedOf(subscriptionOf({ plan: "pro" }))] });
    expect(await set(scene, "pro")).toEqual({ subscription: subscriptionOf({ plan: "pro" }) });
  });

  test("must be on offer", async () => {
    const scene = await openTwoAccounts();
    await set(scene);
    const fault = { field: "plan", description: 'must be one of free, basic, pro, mega for radio, not "Pro"; did you mean pro?' };
    await expect(set(scene, "Pro")).rejects.toThrow(new Failure(invalidArgument([fault])));
    expect(await listed(scene)).toEqual({ results: [listedOf(subscriptionOf())] });
  });
});

test("a cancelled subscription has ended, is listed on request, and can be followed by another", async () => {
  const scene = await openTwoAccounts();
  await set(scene);
  await set(scene, "pro");
  const over = subscriptionOf({ state: SubscriptionState.CANCELLED });
  expect(await cancelled(scene)).toEqual({ subscription: over });
  await expect(cancelled(scene)).rejects.toThrow(noneThere);
  scene.clock.advance(1);
  const next = subscriptionOf({ id: nthId(2), createdAt: timestampFromMs(nowMs + 1) });
  expect(await set(scene)).toEqual({ subscription: next });
  expect(await listed(scene)).toEqual({ results: [listedOf(next)] });
  expect(await listed(scene, { includeCancelled: false })).toEqual({ results: [listedOf(next)] });
  expect(await listed(scene, { includeCancelled: true })).toEqual({ results: [listedOf(over), listedOf(next)] });
});

test("a service without a subscription of this account has none to cancel", async () => {
  const scene = await openTwoAccounts();
  await expect(cancelled(scene)).rejects.toThrow(noneThere);
  await set(scene);
  await expect(cancelled(scene, other)).rejects.toThrow(noneThere);
  expect(await listed(scene)).toEqual({ results: [listedOf(subscriptionOf())] });
});
