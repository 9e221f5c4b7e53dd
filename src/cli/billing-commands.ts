// `quintet billing`: the income of a month, and its paid plans as CSV for bookkeeping.
import { type Command, InvalidArgumentError } from "commander";
import { type BillingLine, billingLines, type Income, incomeOf } from "../account/income.ts";
import { decimalsOf, moneyText } from "../catalogue/money.ts";
import { dayAt } from "../runtime/calendar.ts";
import type { CommandContext } from "./context.ts";
import { examples, type JsonOption, jsonOption } from "./help.ts";
import { grouped, json, table } from "./output.ts";

interface Month {
  readonly name: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

const NOTES = `
A plan counts from its activation until the customer has another one or none. The export has a line for each paid plan in each part of the
month. Its net amount is the share of the monthly price for that part. What Stripe invoiced, with tax, is on the invoice: plans paid by card
have its address, and no amount of tax here.
`;

export function addBillingCommands(program: Command, context: CommandContext): void {
  const billing = program
    .command("billing")
    .description("Show what paid plans bring in, and export them for bookkeeping.")
    .addHelpText("after", NOTES + examples("quintet billing income", "quintet billing export --month 2026-10 > october.csv"));
  billing
    .command("income")
    .description("Show the monthly recurring revenue, and what was gained and lost in a month.")
    .option("--month <month>", "the month, such as 2026-11; by default this one", parseMonth)
    .addOption(jsonOption())
    .addHelpText("after", examples("quintet billing income", "quintet billing income --month 2026-10"))
    .action(async ({ month, json: asJson }: { month?: Month } & JsonOption) => {
      const whole = month ?? parseMonth(dayAt(context.clock.nowMs()).month);
      const span = { ...whole, untilMs: Math.min(whole.untilMs, context.clock.nowMs() + 1) };
      const income = incomeOf(await context.withStore((store) => store.paidPeriods(span.fromMs, span.untilMs)), span);
      context.out(asJson ? json({ month: span.name, income: income.map(incomeDocument) }) : incomeText(span.name, income));
    });
  billing
    .command("export")
    .description("Print a month's paid plans as CSV.")
    .requiredOption("--month <month>", "the month, such as 2026-10", parseMonth)
    .addHelpText("after", NOTES + examples("quintet billing export --month 2026-10 > october.csv"))
    .action(async ({ month }: { month: Month }) => {
      const periods = await context.withStore((store) => store.paidPeriods(month.fromMs, month.untilMs));
      context.out(csv(billingLines(periods, month)));
    });
}

function parseMonth(text: string): Month {
  const [year = 0, number = 0] = /^\d{4}-(0[1-9]|1[0-2])$/.test(text) ? text.split("-").map(Number) : [];
  if (number === 0) {
    throw new InvalidArgumentError("It must be a month such as 2026-10.");
  }
  return { name: text, fromMs: Date.UTC(year, number - 1), untilMs: Date.UTC(year, number) };
}

const PARTS = ["begin", "gained", "lost", "changed", "end", "failed"] as const;

const incomeDocument = (income: Income): object => ({
  currency: income.currency,
  ...Object.fromEntries(
    PARTS.map((part) => [part, { amount_minor: income[part].minor, subscriptions: income[part].subscriptions }]),
  ),
});

function incomeText(month: string, income: readonly Income[]): string {
  if (income.length === 0) {
    return `No paid plans in ${month}.\n`;
  }
  const rows = income.map((each) => [
    each.currency,
    ...PARTS.map((part) => `${moneyText(each[part].minor, each.currency).split(" ")[0]} (${grouped(each[part].subscriptions)})`),
  ]);
  const columns = [{ heading: month }, ...PARTS.map((heading) => ({ heading, align: "right" as const }))];
  return `Monthly recurring revenue, and how many subscriptions\n\n${table(columns, rows)}`;
}

const COLUMNS = "account_id,account,service,plan_version,from,to,net,tax,currency,payment,invoice";

// RFC 4180. No value begins like a formula: the characters of names and ids are known, and links begin with a scheme.
const quoted = (value: string): string => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

function csv(lines: readonly BillingLine[]): string {
  const rows = lines.map(({ accountId, accountName, terms, fromMs, untilMs, netMinor, payment }) => {
    const decimals = decimalsOf(terms.currency);
    const net = (netMinor / 10 ** decimals).toFixed(decimals);
    const span = [fromMs, untilMs].map((ms) => new Date(ms).toISOString());
    const of = [accountId, accountName ?? "", terms.service, terms.id];
    return [...of, ...span, net, "", terms.currency, payment?.id ?? "operator", payment?.invoiceUrl ?? ""];
  });
  return `${[COLUMNS, ...rows.map((row) => row.map(quoted).join(","))].join("\r\n")}\r\n`;
}
