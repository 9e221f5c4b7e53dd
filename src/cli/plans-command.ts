// `quintet plans`: the plans on offer.
import type { Command } from "commander";
import { entitlementWords } from "../catalogue/entitlements.ts";
import { moneyText } from "../catalogue/money.ts";
import type { Plan } from "../catalogue/plan.ts";
import type { ServiceName } from "../catalogue/service-names.ts";
import { serviceOption } from "./arguments.ts";
import type { CommandContext } from "./context.ts";
import { planDocument } from "./documents.ts";
import { examples, type JsonOption, jsonOption } from "./help.ts";
import { grouped, json, table } from "./output.ts";

export function addPlansCommand(program: Command, context: CommandContext): void {
  program
    .command("plans")
    .description("List the plans on offer: those in the file QUINTET_PLANS, or the built-in ones.")
    .addOption(serviceOption("only this service's"))
    .addOption(jsonOption())
    .addHelpText("after", examples("quintet plans", "quintet plans --service farkle --json"))
    .action(({ service, json: asJson }: { service?: ServiceName } & JsonOption) => {
      const all = context.plans();
      const plans = service === undefined ? all.all : all.of(service);
      context.out(asJson ? json({ plans: plans.map(planDocument) }) : planTable(plans));
    });
}

function planTable(plans: readonly Plan[]): string {
  const columns = [
    { heading: "service" },
    { heading: "plan" },
    { heading: "price per month", align: "right" },
    { heading: "calls per month", align: "right" },
    { heading: "requests per second", align: "right" },
    { heading: "includes" },
  ] as const;
  const rows = plans.map((plan) => [
    plan.service,
    plan.name,
    moneyText(plan.priceMinor, plan.currency),
    grouped(plan.callsPerMonth),
    grouped(plan.requestsPerSecond),
    entitlementWords(plan.service, plan.entitlements),
  ]);
  return table(columns, rows);
}
