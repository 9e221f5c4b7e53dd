import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import {
  CancelSubscriptionRequestSchema,
  CreateSubscriptionRequestSchema,
  ListSubscriptionsRequestSchema,
  RequestPlanRequestSchema,
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
import { forbidden, me, missing, nowMs, nthId, openTwoAccounts, other, type TwoAccounts } from "./two-accounts.ts";

type SubscriptionMessage = MessageInitShape<typeof SubscriptionSchema>;

// The first subscription, as it is created without a plan, with this change.
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

const created = ({ handlers }: TwoAccounts, wish: MessageInitShape<typeof CreateSubscriptionRequestSchema> = {}) =>
  handlers.createSubscription(create(CreateSubscriptionRequestSchema, { service: "radio", ...wish }), me);
const listed = ({ handlers }: TwoAccounts, wish: MessageInitShape<typeof ListSubscriptionsRequestSchema> = {}, who = me) =>
  handlers.listSubscriptions(create(ListSubscriptionsRequestSchema, wish), who);
const requested = ({ handlers }: TwoAccounts, plan: string, subscriptionId = nthId(1), who = me) =>
  handlers.requestPlan(create(RequestPlanRequestSchema, { subscriptionId, plan }), who);
const cancelled = ({ handlers }: TwoAccounts, subscriptionId = nthId(1), who = me) =>
  handlers.cancelSubscription(create(CancelSubscriptionRequestSchema, { subscriptionId }), who);

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
    const { count, results = [] } = await plansOf(service);
    expect([count, results.length]).toEqual([4, 4]);
    expect([results[0], results[3]]).toEqual([
      { service, ...eur, ...first },
      { service, ...eur, ...last },
    ]);
  });

  test("of all services are listed by service", async () => {
    const { count, results = [] } = await plansOf("");
    const inOrder = SERVICE_NAMES.flatMap((name) => new Array(loadPlans(undefined).of(name).length).fill(name));
    expect(count).toBe(inOrder.length);
    expect(results.map(({ service }) => service)).toEqual(inOrder);
  });
});

describe("a new subscription", () => {
  test("is on the free plan and active by default", async () => {
    const scene = await openTwoAccounts();
    expect(await created(scene)).toEqual({ subscription: subscriptionOf() });
    expect(await listed(scene)).toEqual({ count: 1, results: [listedOf(subscriptionOf())] });
    expect(await listed(scene, {}, other)).toEqual({ count: 0, results: [] });
  });

  test("to a paid plan is on the free one until that is activated", async () => {
    const scene = await openTwoAccounts();
    const expected = subscriptionOf({ requestedPlan: "pro" });
    expect(await created(scene, { plan: "pro" })).toEqual({ subscription: expected });
    expect(await listed(scene)).toEqual({ count: 1, results: [listedOf(expected)] });
  });

  test("is refused if there is already one to the service", async () => {
    const scene = await openTwoAccounts();
    await created(scene);
    const refusal = forbidden(
      "service",
      "The account already has a subscription to radio: request another plan on it, or cancel it first.",
    );
    await expect(created(scene, { plan: "pro" })).rejects.toThrow(refusal);
    expect(await listed(scene)).toEqual({ count: 1, results: [listedOf(subscriptionOf())] });
  });

  test("must name a plan on offer", async () => {
    const scene = await openTwoAccounts();
    const fault = { field: "plan", description: 'must be one of free, basic, pro, mega for radio, not "scale"' };
    await expect(created(scene, { plan: "scale" })).rejects.toThrow(new Failure(invalidArgument([fault])));
    expect(await listed(scene)).toEqual({ count: 0, results: [] });
  });
});

describe("a requested plan", () => {
  test("waits alongside the active one if it is a paid one, until the active one is requested again", async () => {
    const scene = await openTwoAccounts();
    await created(scene);
    const waiting = subscriptionOf({ requestedPlan: "pro" });
    expect(await requested(scene, "pro")).toEqual({ subscription: waiting });
    expect(await listed(scene)).toEqual({ count: 1, results: [listedOf(waiting)] });
    expect(await requested(scene, "mega")).toEqual({ subscription: subscriptionOf({ requestedPlan: "mega" }) });
    expect(await requested(scene, "free")).toEqual({ subscription: subscriptionOf() });
  });

  test("replaces the one that waits, and is active at once if it is free", async () => {
    const scene = await openTwoAccounts();
    await created(scene, { plan: "pro" });
    const waiting = subscriptionOf({ requestedPlan: "mega" });
    expect(await requested(scene, "mega")).toEqual({ subscription: waiting });
    expect(await requested(scene, "free")).toEqual({ subscription: subscriptionOf() });
  });

  test("is distinguished from the one that an operator activated", async () => {
    const scene = await openTwoAccounts();
    await created(scene);
    await scene.store.activate(nthId(1), "pro");
    expect(await listed(scene)).toEqual({ count: 1, results: [listedOf(subscriptionOf({ plan: "pro" }))] });
    expect(await requested(scene, "pro")).toEqual({ subscription: subscriptionOf({ plan: "pro" }) });
  });

  test("must be on offer", async () => {
    const scene = await openTwoAccounts();
    await created(scene);
    const fault = { field: "plan", description: 'must be one of free, basic, pro, mega for radio, not "Pro"; did you mean pro?' };
    await expect(requested(scene, "Pro")).rejects.toThrow(new Failure(invalidArgument([fault])));
    expect(await listed(scene)).toEqual({ count: 1, results: [listedOf(subscriptionOf())] });
  });
});

test("a cancelled subscription has ended, is listed on request, and can be followed by another", async () => {
  const scene = await openTwoAccounts();
  await created(scene);
  await requested(scene, "pro");
  const over = subscriptionOf({ state: SubscriptionState.CANCELLED });
  expect(await cancelled(scene)).toEqual({ subscription: over });
  const refusal = forbidden("subscription_id", `The subscription ${nthId(1)} is cancelled, which is final; create a new one.`);
  await expect(cancelled(scene)).rejects.toThrow(refusal);
  await expect(requested(scene, "pro")).rejects.toThrow(refusal);
  await expect(requested(scene, "free")).rejects.toThrow(refusal);
  scene.clock.advance(1);
  const next = subscriptionOf({ id: nthId(2), createdAt: timestampFromMs(nowMs + 1) });
  expect(await created(scene)).toEqual({ subscription: next });
  expect(await listed(scene)).toEqual({ count: 1, results: [listedOf(next)] });
  expect(await listed(scene, { includeCancelled: false })).toEqual({ count: 1, results: [listedOf(next)] });
  expect(await listed(scene, { includeCancelled: true })).toEqual({ count: 2, results: [listedOf(over), listedOf(next)] });
});

describe("a subscription is not found", () => {
  test("for another account", async () => {
    const scene = await openTwoAccounts();
    await created(scene);
    const refusal = missing("subscription", nthId(1));
    await expect(requested(scene, "pro", nthId(1), other)).rejects.toThrow(refusal);
    await expect(cancelled(scene, nthId(1), other)).rejects.toThrow(refusal);
    expect(await listed(scene)).toEqual({ count: 1, results: [listedOf(subscriptionOf())] });
  });

  test("that does not exist", async () => {
    const scene = await openTwoAccounts();
    await expect(requested(scene, "pro")).rejects.toThrow(missing("subscription", nthId(1)));
    await expect(cancelled(scene)).rejects.toThrow(missing("subscription", nthId(1)));
  });
});
