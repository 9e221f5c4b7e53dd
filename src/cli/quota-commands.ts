// `quintet quota`: counts calls that a restored database has lost, and gives an account more calls for a month.
import { type Command, InvalidArgumentError, Option } from "commander";
import { raiseQuotas, secondsLost } from "../account/quota-raise.ts";
import type { ServiceName } from "../catalogue/service-names.ts";
import { dayAt } from "../runtime/calendar.ts";
import type { QuotaRaise } from "../store/records.ts";
import { parseCount, parsePastTime, serviceArgument } from "./arguments.ts";
import type { CommandContext } from "./context.ts";
import { examples, type JsonOption, jsonOption } from "./help.ts";
import { requireAccount, requireSubscription } from "./lookup.ts";
import { counted, grouped, json } from "./output.ts";

interface RaiseOptions extends JsonOption {
  readonly since?: number;
  readonly percent?: number;
}

interface CreditOptions extends JsonOption {
  readonly reason?: string;
}

const REASON_MAX = 200;

const NOTES = `
A database that was restored from a backup, or a standby that took over without the last commits, does not know the calls that were made after that
time, and would grant them again. Stop all servers, restore the database, run this command once, and start the servers.

With --since, each subscription is charged as many calls as its plan's rate allows in the time since then, up to its monthly quota. So no call is
granted twice, but customers lose calls that they did not make. Use --percent if you know a better figure. Each run charges the calls again.
`;

const CREDIT_NOTES = `
The extra calls come on top of the plan's, for the rest of the current month, from the next call on, even if the monthly quota is used up. Unused
calls expire with the month. Each run adds the calls again.
`;

export function addQuotaCommands(program: Command, context: CommandContext): void {
  const quota = program.command("quota").description("Give an account more calls; count calls that a restored database has lost.");
  addCredit(quota, context);
  addRaise(quota, context);
}

function addCredit(quota: Command, context: CommandContext): void {
  quota
    .command("credit")
    .description("Give an account more calls to a service in the current month.")
    .argument("<account>", "the account's name or id")
    .addArgument(serviceArgument())
    .argument("<calls>", "how many, from 1 to 1000000000", parseCount(1, 1_000_000_000))
    .addOption(new Option("--reason <text>", "why, for the audit trail: 1 to 200 characters").argParser(parseReason))
    .addOption(jsonOption())
    .addHelpText("after", CREDIT_NOTES + examples("quintet quota credit acme radio 500 --reason outage"))
    .action(async (idOrName: string, service: ServiceName, calls: number, options: CreditOptions) => {
      const { month } = dayAt(context.clock.nowMs());
      const { account, credited } = await context.withStore(async (store) => {
        const account = await requireAccount(store, idOrName);
        const subscription = await requireSubscription(store, account, service);
        return { account, ...(await store.credit(subscription.id, month, calls, options.reason)) };
      });
      context.out(
        options.json
          ? json({ account_id: account.id, account: account.name, service, month, calls, credited })
          : `${account.name} has ${grouped(calls)} more calls to ${service} in ${month} (${grouped(credited)} added in total).\n`,
      );
    });
}

function parseReason(text: string): string {
  const reason = text.trim();
  if (reason === "" || [...reason].length > REASON_MAX) {
    throw new InvalidArgumentError(`A reason has 1 to ${REASON_MAX} characters.`);
  }
  return reason;
}

function addRaise(quota: Command, context: CommandContext): void {
  quota
    .command("raise")
    .description("Count this month's calls as used, for every active subscription.")
    .addOption(
      new Option(
        "--since <when>",
        "the time up to which the database has the counts, such as 2026-11-21T03:00Z, or 90m for 90 minutes ago",
      )
        .argParser((text) => parsePastTime(text, context.clock.nowMs()))
        .conflicts("percent"),
    )
    .addOption(
      new Option("--percent <n>", "this share of each plan's calls per month, from 1 to 100").argParser(parseCount(1, 100)),
    )
    .addOption(jsonOption())
    .addHelpText("after", NOTES + examples("quintet quota raise --since 2026-11-21T03:00Z", "quintet quota raise --percent 5"))
    .action(async (options: RaiseOptions, command: Command) => {
      const amount = raiseOf(options, context.clock.nowMs());
      if (amount === undefined) {
        command.error("error: one of --since and --percent is required", { exitCode: 2 });
      }
      const { month } = dayAt(context.clock.nowMs());
      const { seconds, percent } = amount;
      const noted = percent > 0 ? { percent } : { seconds };
      const raised = await context.withoutServers(async (store) => {
        // Comes first, so that the audit trail shows the attempt even if the rest fails half-way.
        await store.note({ action: "quota.raise", accountId: null, details: { month, ...noted } });
        return raiseQuotas(store, { id: context.randomness.uuid(), month, ...amount });
      });
      const { subscriptions, calls, keyCaps } = raised;
      if (options.json) {
        context.out(json({ month, subscriptions, calls, key_caps: keyCaps }));
        return;
      }
      context.out(
        `${grouped(calls)} calls for ${month} now count as used, across ${counted(subscriptions, "active subscription")}.\n`,
      );
      if (keyCaps > 0) {
        context.out(`The counts of ${counted(keyCaps, "key cap")} were raised as well.\n`);
      }
    });
}

function raiseOf({ since, percent }: RaiseOptions, nowMs: number): Pick<QuotaRaise, "seconds" | "percent"> | undefined {
  if (percent !== undefined) {
    return { seconds: 0, percent };
  }
  return since === undefined ? undefined : { seconds: secondsLost(since, nowMs), percent: 0 };
}
