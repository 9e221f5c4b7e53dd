// `quintet quota`: raises the months' counts after a database has lost some of them.
import { type Command, Option } from "commander";
import { type QuotaRaise, raiseQuotas } from "../account/quota-raise.ts";
import { dayAt } from "../guard/quota/month.ts";
import { parseCount, parsePastMoment } from "./arguments.ts";
import type { CommandContext } from "./context.ts";
import { examples, type JsonOption, jsonOption } from "./help.ts";
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

/** Adds the command. */
export function addQuotaCommand(program: Command, context: CommandContext): void {
  program
    .command("quota")
    .description("Raise the months' counts after a database was restored.")
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
      const raised = await context.withStore((store) => raiseQuotas({ store, plans: context.plans() }, month, raise));
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
