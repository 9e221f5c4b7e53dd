// `quintet audit`: who changed what, when, and from where.
import { type Command, InvalidArgumentError, Option } from "commander";
import { AUDIT_SUBJECTS, actionsNamed, nearestAction } from "../account/audit-actions.ts";
import { AUDIT_ACTIONS, type AuditAction, type AuditEntry, type AuditPage } from "../store/audit-records.ts";
import { parseCount, parsePastTime } from "./arguments.ts";
import type { CommandContext } from "./context.ts";
import { auditDocument } from "./documents.ts";
import { examples, type JsonOption, jsonOption } from "./help.ts";
import type { Column } from "./long-lists.ts";
import { requireAccount } from "./lookup.ts";
import { json, second, table } from "./output.ts";

const NUMBER_MAX = 9_999_999_999;

const NOTES = `
The trail contains changes to accounts, keys and subscriptions, raised and credited quotas, backups and restores. An entry is written in the same
transaction as its change. It names who made the change: on the command line, the user of the operating system (with sudo, both users); with a
session, the account's owner or an operator, and the address that the call came from. Entries are kept for 400 days. Times are UTC.
`;

interface AuditOptions extends JsonOption {
  readonly action?: readonly AuditAction[];
  readonly since?: number;
  readonly until?: number;
  readonly before?: number;
  readonly limit: number;
}

export function addAuditCommand(program: Command, context: CommandContext): void {
  program
    .command("audit")
    .description("Show who created, changed and revoked what, when, and from where; newest first.")
    .argument("[account]", "only what was done to this account; its name or ID")
    .option(
      "--action <names>",
      `only actions on these subjects, separated by commas: ${AUDIT_SUBJECTS.join(", ")}; or single actions, such as key.revoke`,
      parseActions,
    )
    .option("--since <when>", "only entries since this time: how long ago (90m, 7d) or when (2026-11-21)", (text) =>
      parsePastTime(text, context.clock.nowMs()),
    )
    .option("--until <when>", "only entries from before this time", (text) => parsePastTime(text, context.clock.nowMs()))
    .addOption(new Option("--limit <n>", "how many to show at most, from 1 to 10000").argParser(parseCount(1, 10_000)).default(100))
    .option("--before <number>", "only entries with a smaller number, for the next page", parseCount(1, NUMBER_MAX))
    .addOption(jsonOption())
    .addHelpText(
      "after",
      NOTES + examples("quintet audit", "quintet audit acme --since 7d", "quintet audit --action key.revoke,account.suspend"),
    )
    .action(async (idOrName: string | undefined, options: AuditOptions) => {
      const { action: actions, since: sinceMs, until: untilMs, before, limit } = options;
      const page = await context.withStore(async (store) => {
        const accountId = idOrName === undefined ? undefined : (await requireAccount(store, idOrName)).id;
        return store.auditPage({ accountId, actions, sinceMs, untilMs, before, limit });
      });
      if (options.json) {
        context.out(json({ entries: page.entries.map(auditDocument), has_more: page.hasMore }));
      } else {
        context.out(page.entries.length === 0 ? "There are no such entries.\n" : auditTable(page));
      }
    });
}

/** Names of actions, or of subjects for all actions on them, separated by commas. */
function parseActions(text: string): readonly AuditAction[] {
  return text.split(",").flatMap((part) => {
    const name = part.trim();
    const found = actionsNamed(name);
    if (found.length === 0) {
      const nearest = nearestAction(name);
      const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
      throw new InvalidArgumentError(`There is no action called "${name}".${hint} The actions are ${AUDIT_ACTIONS.join(", ")}.`);
    }
    return found;
  });
}

function auditTable({ entries, hasMore }: AuditPage): string {
  const texts = ["time", "who", "from", "action", "account", "what"].map((heading): Column => ({ heading }));
  const columns: readonly Column[] = [{ heading: "number", align: "right" }, ...texts];
  const rows = entries.map((entry) => [
    String(entry.number),
    second(entry.atMs),
    actorText(entry),
    entry.actor.origin || "-",
    entry.action,
    entry.accountName ?? entry.accountId ?? "-",
    detailText(entry),
  ]);
  const next = hasMore ? `\nThere are older entries; --before ${entries.at(-1)?.number} shows them.\n` : "";
  return table(columns, rows) + next;
}

function actorText({ actor: { kind, name }, actorAccountName, accountId }: AuditEntry): string {
  switch (kind) {
    case "operator":
      return name;
    case "owner":
      return name === accountId ? "its owner" : `owner of ${name}`;
    case "member":
      return `member ${actorAccountName ?? name}`;
    case "signed_in_operator":
      return `operator ${actorAccountName ?? name}`;
    default:
      return `a ${kind}`;
  }
}

// The details on one line, without empty ones.
function detailText({ subject, details }: AuditEntry): string {
  const shown = Object.entries(details).filter(([, value]) => value !== null);
  const words = shown.map(([name, value]) => `${name}=${Array.isArray(value) ? value.join(",") : String(value)}`);
  return [...words, ...(subject === null ? [] : [`id=${subject}`])].join(" ");
}
