// `quintet plans`: what is on offer, applying a plan file, and moving subscribers from retired versions.
import type { Command } from "commander";
import { moveDueSubscriptions } from "../account/offered-plans.ts";
import { entitlementWords } from "../catalogue/entitlements.ts";
import { moneyText } from "../catalogue/money.ts";
import { isFree, type Plan } from "../catalogue/plan.ts";
import { readPlanFile } from "../catalogue/plans.ts";
import type { ServiceName } from "../catalogue/service-names.ts";
import type { StripeClient } from "../payments/stripe-client.ts";
import type { PlanChange, PlanVersion } from "../store/records.ts";
import { planChanges } from "../store/repositories/plans.ts";
import type { ScheduledMove } from "../store/repositories/subscriptions.ts";
import { parseDuration, serviceOption } from "./arguments.ts";
import { CommandRefused } from "./command-refused.ts";
import type { CommandContext } from "./context.ts";
import { planDocument } from "./documents.ts";
import { examples, type JsonOption, jsonOption } from "./help.ts";
import { counted, grouped, json, minute, table } from "./output.ts";

export function addPlanCommands(program: Command, context: CommandContext): void {
  const plans = program
    .command("plans")
    .description("Show the plans, offer those of a plan file, and move subscribers.")
    .addHelpText("after", examples("quintet plans", "quintet plans apply plans.json"));
  addShow(plans, context);
  addFileCommand(plans, context, "diff");
  addFileCommand(plans, context, "apply");
  addSync(plans, context);
  addMigrate(plans, context);
}

function addShow(parent: Command, context: CommandContext): void {
  parent
    .command("show", { isDefault: true })
    .description("List the plans on offer, and the retired versions that still have subscribers.")
    .addOption(serviceOption("only this service's"))
    .addOption(jsonOption())
    .addHelpText("after", examples("quintet plans", "quintet plans show --service farkle --json"))
    .action(async ({ service, json: asJson }: { service?: ServiceName } & JsonOption) => {
      const versions = await context.withStore(async (store) => {
        await context.plans(store);
        return (await store.planVersions()).filter((plan) => service === undefined || plan.service === service);
      });
      context.out(asJson ? json({ plans: versions.map(versionDocument) }) : versionTable(versions));
    });
}

const versionDocument = (version: PlanVersion): object => ({
  id: version.id,
  ...planDocument(version),
  state: stateOf(version),
  subscribers: version.subscribers,
  moving: version.moving,
  created_at: new Date(version.createdAtMs).toISOString(),
});

const stateOf = ({ isOffered }: PlanVersion): string => (isOffered ? "offered" : "retired");

function versionTable(versions: readonly PlanVersion[]): string {
  const columns = [
    { heading: "version" },
    { heading: "state" },
    { heading: "subscribers", align: "right" },
    { heading: "price per month", align: "right" },
    { heading: "calls per month", align: "right" },
    { heading: "requests per second", align: "right" },
    { heading: "includes" },
  ] as const;
  const rows = versions.map((plan) => [
    plan.id,
    stateOf(plan),
    grouped(plan.subscribers),
    moneyText(plan.priceMinor, plan.currency),
    grouped(plan.callsPerMonth),
    grouped(plan.requestsPerSecond),
    entitlementWords(plan.service, plan.entitlements),
  ]);
  return table(columns, rows);
}

const FILE_COMMANDS = {
  diff: "Check a plan file, and show what applying it would change.",
  apply:
    "Offer exactly the plans of a file, on all servers at once. Subscribers keep their price and their limits; plans that are not in the file are retired.",
} as const;

function addFileCommand(parent: Command, context: CommandContext, verb: keyof typeof FILE_COMMANDS): void {
  parent
    .command(verb)
    .description(FILE_COMMANDS[verb])
    .argument("<file>", "the plan file")
    .addOption(jsonOption())
    .addHelpText("after", examples(`quintet plans ${verb} plans.json`))
    .action(async (file: string, { json: asJson }: JsonOption) => {
      const { plans, warnings } = readPlanFile(file);
      const stripe = verb === "apply" ? await context.stripe() : undefined;
      const { changes, offered } = await context.withStore(async (store) =>
        verb === "apply"
          ? { changes: (await store.applyPlans(plans)) ?? [], offered: await store.offeredPlans() }
          : { changes: planChanges(await store.planVersions(), plans), offered: [] },
      );
      for (const warning of warnings) {
        context.err(`Ignored: ${warning}\n`);
      }
      context.out(asJson ? json({ changes: changes.map(changeDocument), ignored: warnings }) : changeText(changes, verb));
      try {
        const created = stripe === undefined ? [] : await offerPrices(stripe, offered);
        context.out(asJson || created.length === 0 ? "" : createdText(created));
      } catch (error) {
        context.err(`The plans are on offer, but not all have a price at Stripe: ${messageOf(error)}\n${REPEAT}\n`);
      }
    });
}

const REPEAT = "Repeat `quintet plans sync`. A price that is missing is also created when a customer first buys the plan.";

