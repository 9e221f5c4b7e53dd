// `quintet billing`: the income of a month, and its paid plans as CSV for bookkeeping.
import { type Command, InvalidArgumentError } from "commander";
import { type BillingLine, billingLines, type Income, incomeOf } from "../account/income.ts";
import { decimalsOf, moneyText } from "../catalogue/money.ts";
import type { PaidInvoice } from "../payments/stripe-client.ts";
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
month. Its net amount is the share of the monthly price for that part. If QUINTET_STRIPE_KEY is set, plans paid by card have instead a line
for each invoice that Stripe wrote in the month and that is paid, with what it charged. Refunds are in Stripe's own reports.
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
      const stripe = await context.stripe();
      const invoices = await stripe?.paidInvoices(month.fromMs, month.untilMs);
      const lines = await context.withStore(async (store) => {
        const periods = await store.paidPeriods(month.fromMs, month.untilMs);
        const named = new Map<string, string | undefined>();
        for (const { accountId } of invoices ?? []) {
          named.set(accountId, named.get(accountId) ?? (await store.findAccount(accountId))?.name);
        }
        const cells = billingLines(
          invoices === undefined ? periods : periods.filter(({ payment }) => payment === undefined),
          month,
        );
        return [...cells.map(cellsOf), ...(invoices ?? []).map((each) => invoiceCells(each, named.get(each.accountId)))];
      });
      context.out(csv(lines));
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

const spanCells = (...times: readonly number[]): readonly string[] => times.map((ms) => new Date(ms).toISOString());

function amountCell(minor: number, currency: string): string {
  const decimals = decimalsOf(currency);
  return (minor / 10 ** decimals).toFixed(decimals);
}

function cellsOf({ accountId, accountName, terms, fromMs, untilMs, netMinor, payment }: BillingLine): readonly string[] {
  const of = [accountId, accountName ?? "", terms.service, terms.id, ...spanCells(fromMs, untilMs)];
  return [...of, amountCell(netMinor, terms.currency), "", terms.currency, payment?.id ?? "operator", payment?.invoiceUrl ?? ""];
}

function invoiceCells(invoice: PaidInvoice, accountName = ""): readonly string[] {
  const { accountId, service, planId, fromMs, untilMs, netMinor, taxMinor, currency, paymentId, url } = invoice;
  const amounts = [netMinor, taxMinor].map((minor) => amountCell(minor, currency));
  return [accountId, accountName, service, planId, ...spanCells(fromMs, untilMs), ...amounts, currency, paymentId, url];
}

function csv(rows: readonly (readonly string[])[]): string {
  return `${[COLUMNS, ...rows.map((row) => row.map(quoted).join(","))].join("\r\n")}\r\n`;
}
