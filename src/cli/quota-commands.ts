// `quintet quota`: counts calls that a restored database has lost.
import { type Command, Option } from "commander";
import { raiseQuotas, secondsLost } from "../account/quota-raise.ts";
import { dayAt } from "../runtime/calendar.ts";
import type { QuotaRaise } from "../store/records.ts";
import { parseCount, parsePastTime } from "./arguments.ts";
import type { CommandContext } from "./context.ts";
import { examples, type JsonOption, jsonOption } from "./help.ts";
import { counted, grouped, json } from "./output.ts";

interface RaiseOptions extends JsonOption {
  readonly since?: number;
  readonly percent?: number;
}

const NOTES = `
A database that was restored from a backup, or a standby that took over without the last commits, does not know the calls that were made after that
time, and would grant them again. Stop all servers, restore the database, run this command once, and start the servers.

With --since, each subscription is charged as many calls as its plan's rate allows in the time since then, up to its monthly quota. So no call is
granted twice, but customers lose calls that they did not make. Use --percent if you know a better figure. Each run charges the calls again.
`;

export function addQuotaCommands(program: Command, context: CommandContext): void {
  const quota = program.command("quota").description("Count calls that a restored database has lost.");
  addRaise(quota, context);
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
