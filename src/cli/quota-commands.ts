// `quintet quota`: raises the months' counts after a database has lost some of them, and gives an account more calls for a month.
import { type Command, Option } from "commander";
import { type QuotaRaise, raiseQuotas } from "../account/quota-raise.ts";
import { SERVICE_NAMES, type ServiceName } from "../catalogue/service-names.ts";
import { dayAt } from "../guard/quota/month.ts";
import { parseCount, parsePastMoment, parseService } from "./arguments.ts";
import type { CommandContext } from "./context.ts";
import { examples, type JsonOption, jsonOption } from "./help.ts";
import { requireAccount, requireSubscription } from "./lookup.ts";
import { grouped, json } from "./output.ts";

interface RaiseOptions extends JsonOption {
  readonly since?: number;
  readonly percent?: number;
}

const NOTES = `
A database that was restored from a backup, or a standby that took over before it had heard of the last commits, does not know which
calls were made after that moment, and would grant them again. Stop all servers, restore, run this once, start the servers.

--since counts as used what each subscription can have made since then at the rate of its plan, and its whole month where that is
less: no call too many is granted, and those are lost that were not made. --percent is for who knows better. Each run counts again.
`;

const CREDIT_NOTES = `
They come on top of the plan's, for the rest of the present month, from the next call on: also for an account whose month is used up. What is
not used is gone with the month. Each run gives them again.
`;

/** Adds the commands. */
export function addQuotaCommands(program: Command, context: CommandContext): void {
  const quota = program
    .command("quota")
    .description("Give an account more calls; raise the months' counts after a database was restored.");
  addCredit(quota, context);
  addRaise(quota, context);
}

function addCredit(quota: Command, context: CommandContext): void {
  quota
    .command("credit")
    .description("Give an account more calls of a service in the present month.")
    .argument("<account>", "the account's name or id")
    .argument("<service>", SERVICE_NAMES.join(", "), parseService)
    .argument("<calls>", "how many, from 1 to 1000000000", parseCount(1, 1_000_000_000))
    .addOption(jsonOption())
    .addHelpText("after", CREDIT_NOTES + examples("quintet quota credit acme radio 500"))
    .action(async (idOrName: string, service: ServiceName, calls: number, options: JsonOption) => {
      const { month } = dayAt(context.clock.nowMs());
      const { account, credited } = await context.withStore(async (store) => {
        const account = await requireAccount(store, idOrName);
        const subscription = await requireSubscription(store, account, service);
        return { account, ...(await store.credit(subscription.id, month, calls)) };
      });
      context.out(
        options.json
          ? json({ account_id: account.id, account: account.name, service, month, calls, credited })
          : `${account.name} has ${grouped(calls)} calls of ${service} more in ${month}, ${grouped(credited)} on top of the plan's in all.\n`,
      );
    });
}

function addRaise(quota: Command, context: CommandContext): void {
  quota
    .command("raise")
    .description("Count calls of the present month as used, for every active subscription.")
    .addOption(
      new Option("--since <when>", "the moment up to which the database knows the counts, such as 2026-11-21T03:00Z or 90m ago")
        .argParser((text) => parsePastMoment(text, context.clock.nowMs()))
        .conflicts("percent"),
    )
    .addOption(
      new Option("--percent <n>", "this share of each plan's calls per month, from 1 to 100").argParser(parseCount(1, 100)),
    )
    .addOption(jsonOption())
    .addHelpText("after", NOTES + examples("quintet quota raise --since 2026-11-21T03:00Z", "quintet quota raise --percent 5"))
    .action(async (options: RaiseOptions, command: Command) => {
      const { month, monthStartMs } = dayAt(context.clock.nowMs());
      const raise = raiseOf(options, context.clock.nowMs(), monthStartMs);
      if (raise === undefined) {
        command.error("error: one of --since and --percent is required", { exitCode: 2 });
      }
      const raised = await context.withStore(async (store) => {
        // First: if the rest fails half-way, it is known that somebody began.
        await store.note({ action: "quota.raise", accountId: null, subject: null, details: { month, ...raise } });
        return raiseQuotas({ store, plans: context.plans() }, month, raise);
      });
      const { subscriptions, calls, withoutPlan } = raised;
      if (options.json) {
        context.out(json({ month, subscriptions, calls, without_plan: withoutPlan }));
        return;
      }
      context.out(`${grouped(calls)} calls of ${month} now count as used, of ${grouped(subscriptions)} active subscriptions.\n`);
      if (withoutPlan > 0) {
        context.out(`${grouped(withoutPlan)} were left as they are: their plan is not in the plan file.\n`);
      }
    });
}

function raiseOf({ since, percent }: RaiseOptions, nowMs: number, monthStartMs: number): QuotaRaise | undefined {
  if (percent !== undefined) {
    return { by: "percent", percent };
  }
  return since === undefined ? undefined : { by: "seconds", seconds: (nowMs - Math.max(since, monthStartMs)) / 1000 };
}
