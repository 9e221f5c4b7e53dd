// What `quintet usage --all` prints.
import type { TopAccountsReport } from "../account/top-accounts.ts";
import { SERVICE_NAMES } from "../catalogue/service-names.ts";
import type { Column } from "./long-lists.ts";
import { grouped, table } from "./output.ts";

const right = (heading: string): Column => ({ heading, align: "right" });

/** Two tables: the services, and the accounts with the most calls. */
export function topAccountsText({ fromDay, toDay, services, accounts }: TopAccountsReport): string {
  const title = `Usage of all accounts from ${fromDay} to ${toDay}, UTC\n`;
  if (services.length === 0) {
    return `${title}\nNo calls.\n`;
  }
  const called = SERVICE_NAMES.filter((name) => services.some(({ service }) => service === name));
  const byService = called.map((name) => {
    const { calls = 0, counted = 0, accounts: callers = 0 } = services.find(({ service }) => service === name) ?? {};
    return [name, grouped(calls), grouped(counted), grouped(callers)];
  });
  const byAccount = accounts.map((account) => [
    account.accountName ?? account.accountId,
    grouped(account.calls),
    grouped(account.counted),
    ...called.map((name) => grouped(account.services.find(({ service }) => service === name)?.calls ?? 0)),
  ]);
  const overview = table([{ heading: "service" }, right("calls"), right("counted"), right("accounts")], byService);
  const top = table([{ heading: "account" }, right("calls"), right("counted"), ...called.map(right)], byAccount);
  return `${title}\n${overview}\n${top}`;
}
