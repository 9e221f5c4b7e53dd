// Payments by card against the stand-in for Stripe: whatever happens to events, the account ends up with what is paid at Stripe, and before
// that never has more than what was paid and the grace.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { Stripe } from "stripe";
import { expect, test } from "vitest";
import { moveDueSubscriptions } from "../../src/account/offered-plans.ts";
import { isFree, type Plan } from "../../src/catalogue/plan.ts";
import type { PaymentConfig } from "../../src/config/payments.ts";
import { CardPayments } from "../../src/payments/payments.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { type SentEvent, STAND_IN_KEY, STAND_IN_WEBHOOK_SECRET, StripeStandIn } from "../../src/sandbox/stripe/stripe-stand-in.ts";
import type { Card, StripeState } from "../../src/sandbox/stripe/stripe-state.ts";
import type { Store } from "../../src/store/store.ts";
import { createManualClock, type ManualClock } from "../fixtures/manual-clock.ts";
import { ROOT } from "../fixtures/root.ts";
import { createMemoryLog } from "../guard/scene.ts";
import { newKey } from "./store/samples.ts";

const DAY_MS = 86_400_000;
const GRACE_MS = 7 * DAY_MS;
const SERVICES = ["radio", "farkle"] as const;
const PLANS = { radio: ["basic", "pro"], farkle: ["starter", "pro"] } as const;
const GOOD: Card = "4242424242424242";
const WORKS_ONCE: Card = "4000000000000341";
type Service = (typeof SERVICES)[number];

/** The settings of a server that takes cards at this stand-in. */
export const configFor = (standIn: StripeStandIn, fallsToFree: boolean): PaymentConfig => ({
  secretKey: STAND_IN_KEY,
  webhookSecret: STAND_IN_WEBHOOK_SECRET,
  apiUrl: new URL(standIn.origin),
  graceMs: GRACE_MS,
  fallsToFree,
  hasTax: false,
  hasPromotionCodes: false,
  publicUrl: "http://localhost:8080",
});

/** A new database, with connections for two servers, and a Stripe of its own. */
export class PaymentScene {
  readonly clock: ManualClock;
  readonly stores: readonly Store[];
  readonly standIn: StripeStandIn;
  readonly servers: readonly CardPayments[];
  /** Events that have not arrived. */
  pending: SentEvent[] = [];
  /** Type of event → what became of such events, and of how many. */
  fates = new Map<string, Map<string, number>>();
  #taken = 0;
  #ids = 0;
  #crashAfter = Number.POSITIVE_INFINITY;

  private constructor(clock: ManualClock, stores: readonly Store[], standIn: StripeStandIn, fallsToFree: boolean) {
    this.clock = clock;
    this.stores = stores;
    this.standIn = standIn;
    this.servers = stores.map(
      (store, index) =>
        new CardPayments({
          ...{ config: configFor(standIn, fallsToFree), proxy: undefined, clock, log: createMemoryLog() },
          store: this.#crashing(store),
          randomness: { ...systemRandomness, uuid: () => `s-${index}-${++this.#ids}` },
        }),
    );
  }

  static async open(openStores: (clock: ManualClock) => Promise<readonly Store[]>, fallsToFree: boolean): Promise<PaymentScene> {
    const clock = createManualClock({ nowMs: Date.UTC(2026, 10, 21, 12) });
    const stores = await openStores(clock);
    const standIn = new StripeStandIn({ clock });
    await standIn.listen();
    const scene = new PaymentScene(clock, stores, standIn, fallsToFree);
    await scene.store.createAccount({ id: "a-1", name: "acme", email: "ops@acme.example" });
    return scene;
  }

  get store(): Store {
    return this.stores[0] as Store;
  }

  get payments(): CardPayments {
    return this.servers[0] as CardPayments;
  }

  async close(): Promise<void> {
    await this.standIn.close();
    for (const store of this.stores) {
      await store.close();
    }
  }