function addSync(parent: Command, context: CommandContext): void {
  parent
    .command("sync")
    .description("Create a product and a price at Stripe for each paid plan on offer that has none, as `plans apply` does.")
    .addOption(jsonOption())
    .addHelpText("after", examples("quintet plans sync"))
    .action(async ({ json: asJson }: JsonOption) => {
      const stripe = await context.stripe();
      if (stripe === undefined) {
        throw new CommandRefused("settings", "QUINTET_STRIPE_KEY is not set, so customers cannot pay by card.");
      }
      const plans = await context.withStore((store) => context.plans(store));
      try {
        const created = await offerPrices(stripe, plans.all);
        context.out(asJson ? json({ created }) : createdText(created));
      } catch (error) {
        throw new CommandRefused("failed", `${messageOf(error)}\n${REPEAT}`);
      }
    });
}

// The versions whose prices were created now.
async function offerPrices(stripe: StripeClient, plans: readonly Plan[]): Promise<readonly string[]> {
  const created: string[] = [];
  for (const plan of plans.filter((each) => !isFree(each))) {
    if ((await stripe.offerPrice(plan)).isNew) {
      created.push(plan.id);
    }
  }
  return created;
}

const createdText = (created: readonly string[]): string =>
  created.length === 0
    ? "Each paid plan on offer has its price at Stripe.\n"
    : `Prices created at Stripe: ${created.join(", ")}.\n`;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const changeDocument = ({ kind, plan, before }: PlanChange): object => ({
  kind,
  plan: planDocument(plan),
  before: before === undefined ? null : versionDocument(before),
});

function changeText(changes: readonly PlanChange[], verb: keyof typeof FILE_COMMANDS): string {
  const made = changes.filter(({ kind }) => kind !== "unchanged");
  if (made.length === 0) {
    return "Nothing changes: these plans are on offer.\n";
  }
  const rows = made.map(({ kind, plan, before }) => [
    plan.service,
    plan.name,
    kind,
    before === undefined ? "-" : termsText(before),
    kind === "retired" || kind === "removed" ? "-" : termsText(plan),
    before === undefined ? "-" : grouped(before.subscribers),
  ]);
  const headings = ["service", "plan", "change", "before", "after"].map((heading) => ({ heading }));
  const kept = made.reduce((sum, { before }) => sum + (before?.subscribers ?? 0), 0);
  const subscribers = kept === 0 ? "" : `\n${counted(kept, "subscriber")} of these keep what they have.\n`;
  const done = verb === "apply" ? "\nThe plans are on offer.\n" : "";
  return table([...headings, { heading: "subscribers", align: "right" }], rows) + subscribers + done;
}

function termsText(plan: Plan): string {
  const { priceMinor, currency, callsPerMonth, requestsPerSecond } = plan;
  const words = entitlementWords(plan.service, plan.entitlements);
  const terms = `${moneyText(priceMinor, currency)}, ${grouped(callsPerMonth)} calls, ${grouped(requestsPerSecond)}/s`;
  return words === "" ? terms : `${terms}, ${words}`;
}

interface MigrateOptions extends JsonOption {
  readonly notice: number;
  readonly service?: ServiceName;
  readonly plan?: string;
  readonly to?: string;
}

const NOTICE_MAX_DAYS = 366;
const DAY_MS = 86_400_000;

function addMigrate(parent: Command, context: CommandContext): void {
  parent
    .command("migrate-subscribers")
    .description("Move the subscribers of retired versions to the version that is on offer, after telling them by e-mail.")
    .requiredOption("--notice <duration>", "how long they keep what they have, such as 30d; 0d moves them now", parseDuration)
    .addOption(serviceOption("only this service's"))
    .option("--plan <name>", "only those on this plan")
    .option("--to <name>", "the plan to move them to, instead of the one with the same name")
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examples(
        "quintet plans migrate-subscribers --notice 30d",
        "quintet plans migrate-subscribers --notice 30d --service radio --plan basic --to pro",
      ),
    )
    .action(async ({ notice, json: asJson, ...selection }: MigrateOptions) => {
      if (notice > NOTICE_MAX_DAYS * DAY_MS) {
        throw new CommandRefused("usage", `--notice must be at most ${NOTICE_MAX_DAYS}d.`);
      }
      if (selection.to !== undefined && (selection.service === undefined || selection.plan === undefined)) {
        throw new CommandRefused("usage", "--to needs --service and --plan, which say whose subscribers to move.");
      }
      const atMs = context.clock.nowMs() + notice;
      const moves = await context.withStore(async (store) => {
        const scheduled = await store.scheduleMoves(selection, atMs);
        let hasMore = notice === 0;
        while (hasMore) {
          hasMore = await moveDueSubscriptions(store);
        }
        return scheduled;
      });
      context.out(
        asJson ? json({ moves_at: new Date(atMs).toISOString(), moves: moves.map(moveDocument) }) : movesText(moves, atMs),
      );
    });
}

const moveDocument = ({ from, to, subscribers, staying }: ScheduledMove): object => ({
  ...{ from: from.id, to: to?.id ?? null, subscribers, staying },
});

function movesText(moves: readonly ScheduledMove[], atMs: number): string {
  if (moves.length === 0) {
    return "Nobody is on a retired version.\n";
  }
  return moves
    .map(({ from, to, subscribers, staying }) => {
      if (to === undefined) {
        return `${counted(subscribers, "subscriber")} of ${from.id} stay: no plan of that name is on offer. Name another one with --to.\n`;
      }
      const moving = `${counted(subscribers, "subscriber")} of ${from.id} move to ${to.id} at ${minute(atMs)} UTC.\n`;
      return staying === 0
        ? moving
        : `${moving}${counted(staying, "subscriber")} of ${from.id} stay: they pay by card, and ${to.id} is free or in another currency.\n`;
    })
    .join("");
}
