// `quintet subscription`: which account may call which service, on which plan.
import { type Command, Option } from "commander";
import { activatePlan, createSubscription, pendingPlan, requestPlan, type SubscriptionOptions } from "../account/subscriptions.ts";
import type { ServiceName } from "../catalogue/service-names.ts";
import type { Account, Subscription } from "../store/records.ts";
import { parseCount, serviceArgument } from "./arguments.ts";
import type { CommandContext, CommandStore } from "./context.ts";
import { subscriptionDocument } from "./documents.ts";
import { examples, type JsonOption, jsonOption } from "./help.ts";
import { refuseSecondSubscription, requireAccount, requireSubscription } from "./lookup.ts";
import { grouped, json } from "./output.ts";
import { subscriptionTable } from "./tables.ts";

const OFFSET_MAX = 1_000_000_000;

export function addSubscriptionCommands(program: Command, context: CommandContext): void {
  const subscription = program
    .command("subscription")
    .description("Create, change, activate, decline, cancel and list subscriptions.");
  addChange(subscription, context, {
    verb: "create",
    description:
      "Subscribe an account to a service. A free plan begins immediately. A paid one is pending until it is activated; until then, the free plan is active if there is one.",
    plan: { flags: "--plan <name>", description: "the plan", fallback: "free" },
    examples: ["quintet subscription create acme radio", "quintet subscription create acme farkle --plan pro"],
    change: async (tools, account, service, plan) => {
      await refuseSecondSubscription(tools.store, account, service);
      return createSubscription(tools, { accountId: account.id, service, plan: plan ?? "free" });
    },
  });
  addChange(subscription, context, {
    verb: "request",
    description: "Request another plan. The current one stays until the new one is activated; a free one begins immediately.",
    plan: { flags: "--plan <name>", description: "the plan", required: true },
    examples: ["quintet subscription request acme radio --plan pro"],
    change: async (tools, account, service, plan) =>
      requestPlan(tools, await requireSubscription(tools.store, account, service), plan ?? ""),
  });
  addChange(subscription, context, {
    verb: "activate",
    description: "Activate the requested plan, from the next call on.",
    plan: { flags: "--plan <name>", description: "a different plan than the requested one" },
    examples: ["quintet subscription activate acme radio", "quintet subscription activate acme radio --plan mega"],
    change: async (tools, account, service, plan) =>
      activatePlan(tools, await requireSubscription(tools.store, account, service), plan),
  });
  addChange(subscription, context, {
    verb: "decline",
    description: "Withdraw the request for a plan. A subscription that has no other plan ends.",
    examples: ["quintet subscription decline acme radio"],
    change: async ({ store }, account, service) => store.declinePlan((await requireSubscription(store, account, service)).id),
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
    tools: SubscriptionOptions,
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
    .addArgument(serviceArgument());
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
        return { account, changed: await change(await subscriptionOptions(context, store), account, service, options.plan) };
      });
      context.out(options.json ? json(subscriptionDocument(changed)) : sentence(account, changed));
    });
}

const subscriptionOptions = async (context: CommandContext, store: CommandStore): Promise<SubscriptionOptions> => ({
  store,
  plans: await context.plans(store),
  randomness: context.randomness,
});

function sentence(account: Account, subscription: Subscription): string {
  const { service, plan, state } = subscription;
  const waiting = pendingPlan(subscription);
  const hint = `\`quintet subscription activate ${account.name} ${service}\` activates it.`;
  if (state === "requested") {
    return `${account.name} has requested ${service} on the plan ${plan} and cannot call it yet; ${hint}\n`;
  }
  if (state === "cancelled") {
    return `${account.name}'s subscription to ${service} is cancelled.\n`;
  }
  const sentence = `${account.name} is subscribed to ${service} on the plan ${plan}`;
  return waiting === undefined ? `${sentence}.\n` : `${sentence} and has requested ${waiting}; ${hint}\n`;
}

interface ListOptions extends JsonOption {
  readonly waiting?: true;
  readonly all?: true;
  readonly limit: number;
  readonly offset: number;
}

function addList(parent: Command, context: CommandContext): void {
  parent
    .command("list")
    .description("List the subscriptions of one account, or of all accounts by name, without the cancelled ones.")
    .argument("[account]", "the account's name or id")
    .option("--waiting", "only those with a plan that is pending activation")
    .option("--all", "include the cancelled ones")
    .addOption(new Option("--limit <n>", "how many to list at most, from 1 to 10000").argParser(parseCount(1, 10_000)).default(100))
    .addOption(new Option("--offset <n>", "how many to skip").argParser(parseCount(0, OFFSET_MAX)).default(0))
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examples("quintet subscription list acme", "quintet subscription list --waiting", "quintet subscription list --offset 100"),
    )
    .action(async (idOrName: string | undefined, { all, waiting, limit, offset, json: asJson }: ListOptions) => {
      const { total, rows } = await context.withStore(async (store) => {
        const accountId = idOrName === undefined ? undefined : (await requireAccount(store, idOrName)).id;
        return store.subscriptionPage({ accountId, includeCancelled: all === true, pendingOnly: waiting === true, limit, offset });
      });
      const hasMore = offset + rows.length < total;
      if (asJson) {
        context.out(
          json({ subscriptions: rows.map(({ subscription }) => subscriptionDocument(subscription)), total, has_more: hasMore }),
        );
      } else {
        context.out(
          rows.length === 0
            ? noneOf(total)
            : subscriptionTable(rows, context.clock.nowMs()) + moreOf(rows.length, total, offset, hasMore),
        );
      }
    });
}

const noneOf = (total: number): string =>
  total === 0 ? "There are no such subscriptions.\n" : `There are only ${grouped(total)} such subscriptions.\n`;

const moreOf = (shown: number, total: number, offset: number, hasMore: boolean): string =>
  hasMore ? `\n${grouped(shown)} of ${grouped(total)} are shown; --offset ${offset + shown} shows the next ones.\n` : "";