  // A store whose server dies after some more calls: nothing that it does after that has an effect.
  #crashing(store: Store): Store {
    return new Proxy(store, {
      get: (target, name) => {
        const value = Reflect.get(target, name) as unknown;
        return typeof value !== "function"
          ? value
          : (...args: unknown[]) => {
              this.#crashAfter--;
              return this.#crashAfter < 0 ? Promise.reject(new Error("killed")) : Reflect.apply(value, target, args);
            };
      },
    });
  }

  /** Counts what became of an event of a type, in `fates`. */
  noteFate(type: string, fate: (typeof FATES)[number]): void {
    const its = this.fates.get(type) ?? new Map<string, number>();
    this.fates.set(type, its.set(fate, 1 + (its.get(fate) ?? 0)));
  }

  /** Does the work with servers that die after so many calls to the store. Says whether they did. */
  async killedAfter(calls: number, work: () => Promise<unknown>): Promise<void> {
    this.#crashAfter = calls;
    await work().catch(() => {});
    this.#crashAfter = Number.POSITIVE_INFINITY;
  }

  /** A customer pays at Stripe's checkout. */
  async buy(service: Service, plan: string, card: Card = GOOD, quantity = 1): Promise<string | undefined> {
    const terms = (await this.store.offeredPlans()).find((each) => each.service === service && each.name === plan);
    if (terms === undefined) {
      throw new Error(`no plan ${plan}`);
    }
    const { state } = this.standIn;
    const customer = await this.#customer();
    const price = await this.payments.stripe.priceOf(terms);
    const session = {
      hasTax: false,
      ...{
        id: state.id("cs"),
        created: state.now,
        customer,
        price,
        metadata: {},
        successUrl: "/",
        cancelUrl: "/",
        status: "open" as const,
      },
      subscriptionMetadata: { quintet_account: "a-1", quintet_service: service, quintet_plan: terms.id },
      subscription: null,
    };
    state.sessions.set(session.id, session);
    state.completeCheckout(session, card);
    const id = state.sessions.get(session.id)?.subscription ?? undefined;
    const bought = state.subscriptions.get(id ?? "");
    if (bought !== undefined) {
      bought.quantity = quantity;
    }
    this.take();
    return id;
  }

  async #customer(): Promise<string> {
    const known = await this.store.paymentCustomer("a-1");
    if (known !== undefined) {
      return known;
    }
    const { state } = this.standIn;
    const id = state.id("cus");
    state.customers.set(id, { id, created: state.now, email: null, metadata: {}, card: undefined });
    return this.store.addPaymentCustomer("a-1", id, undefined);
  }

  /** Lets time pass, at Stripe too. */
  pass(ms: number): void {
    this.clock.advance(ms);
    this.standIn.state.tick();
    this.take();
  }

  /** Notes what Stripe has sent by now. */
  take(): void {
    this.pending.push(...this.standIn.events.slice(this.#taken));
    this.#taken = this.standIn.events.length;
  }

  deliver(event: SentEvent, server = 0): ReturnType<CardPayments["receive"]> {
    const timestamp = Math.floor(this.clock.nowMs() / 1000);
    const signed = Stripe.webhooks.generateTestHeaderString({ payload: event.body, secret: STAND_IN_WEBHOOK_SECRET, timestamp });
    return (this.servers[server] as CardPayments).receive({ body: Buffer.from(event.body), signature: signed });
  }

  async deliverAll(): Promise<void> {
    for (const event of this.pending.splice(0)) {
      await this.deliver(event);
    }
  }

  /** What a server does every hour. */
  async reconcileAll(server = 0): Promise<void> {
    const payments = this.servers[server] as CardPayments;
    let position: Awaited<ReturnType<CardPayments["reconcileSome"]>>;
    do {
      position = await payments.reconcileSome(position);
    } while (position !== undefined);
    this.take();
  }

  /** The plan that the account has; undefined for none. */
  async planOf(service: Service): Promise<string | undefined> {
    return (await this.store.findSubscription("a-1", service))?.plan;
  }

  /** The paid plan that the account should have according to Stripe; undefined for none. */
  paidPlan(service: Service): string | undefined {
    const live = [...this.standIn.state.subscriptions.values()].filter(
      ({ metadata, status }) => metadata.quintet_service === service && status !== "canceled",
    );
    expect(live.length).toBeLessThanOrEqual(1);
    const [subscription] = live;
    if (subscription === undefined) {
      return undefined;
    }
    const open = [...this.standIn.state.invoices.values()].filter(
      (each) => each.subscription === subscription.id && each.status === "open",
    );
    const isLate = open.some(({ created }) => created * 1000 + GRACE_MS <= this.clock.nowMs());
    return isLate ? undefined : this.standIn.state.prices.get(subscription.price)?.lookup_key?.split("/")[1];
  }

  /** The account has no paid plan for which nothing was paid, in this period or the last one before the grace. */
  async expectNothingUnpaid(): Promise<void> {
    const { invoices, subscriptions } = this.standIn.state;
    for (const service of SERVICES) {
      const plan = (await this.store.findSubscription("a-1", service))?.terms;
      if (plan !== undefined && !isFree(plan)) {
        const paidUntil = [...invoices.values()]
          .filter((each) => subscriptions.get(each.subscription)?.metadata.quintet_service === service)
          .map(({ status, to, created }) => (status === "paid" ? to : status === "open" ? created : 0) * 1000);
        expect(Math.max(...paidUntil) + GRACE_MS).toBeGreaterThan(this.clock.nowMs());
      }
    }
  }
}

function openInvoice(state: StripeState) {
  return [...state.invoices.values()].find(({ status }) => status === "open") as Parameters<StripeState["giveUp"]>[0];
}

function onlyOne(state: StripeState) {
  return [...state.subscriptions.values()][0] as Parameters<StripeState["cancel"]>[0];
}

type Step =
  | { readonly kind: "buy"; readonly service: Service; readonly plan: 0 | 1; readonly card: Card }
  | { readonly kind: "pass"; readonly days: number }
  | { readonly kind: "card"; readonly card: Card }
  | { readonly kind: "cancel" | "leave" | "dispute" | "refund"; readonly nth: number }
  | {
      readonly kind: "deliver";
      readonly nth: number;
      readonly server: 0 | 1;
      readonly again: boolean;
      readonly killedAfter: number | null;
    }
  | { readonly kind: "lose"; readonly nth: number }
  | { readonly kind: "both"; readonly nth: number }
  | { readonly kind: "reconcile"; readonly server: 0 | 1; readonly killedAfter: number | null }
  | { readonly kind: "suspend"; readonly is: boolean };

const nth = fc.nat(50);
const server = fc.constantFrom(0 as const, 1 as const);
const card = fc.constantFrom<Card>(GOOD, WORKS_ONCE, "4000000000000002");
const killedAfter = fc.option(fc.nat(5), { freq: 3 });
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("buy" as const), service: fc.constantFrom(...SERVICES), plan: server, card }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("pass" as const), days: fc.constantFrom(0.2, 1, 3, 8, 31) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("card" as const), card }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom("cancel" as const, "leave" as const, "dispute" as const, "refund" as const),
      nth,
    }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("deliver" as const), nth, server, again: fc.boolean(), killedAfter }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("lose" as const, "both" as const), nth }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("reconcile" as const), server, killedAfter }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("suspend" as const), is: fc.boolean() }) },
);

