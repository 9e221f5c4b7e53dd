// `quintet usage`: an account's calls, and how much of its monthly quota is left.
import type { Command } from "commander";
import type { Latency } from "../account/latency-history.ts";
import { type ServiceUsage, type UsageReport, usageReport } from "../account/usage-report.ts";
import type { ServiceName } from "../catalogue/service-names.ts";
import type { Account } from "../store/records.ts";
import { serviceOption } from "./arguments.ts";
import type { CommandContext } from "./context.ts";
import { monthDocument, usageDocument } from "./documents.ts";
import { examples, type JsonOption, jsonOption } from "./help.ts";
import type { Column } from "./long-lists.ts";
import { requireAccount } from "./lookup.ts";
import { grouped, json, table } from "./output.ts";

interface UsageOptions extends JsonOption {
  readonly service?: ServiceName;
  readonly from?: string;
  readonly to?: string;
}

const NOTES = `
Days are UTC. Calls that failed on our side are not counted. Refused calls cost nothing; those with unknown keys are not listed. Servers write the
history every few seconds, so the latest calls may be missing. "Left" is the quota, with added calls, less what is used. Servers hold some of
these calls: each reserves up to 1% of the plan's calls in advance, and uses or returns them later. A server that crashes returns none. The
RateLimit header is what the responding server holds, and what none holds. The last table shows how long calls took at the servers: half, 95% and
99% of the measured calls took at most the time shown. Only calls in the call log are measured.
`;

export function addUsageCommand(program: Command, context: CommandContext): void {
  program
    .command("usage")
    .description("Show an account's calls, and what is left of its quota.")
    .argument("<account>", "the account's name or id")
    .addOption(serviceOption("only this service"))
    .option("--from <day>", "the first day, such as 2026-11-01; by default the first day of --to's month")
    .option("--to <day>", "the last day; today by default")
    .addOption(jsonOption())
    .addHelpText(
      "after",
      NOTES + examples("quintet usage acme", "quintet usage acme --service radio --from 2026-10-01 --to 2026-10-31"),
    )
    .action(async (idOrName: string, { service, from, to, json: asJson }: UsageOptions) => {
      const { account, report } = await context.withStore(async (store) => {
        const account = await requireAccount(store, idOrName);
        const options = { store, clock: context.clock, unspent: () => 0 };
        return { account, report: await usageReport(options, account.id, { service, fromDay: from, toDay: to }) };
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
    [
      left("service"),
      right("calls"),
      right("counted"),
      left("plan"),
      right(`used ${month}`),
      right("quota"),
      right("left"),
      right("held"),
    ],
    services.map(overviewRow),
  );
  const rows = services.flatMap(({ byMethod }) => byMethod.map(({ method, outcome, calls }) => [method, outcome, grouped(calls)]));
  const detail = rows.length === 0 ? "" : `\n${table([left("method"), left("outcome"), right("calls")], rows)}`;
  const refusals = services.flatMap(({ service, refused }) =>
    refused.map(({ reason, calls }) => [service, reason, grouped(calls)]),
  );
  const refused = refusals.length === 0 ? "" : `\n${table([left("service"), left("refused"), right("calls")], refusals)}`;
  const timed = services.flatMap(({ service, latency }) => (latency === undefined ? [] : [latencyRow(service, latency)]));
  const latency =
    timed.length === 0
      ? ""
      : `\n${table([left("service"), right("measured"), right("median"), right("p95"), right("p99")], timed)}`;
  return `${title}\n${overview}${detail}${refused}${latency}`;
}

function latencyRow(service: ServiceName, { calls, medianMs, p95Ms, p99Ms }: Latency): string[] {
  return [service, grouped(calls), ...[medianMs, p95Ms, p99Ms].map((ms) => `${ms} ms`)];
}

function overviewRow({ service, standing, calls, counted }: ServiceUsage): string[] {
  const month = standing === undefined ? undefined : monthDocument(standing);
  const number = (value: number | undefined): string => (value === undefined ? "-" : grouped(value));
  return [
    service,
    grouped(calls),
    grouped(counted),
    month?.plan ?? "-",
    ...[month?.counted, month?.calls_per_month, month?.remaining, month?.held].map(number),
  ];
}
