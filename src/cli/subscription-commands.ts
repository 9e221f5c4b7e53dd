// `quintet subscription`: which account may call which service, on which plan.
import type { Command } from "commander";
import { activatedByOperator } from "../account/payments.ts";
import { activatePlan, createSubscription, requestPlan, type SubscriptionDeps, waitsFor } from "../account/subscriptions.ts";
import type { ServiceName } from "../services/service.ts";
import type { Account, Store, Subscription } from "../store/store.ts";
import { parseService } from "./arguments.ts";
import type { CommandContext } from "./context.ts";
import { subscriptionDocument } from "./documents.ts";
import { examples, type JsonOption, jsonOption } from "./help.ts";
import { refuseSecond, requireAccount, requireSubscription } from "./lookup.ts";
import { json } from "./output.ts";
import { subscriptionTable } from "./tables.ts";

/** Adds the commands. */
export function addSubscriptionCommands(program: Command, context: CommandContext): void {
  const subscription = program.command("subscription").description("Make, change, activate, cancel and list subscriptions.");
  addChange(subscription, context, {
    verb: "create",
    description: "Subscribe an account to a service. A free plan begins at once; a paid one waits until it is activated.",
    plan: { flags: "--plan <name>", description: "the plan", fallback: "free" },
    examples: ["quintet subscription create acme radio", "quintet subscription create acme farkle --plan pro"],
    change: async (deps, account, service, plan) => {
      await refuseSecond(deps.store, account, service);
      return createSubscription(deps, { accountId: account.id, service, plan: plan ?? "free" });
    },
  });
  addChange(subscription, context, {
    verb: "request",
    description: "Ask for another plan. The one in force stays until the new one is activated; a free one begins at once.",
    plan: { flags: "--plan <name>", description: "the plan", required: true },
    examples: ["quintet subscription request acme radio --plan pro"],
    change: async (deps, account, service, plan) =>
      requestPlan(deps, await requireSubscription(deps.store, account, service), plan ?? ""),
  });
  addChange(subscription, context, {
    verb: "activate",
    description: "Put the plan that waits in force, from the next call on.",
    plan: { flags: "--plan <name>", description: "another plan than the one that waits" },
    examples: ["quintet subscription activate acme radio", "quintet subscription activate acme radio --plan mega"],
    change: async (deps, account, service, plan) =>
      activatePlan(deps, await requireSubscription(deps.store, account, service), plan),
  });
  addChange(subscription, context, {
    verb: "cancel",
    description: "End a subscription, from the next call on.",
    examples: ["quintet subscription cancel acme radio"],
    change: async ({ store }, account, service) => store.cancel((await requireSubscription(store, account, service)).id),
  });
  addList(subscription, context);
}

interface Change {
  readonly verb: string;
  readonly description: string;
  readonly plan?: { readonly flags: string; readonly description: string; readonly fallback?: string; readonly required?: true };
  readonly examples: readonly string[];
  readonly change: (
    deps: SubscriptionDeps,
    account: Account,
    service: ServiceName,
    plan: string | undefined,
  ) => Promise<Subscription>;
}

function addChange(parent: Command, context: CommandContext, { verb, description, plan, examples: lines, change }: Change): void {
  const command = parent
    .command(verb)
    .description(description)
    .argument("<account>", "the account's name or id")
    .argument("<service>", "radio, token-price, token-list, bitcoin or farkle", parseService);
  if (plan?.required) {
    command.requiredOption(plan.flags, plan.description);
  } else if (plan !== undefined) {
    command.option(plan.flags, plan.description, plan.fallback);
  }
  command
    .addOption(jsonOption())
    .addHelpText("after", examples(...lines))
    .action(async (idOrName: string, service: ServiceName, options: { plan?: string } & JsonOption) => {
      const { account, changed } = await context.withStore(async (store) => {
        const account = await requireAccount(store, idOrName);
        return { account, changed: await change(depsOf(context, store), account, service, options.plan) };
      });
      context.out(options.json ? json(subscriptionDocument(changed)) : sentence(account, changed));
    });
}

const depsOf = (context: CommandContext, store: Store): SubscriptionDeps => ({
  store,
  plans: context.plans(),
  payments: activatedByOperator,
  randomness: context.randomness,
});

function sentence(account: Account, subscription: Subscription): string {
  const { service, plan, state } = subscription;
  const waiting = waitsFor(subscription);
  const hint = `\`quintet subscription activate ${account.name} ${service}\` activates it.`;
  if (state === "requested") {
    return `${account.name} has asked for ${service} on the plan ${plan} and cannot call it yet; ${hint}\n`;
  }
  if (state === "cancelled") {
    return `${account.name}'s subscription to ${service} is cancelled.\n`;
  }
  const inForce = `${account.name} is subscribed to ${service} on the plan ${plan}`;
  return waiting === undefined ? `${inForce}.\n` : `${inForce} and has asked for ${waiting}; ${hint}\n`;
}

function addList(parent: Command, context: CommandContext): void {
  parent
    .command("list")
    .description("List subscriptions, of one account or of all, without the cancelled ones.")
    .argument("[account]", "the account's name or id")
    .option("--waiting", "only those with a plan that waits to be activated")
    .option("--all", "the cancelled ones too")
    .addOption(jsonOption())
    .addHelpText("after", examples("quintet subscription list acme", "quintet subscription list --waiting"))
    .action(async (idOrName: string | undefined, options: { waiting?: true; all?: true } & JsonOption) => {
      const rows = (await context.withStore((store) => readRows(store, idOrName))).filter(
        ({ subscription }) =>
          (options.all || subscription.state !== "cancelled") && (!options.waiting || waitsFor(subscription) !== undefined),
      );
      if (options.json) {
        context.out(json({ subscriptions: rows.map(({ subscription }) => subscriptionDocument(subscription)) }));
      } else {
        context.out(rows.length === 0 ? "There are no such subscriptions.\n" : subscriptionTable(rows));
      }
    });
}

async function readRows(store: Store, idOrName: string | undefined): Promise<{ account: Account; subscription: Subscription }[]> {
  const accounts = idOrName === undefined ? await store.listAccounts() : [await requireAccount(store, idOrName)];
  const rows = [];
  for (const account of accounts) {
    for (const subscription of await store.listSubscriptions(account.id)) {
      rows.push({ account, subscription });
    }
  }
  return rows;
}