const FATES = ["delivered", "before an earlier one", "again later", "to both servers", "while a server is killed", "lost"] as const;

/** What becomes of an event: its columns in the table. */
function fatesOf(step: Extract<Step, { nth: number }>, earlier: number): readonly (typeof FATES)[number][] {
  if (step.kind === "lose") {
    return ["lost"];
  }
  const isKilled = step.kind === "deliver" && step.killedAfter !== null;
  return [
    isKilled ? "while a server is killed" : "delivered",
    ...(earlier > 0 ? (["before an earlier one"] as const) : []),
    ...(step.kind === "deliver" && (step.again || isKilled) ? (["again later"] as const) : []),
    ...(step.kind === "both" ? (["to both servers"] as const) : []),
  ];
}

async function run(scene: PaymentScene, step: Step): Promise<void> {
  const { state } = scene.standIn;
  switch (step.kind) {
    case "buy":
      await scene.buy(step.service, PLANS[step.service][step.plan], step.card);
      break;
    case "pass":
      scene.pass(step.days * DAY_MS);
      break;
    case "card":
      for (const id of state.customers.keys()) {
        state.useCard(id, step.card);
      }
      break;
    case "cancel":
    case "leave": {
      const live = [...state.subscriptions.values()].filter(({ status }) => status !== "canceled");
      const chosen = live[step.nth % live.length];
      if (chosen !== undefined && step.kind === "cancel") {
        state.cancel(chosen);
      } else if (chosen !== undefined) {
        chosen.cancelsAtEnd = true;
        state.changed(chosen);
      }
      break;
    }
    case "dispute":
    case "refund": {
      const paid = [...state.charges.values()].filter((each) => each.paid && !each.refunded && each.dispute === null);
      const chosen = paid[step.nth % paid.length];
      if (chosen !== undefined) {
        step.kind === "dispute" ? state.dispute(chosen.id) : state.refund(chosen);
      }
      break;
    }
    case "deliver":
    case "lose":
    case "both": {
      const event = scene.pending[step.nth % scene.pending.length];
      if (event === undefined) {
        break;
      }
      for (const fate of fatesOf(step, scene.pending.indexOf(event))) {
        scene.noteFate(event.type, fate);
      }
      if (step.kind === "both") {
        await Promise.all([scene.deliver(event, 0), scene.deliver(event, 1)]);
      } else if (step.kind === "deliver") {
        const work = () => scene.deliver(event, step.server);
        await (step.killedAfter === null ? work() : scene.killedAfter(step.killedAfter, work));
      }
      if (step.kind !== "deliver" || !(step.again || step.killedAfter !== null)) {
        scene.pending = scene.pending.filter((each) => each !== event);
      }
      break;
    }
    case "reconcile": {
      const work = () => scene.reconcileAll(step.server);
      await (step.killedAfter === null ? work() : scene.killedAfter(step.killedAfter, work));
      break;
    }
    case "suspend":
      await scene.store.setSuspended("a-1", step.is);
      break;
  }
  scene.take();
  await scene.servers[1]?.endDue();
  await scene.expectNothingUnpaid();
}

