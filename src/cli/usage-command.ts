// `quintet usage`: what an account has called, and how much of its month is left.
import type { Command } from "commander";
import { type ServiceUsage, type UsageReport, usageReport } from "../account/usage-report.ts";
import type { ServiceName } from "../catalogue/service-names.ts";
import type { Account } from "../store/records.ts";
import { parseService } from "./arguments.ts";
import type { CommandContext } from "./context.ts";
import { usageDocument } from "./documents.ts";
import { examples, type JsonOption, jsonOption } from "./help.ts";
import { requireAccount } from "./lookup.ts";
import { type Column, grouped, json, table } from "./output.ts";

interface UsageOptions extends JsonOption {
  readonly service?: ServiceName;
  readonly from?: string;
  readonly to?: string;
}

const NOTES = `
Days are UTC. What failed on our side is not counted. Servers write the history every few seconds, so the last calls may be missing. What is left is
what no server has taken yet: servers take calls ahead, up to a hundredth of the plan each, and those are used or given back later.
`;

/** Adds the command. */
export function addUsageCommand(program: Command, context: CommandContext): void {
  program
    .command("usage")
    .description("Show what an account has called, and what is left of its month.")
    .argument("<account>", "the account's name or id")
    .option("--service <name>", "only this service", parseService)
    .option("--from <day>", "the first day, such as 2026-11-01; the first of the last day's month by default")
    .option("--to <day>", "the last day; today by default")
    .addOption(jsonOption())
    .addHelpText(
      "after",
      NOTES + examples("quintet usage acme", "quintet usage acme --service radio --from 2026-10-01 --to 2026-10-31"),
    )
    .action(async (idOrName: string, { service, from, to, json: asJson }: UsageOptions) => {
      const { account, report } = await context.withStore(async (store) => {
        const account = await requireAccount(store, idOrName);
        const deps = { store, plans: context.plans(), clock: context.clock, unspent: () => 0 };
        return { account, report: await usageReport(deps, account.id, { service, fromDay: from, toDay: to }) };
      });
      context.out(asJson ? json(usageDocument(account, report)) : usageText(account, report));
    });
}

function usageText(account: Account, { month, fromDay, toDay, services }: UsageReport): string {
  const title = `Usage of ${account.name} from ${fromDay} to ${toDay}, UTC\n`;
  if (services.length === 0) {
    return `${title}\nNo subscriptions, and no calls.\n`;
  }
  const right = (heading: string): Column => ({ heading, align: "right" });
  const left = (heading: string): Column => ({ heading });
  const overview = table(
    [left("service"), right("calls"), right("counted"), left("plan"), right(`used ${month}`), right("quota"), right("left")],
    services.map(overviewRow),
  );
  const rows = services.flatMap(({ byMethod }) => byMethod.map(({ method, outcome, calls }) => [method, outcome, grouped(calls)]));
  const detail = rows.length === 0 ? "" : `\n${table([left("method"), left("outcome"), right("calls")], rows)}`;
  return `${title}\n${overview}${detail}`;
}

function overviewRow({ service, standing, calls, counted }: ServiceUsage): string[] {
  const number = (value: number | undefined): string => (value === undefined ? "-" : grouped(value));
  return [
    service,
    grouped(calls),
    grouped(counted),
    standing?.plan ?? "-",
    number(standing?.counted),
    number(standing?.callsPerMonth),
    number(standing?.remaining),
  ];
}