/** `openStores` opens a new database twice. */
export function paymentsSuite(openStores: (clock: ManualClock) => Promise<readonly Store[]>, runs: number): void {
  const withScene = async (work: (scene: PaymentScene) => Promise<void>, fallsToFree = true): Promise<void> => {
    const scene = await PaymentScene.open(openStores, fallsToFree);
    try {
      await work(scene);
    } finally {
      await scene.close();
    }
  };

  // Writes what became of the events to build/payment-events-of-….md.
  test("an account has what is paid at Stripe, whatever became of the events and the servers", async () => {
    const fates: PaymentScene["fates"] = new Map();
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 10, maxLength: 40 }), (drawn) =>
        withScene(async (scene) => {
          scene.fates = fates;
          for (const step of drawn) {
            await run(scene, step);
          }
          await scene.store.setSuspended("a-1", false);
          await scene.reconcileAll();
          await scene.reconcileAll();
          await scene.servers[0]?.endDue();
          for (const service of SERVICES) {
            const plan = await scene.planOf(service);
            expect(plan === "free" ? undefined : plan).toBe(scene.paidPlan(service));
          }
        }),
      ),
      { numRuns: runs, seed: 47, endOnFailure: false },
    );
    const rows = [...fates].map(([type, its]) => `| ${[type, ...FATES.map((fate) => its.get(fate) ?? 0)].join(" | ")} |`);
    mkdirSync(join(ROOT, "build"), { recursive: true });
    writeFileSync(
      join(ROOT, `build/payment-events-of-${runs}-runs.md`),
      [`| event | ${FATES.join(" | ")} |`, `| --- |${" ---: |".repeat(FATES.length)}`, ...rows, ""].join("\n"),
    );
    const sumOf = (fate: string): number => [...fates.values()].reduce((sum, its) => sum + (its.get(fate) ?? 0), 0);
    expect(FATES.filter((fate) => sumOf(fate) < runs / 4)).toEqual([]);
  });

  const scenarios: readonly (readonly [name: string, plan: string | undefined, act: (scene: PaymentScene) => Promise<unknown>])[] =
    [
      ["nothing is given before an event or a comparison", undefined, (scene) => scene.buy("radio", "basic")],
      [
        "a paid plan is given, although all of its events were lost",
        "basic",
        async (scene) => {
          await scene.buy("radio", "basic");
          await scene.reconcileAll();
        },
      ],
      [
        "each event of a purchase is enough",
        "basic",
        async (scene) => {
          await scene.buy("radio", "basic");
          const [, paid] = scene.pending;
          expect(paid?.type).toBe("invoice.paid");
          await scene.deliver(paid as SentEvent);
        },
      ],
      [
        "a plan is kept for the grace after a failed payment",
        "basic",
        async (scene) => {
          await scene.buy("radio", "basic", WORKS_ONCE);
          await scene.deliverAll();
          scene.pass(31 * DAY_MS);
          await scene.deliverAll();
          scene.pass(5 * DAY_MS);
          await scene.payments.endDue();
        },
      ],
      [
        "the free plan follows the grace",
        "free",
        async (scene) => {
          await scene.buy("radio", "basic", WORKS_ONCE);
          await scene.deliverAll();
          scene.pass(30 * DAY_MS);
          scene.pass(GRACE_MS + 1000);
          await scene.payments.endDue();
        },
      ],
      [
        "a plan is given again when an overdue invoice is paid",
        "basic",
        async (scene) => {
          await scene.buy("radio", "basic", WORKS_ONCE);
          scene.pass(30 * DAY_MS);
          scene.pass(GRACE_MS + 1000);
          await scene.deliverAll();
          expect(await scene.planOf("radio")).toBe(undefined);
          for (const id of scene.standIn.state.customers.keys()) {
            scene.standIn.state.useCard(id, GOOD);
          }
          scene.take();
          await scene.deliverAll();
        },
      ],
      [
        "a plan ends at the grace even if Stripe is away",
        "free",
        async (scene) => {
          await scene.buy("radio", "basic", WORKS_ONCE);
          await scene.deliverAll();
          scene.pass(38 * DAY_MS);
          scene.standIn.isAway = true;
          await expect(scene.payments.endDue()).rejects.toThrow();
        },
      ],
      [
        "what is paid runs on while Stripe is away",
        "basic",
        async (scene) => {
          await scene.buy("radio", "basic");
          await scene.deliverAll();
          scene.standIn.isAway = true;
          scene.pass(20 * DAY_MS);
          await scene.payments.endDue();
        },
      ],
      [
        "an event that arrives while Stripe is away is sent again, and then handled",
        "basic",
        async (scene) => {
          await scene.buy("radio", "basic");
          const [created] = scene.pending;
          scene.standIn.isAway = true;
          expect(await scene.deliver(created as SentEvent)).toBe("later");
          scene.standIn.isAway = false;
          expect(await scene.deliver(created as SentEvent)).toBe("handled");
        },
      ],
      [
        "a plan that will be cancelled is kept until the end of the period, and no longer",
        "free",
        async (scene) => {
          const id = await scene.buy("radio", "basic");
          const subscription = scene.standIn.state.subscriptions.get(id ?? "");
          Object.assign(subscription ?? {}, { cancelsAtEnd: true });
          await scene.reconcileAll();
          scene.pass(29 * DAY_MS);
          await scene.payments.endDue();
          expect(await scene.planOf("radio")).toBe("basic");
          scene.pass(2 * DAY_MS);
          await scene.payments.endDue();
        },
      ],
      ...[0, 1000].map((quantity): (typeof scenarios)[number] => [
        `${quantity} of a plan are none`,
        undefined,
        async (scene) => {
          await scene.buy("radio", "basic", GOOD, quantity);
          await scene.reconcileAll();
        },
      ]),
      [
        "the price of another service's plan buys nothing",
        undefined,
        async (scene) => {
          const id = await scene.buy("farkle", "starter");
          const bought = scene.standIn.state.subscriptions.get(id ?? "");
          Object.assign(bought ?? {}, { metadata: { quintet_account: "a-1", quintet_service: "radio" } });
          await scene.reconcileAll();
        },
      ],
      [
        "a price in another currency buys nothing",
        undefined,
        async (scene) => {
          const id = await scene.buy("radio", "basic");
          const price = scene.standIn.state.subscriptions.get(id ?? "")?.price ?? "";
          Object.assign(scene.standIn.state.prices.get(price) ?? {}, { currency: "jpy" });
          await scene.reconcileAll();
        },
      ],
      [
        "of two purchases at once, one stays and the other is paid back",
        "basic",
        async (scene) => {
          await scene.buy("radio", "basic");
          await scene.buy("radio", "pro");
          await Promise.all([scene.reconcileAll(0), scene.reconcileAll(1)]);
          await scene.reconcileAll();
          const { charges, subscriptions } = scene.standIn.state;
          expect([...subscriptions.values()].map(({ status }) => status).toSorted()).toEqual(["active", "canceled"]);
          expect(
            [...charges.values()].map(({ amount, refunded }) => [amount, refunded]).filter(([, isRefunded]) => isRefunded),
          ).toHaveLength(1);
          // Either of the two may be first.
          if ((await scene.planOf("radio")) === "pro") {
            await scene.store.activate((await scene.store.findSubscription("a-1", "radio"))?.id ?? "", "basic");
          }
        },
      ],
      [
        "a disputed payment ends the plan, here and at Stripe",
        "free",
        async (scene) => {
          const id = await scene.buy("radio", "basic");
          await scene.deliverAll();
          scene.standIn.state.dispute([...scene.standIn.state.charges.keys()][0] ?? "");
          scene.take();
          await scene.deliverAll();
          expect(scene.standIn.state.subscriptions.get(id ?? "")?.status).toBe("canceled");
        },
      ],
      [
        "a subscription that was cancelled here is cancelled at Stripe, and not given again",
        undefined,
        async (scene) => {
          const id = await scene.buy("radio", "basic");
          await scene.deliverAll();
          await scene.store.cancel((await scene.store.findSubscription("a-1", "radio"))?.id ?? "");
          // The server dies before it has told Stripe.
          await scene.killedAfter(3, () => scene.payments.endDue());
          await scene.payments.endDue();
          await scene.reconcileAll();
          expect(scene.standIn.state.subscriptions.get(id ?? "")?.status).toBe("canceled");
        },
      ],
      [
        "a deleted account is not charged any more",
        undefined,
        async (scene) => {
          const id = await scene.buy("radio", "basic");
          await scene.deliverAll();
          await scene.store.deleteAccount("a-1");
          await scene.payments.endDue();
          expect(scene.standIn.state.subscriptions.get(id ?? "")?.status).toBe("canceled");
        },
      ],
      [
        "a suspended account is not charged, and pays for a whole month when it is resumed",
        "basic",
        async (scene) => {
          const id = await scene.buy("radio", "basic");
          await scene.deliverAll();
          await scene.store.setSuspended("a-1", true);
          await scene.payments.endDue();
          scene.pass(40 * DAY_MS);
          await scene.reconcileAll();
          const invoices = () => [...scene.standIn.state.invoices.values()].map(({ status }) => status);
          expect([invoices(), await scene.planOf("radio")]).toEqual([["paid", "void"], "free"]);
          await scene.store.setSuspended("a-1", false);
          await scene.payments.endDue();
          expect(invoices()).toEqual(["paid", "void", "paid"]);
          expect(scene.standIn.state.subscriptions.get(id ?? "")?.pause).toBe(null);
        },
      ],
    ];
  test.for(scenarios)("%s", async ([, plan, act]) => {
    await withScene(async (scene) => {
      await act(scene);
      expect(await scene.planOf("radio")).toBe(plan);
    });
  });

  // A card that pays once: the month ends on day 30, and Stripe's last attempt is on day 45. `act` is done at Stripe on the day.
  test.each<{ what: string; day: number; act: (state: StripeState) => unknown; state: string | undefined }>([
    { what: "Stripe has cancelled it", day: 0, act: () => {}, state: "unpaid" },
    {
      what: "it is cancelled, and its invoice void",
      day: 50,
      act: (state) => state.giveUp(openInvoice(state), "void"),
      state: "unpaid",
    },
    {
      what: "Stripe leaves it past due",
      day: 0,
      act: (state) => Object.assign(state, { afterRetries: "past_due" }),
      state: "unpaid",
    },
    {
      what: "Stripe marks it as unpaid",
      day: 0,
      act: (state) => Object.assign(state, { afterRetries: "unpaid" }),
      state: "unpaid",
    },
    {
      what: "its invoice is marked as uncollectible",
      day: 31,
      act: (state) => state.giveUp(openInvoice(state), "uncollectible"),
      state: "unpaid",
    },
    { what: "its invoice is waived", day: 31, act: (state) => state.giveUp(openInvoice(state), "void"), state: "active" },
    { what: "the customer has cancelled it before", day: 20, act: (state) => state.cancel(onlyOne(state)), state: undefined },
  ])("after a month that was not paid, calls find the subscription $state if $what", async ({ day, act, state }) => {
    await withScene(async (scene) => {
      await scene.store.createKey(newKey());
      await scene.buy("radio", "basic", WORKS_ONCE);
      await scene.deliverAll();
      scene.pass(day * DAY_MS);
      act(scene.standIn.state);
      scene.pass((51 - day) * DAY_MS);
      await scene.deliverAll();
      await scene.payments.endDue();
      const credential = await scene.store.findCredential(newKey().hash);
      expect(credential?.subscriptions.map((each) => each.state)).toEqual(state === undefined ? [] : [state]);
    }, false);
  });

  test("the customer is told once that a payment failed and until when the plan is kept, and that it has ended", async () => {
    await withScene(async (scene) => {
      await scene.buy("radio", "basic", WORKS_ONCE);
      await scene.deliverAll();
      scene.pass(31 * DAY_MS);
      await scene.deliverAll();
      await scene.deliverAll();
      await scene.reconcileAll();
      const failedMs = scene.clock.nowMs();
      scene.pass(GRACE_MS);
      await scene.payments.endDue();
      const { alerts } = await scene.store.alertPage("a-1", { limit: 10, offset: 0 });
      const told = alerts
        .toReversed()
        .map(({ details: { event, plan, at, current_plan: current } }) => ({ event, plan, current, at: Date.parse(String(at)) }));
      expect(told).toEqual([
        { event: "activated", plan: "basic", current: undefined, at: expect.any(Number) },
        { event: "unpaid", plan: "basic", current: undefined, at: expect.any(Number) },
        { event: "ended", plan: "free", current: "basic", at: scene.clock.nowMs() },
      ]);
      const keptMs = (told[1]?.at ?? 0) - failedMs;
      expect([keptMs > GRACE_MS - 2 * DAY_MS, keptMs <= GRACE_MS]).toEqual([true, true]);
    });
  });

  test("the customer is told of each month that was paid, and of nothing while its invoice is a draft", async () => {
    await withScene(async (scene) => {
      await scene.buy("radio", "basic");
      const events = async () => {
        await scene.deliverAll();
        await scene.reconcileAll();
        const { alerts } = await scene.store.alertPage("a-1", { limit: 10, offset: 0 });
        return alerts.toReversed().map(({ details: { event, paid_minor: minor } }) => [event, minor]);
      };
      const told = [["activated", 800]];
      expect(await events()).toEqual(told);
      scene.pass(30 * DAY_MS);
      expect([...scene.standIn.state.invoices.values()].map(({ status }) => status)).toEqual(["paid", "draft"]);
      expect(await events()).toEqual(told);
      scene.pass(DAY_MS);
      expect(await events()).toEqual([...told, ["paid", 800]]);
      for (const id of scene.standIn.state.customers.keys()) {
        scene.standIn.state.useCard(id, WORKS_ONCE);
      }
      scene.pass(31 * DAY_MS);
      expect(await events()).toEqual([...told, ["paid", 800], ["unpaid", undefined]]);
      for (const id of scene.standIn.state.customers.keys()) {
        scene.standIn.state.useCard(id, GOOD);
      }
      scene.take();
      expect(await events()).toEqual([...told, ["paid", 800], ["unpaid", undefined], ["paid", 800]]);
    });
  });

  test("who pays by card is moved to another version together with the price at Stripe, which is due from the next invoice", async () => {
    await withScene(async (scene) => {
      const { store, standIn } = scene;
      await scene.buy("radio", "basic");
      await scene.deliverAll();
      const plans = await store.offeredPlans();
      const dearer = (plan: Plan): Plan => ({ ...plan, priceMinor: plan.priceMinor + 100 });
      const isBasic = ({ service, name }: Plan): boolean => service === "radio" && name === "basic";
      await store.applyPlans(plans.map((plan) => (isBasic(plan) ? dearer(plan) : plan)));
      await store.scheduleMoves({ service: "radio" }, scene.clock.nowMs() + 10 * DAY_MS);
      const termsId = async () => (await store.findSubscription("a-1", "radio"))?.terms.id;
      const charged = () => [...standIn.state.charges.values()].map(({ amount }) => amount);
      const price = plans.find(isBasic)?.priceMinor ?? 0;
      const work = () => Promise.allSettled([moveDueSubscriptions(store), ...scene.servers.map((each) => each.endDue())]);
      scene.pass(10 * DAY_MS - 1000);
      await work();
      await scene.reconcileAll();
      expect(await termsId()).toBe("radio/basic/1");
      scene.pass(1000);
      standIn.isAway = true;
      await work();
      expect(await termsId()).toBe("radio/basic/1");
      standIn.isAway = false;
      for (const calls of [1, 2, 3]) {
        await scene.killedAfter(calls, work);
      }
      await work();
      expect([await termsId(), charged()]).toEqual(["radio/basic/2", [price]]);
      scene.take();
      await scene.deliverAll();
      await scene.reconcileAll(1);
      expect(await termsId()).toBe("radio/basic/2");
      scene.pass(31 * DAY_MS);
      await scene.deliverAll();
      expect([await termsId(), charged()]).toEqual(["radio/basic/2", [price, price + 100]]);
      const { alerts } = await store.alertPage("a-1", { limit: 10, offset: 0 });
      expect(alerts.toReversed().map(({ details: { event, plan, price_minor: minor } }) => [event, plan, minor])).toEqual([
        ["activated", "basic", price],
        ["moving", "basic", price + 100],
        ["moved", "basic", price + 100],
        ["paid", "basic", price + 100],
      ]);
    });
  });

  test.each([
    { what: "a free plan", to: "free", currency: "EUR" },
    { what: "a plan in another currency", to: "basic", currency: "USD" },
  ])("who pays by card stays, if others are moved to $what", async ({ to, currency }) => {
    await withScene(async (scene) => {
      const { store } = scene;
      await scene.buy("radio", "basic");
      await scene.deliverAll();
      await store.createAccount({ id: "a-2", name: "zebra", email: null });
      await store.createSubscription({ id: "s-2", accountId: "a-2", service: "radio", plan: "basic", state: "active" });
      const plans = await store.offeredPlans();
      await store.applyPlans(
        plans.filter(({ name }) => name === to).map((plan) => ({ ...plan, currency, callsPerMonth: plan.callsPerMonth + 1 })),
      );
      const moves = await store.scheduleMoves({ service: "radio", plan: "basic", to }, scene.clock.nowMs());
      expect(moves.map(({ from, subscribers, staying }) => [from.id, subscribers, staying])).toEqual([["radio/basic/1", 1, 1]]);
      await moveDueSubscriptions(store);
      await scene.payments.endDue();
      await scene.reconcileAll();
      const terms = await Promise.all(["a-1", "a-2"].map(async (id) => (await store.findSubscription(id, "radio"))?.terms.id));
      expect(terms).toEqual(["radio/basic/1", `radio/${to}/2`]);
    });
  });

  test("an event about what Stripe no longer has, or another program has sold, is handled, and nothing is given", async () => {
    await withScene(async (scene) => {
      const { state } = scene.standIn;
      const id = (await scene.buy("radio", "basic")) ?? "";
      const [created] = scene.pending;
      const about = (object: object): SentEvent => {
        const body = JSON.stringify({ ...JSON.parse(created?.body ?? ""), id: state.id("evt"), data: { object } });
        return { ...(created as SentEvent), body };
      };
      const bought = onlyOne(state);
      for (const account of ["a-9", undefined]) {
        Object.assign(bought, { metadata: account === undefined ? {} : { ...bought.metadata, quintet_account: account } });
        expect(await scene.deliver(about(state.subscriptionJson(bought)))).toBe("handled");
      }
      expect(await scene.deliver(about({ ...state.subscriptionJson(bought), id: "sub_of_another_server" }))).toBe("handled");
      expect(await scene.planOf("radio")).toBe(undefined);
      // One that was given here, and that Stripe no longer has, ends when it is no longer paid.
      Object.assign(bought, { metadata: { quintet_account: "a-1", quintet_service: "radio" } });
      await scene.deliverAll();
      expect(await scene.planOf("radio")).toBe("basic");
      state.subscriptions.delete(id);
      expect(
        await scene.deliver(about({ ...state.chargeJson([...state.charges.values()][0] as never), payment_intent: "pi_0" })),
      ).toBe("handled");
      scene.clock.advance(38 * DAY_MS);
      await scene.payments.endDue();
      expect(await scene.planOf("radio")).toBe("free");
    });
  });

  test("a comparison asks Stripe for its list and reads each subscription once, also one that is no longer listed", () =>
    withScene(async (scene) => {
      const { requests, state } = scene.standIn;
      await scene.buy("radio", "basic");
      const ended = await scene.buy("farkle", "starter");
      await scene.reconcileAll();
      const subscription = state.subscriptions.get(ended ?? "");
      state.cancel(subscription as NonNullable<typeof subscription>);
      requests.length = 0;
      await scene.reconcileAll();
      const read = requests.map(({ path }) => path.split("?")[0] ?? "").filter((path) => /^\/v1\/subscriptions(?:\/|$)/.test(path));
      const ids = [...state.subscriptions.keys()];
      expect(read.toSorted()).toEqual(["/v1/subscriptions", ...ids.map((id) => `/v1/subscriptions/${id}`)].toSorted());
      expect(await scene.planOf("farkle")).toBe("free");
    }));

  test("an account whose customer was deleted at Stripe can buy again", async () => {
    await withScene(async ({ payments, standIn, store }) => {
      const [plan] = (await store.offeredPlans()).filter(({ name }) => name === "basic");
      const pageOf = () => payments.checkout({ id: "a-1", email: null }, plan as Plan);
      await pageOf();
      await pageOf();
      expect([...standIn.state.customers.keys()]).toEqual([await store.paymentCustomer("a-1")]);
      standIn.state.customers.clear();
      const page = await pageOf();
      expect([...standIn.state.customers.keys()]).toEqual([await store.paymentCustomer("a-1")]);
      expect((await fetch(page)).status).toBe(200);
    });
  });

  test("an event is refused if its signature is missing, of another secret or body, or older than five minutes", async () => {
    await withScene(async (scene) => {
      await scene.buy("radio", "basic");
      const { body } = scene.pending[0] as SentEvent;
      const now = Math.floor(scene.clock.nowMs() / 1000);
      const sign = (secret: string, timestamp: number, payload = body) =>
        Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
      const outcomes = [];
      for (const signature of [
        ...["", "t=1,v1=00", sign("whsec_other000000", now), sign(STAND_IN_WEBHOOK_SECRET, now - 301)],
        ...[sign(STAND_IN_WEBHOOK_SECRET, now, `${body} `), sign(STAND_IN_WEBHOOK_SECRET, now - 299)],
      ]) {
        outcomes.push(await scene.payments.receive({ body: Buffer.from(body), signature }));
      }
      expect(outcomes).toEqual(["refused", "refused", "refused", "refused", "refused", "handled"]);
    });
  });
}
