// `quintet backup` and `quintet restore`: the embedded database as one file.
import type { Command } from "commander";
import { type QuotaRaised, raiseQuotas, secondsLost } from "../account/quota-raise.ts";
import { dayAt } from "../runtime/calendar.ts";
import type { Replaced, Restoring } from "../store/sqlite/restore.ts";
import { parsePastTime } from "./arguments.ts";
import { CommandRefused } from "./command-refused.ts";
import type { CommandContext, CommandStore } from "./context.ts";
import { examples, type JsonOption, jsonOption } from "./help.ts";
import { counted, grouped, json, second } from "./output.ts";

const BACKUP_NOTES = `
The server can keep running and is not blocked. The backup is a snapshot: it contains everything that was confirmed before the command started. It is
written under a temporary name and checked first. Only its owner can read it, because it contains the hashes of keys and passwords. For PostgreSQL,
use pg_dump.
`;

const RESTORE_NOTES = `
Stop the server first; the command refuses to run while one is running. Everything is prepared in a copy: if anything fails, the database stays as it is.
The old database is kept next to the restored one.

The backup does not contain the calls that were made after it. So that no call is granted twice, each active subscription is charged as many calls as
its plan's rate allows in that time, up to its monthly quota; calls that servers had leased count as used. If the current database can be read, keys that
were revoked since the backup are still revoked, accounts still suspended or deleted, and operators still dismissed. All sessions end, and links in
e-mails stop working.
`;

export function addBackupCommands(program: Command, context: CommandContext): void {
  program
    .command("backup")
    .description("Back up the embedded database into one file. The server may keep running.")
    .argument("<file>", "the file to write, which must not exist yet; or a directory, for a file named after the time")
    .addOption(jsonOption())
    .addHelpText("after", BACKUP_NOTES + examples("quintet backup /backup/quintet.db", "quintet backup /backup"))
    .action(async (target: string, options: JsonOption) => {
      const { path, bytes, madeAtMs, accounts, keys } = await context.backUp(target);
      context.out(
        options.json
          ? json({ path, bytes, made_at: new Date(madeAtMs).toISOString(), accounts, keys })
          : `Wrote ${path}: ${counted(bytes, "byte")}, ${counted(accounts, "account")}, ${counted(keys, "key")}, as of ${second(madeAtMs)} UTC. It was checked and is intact.\n`,
      );
    });
  program
    .command("restore")
    .description("Replace the embedded database with a backup, and keep the old database. No server may be running.")
    .argument("<file>", "the backup")
    .option(
      "--since <when>",
      "when the backup was made, if another program made it: 2026-11-21T03:00Z, or 90m for 90 minutes ago",
      (text) => parsePastTime(text, context.clock.nowMs()),
    )
    .addOption(jsonOption())
    .addHelpText("after", RESTORE_NOTES + examples("quintet restore /backup/quintet.db"))
    .action(async (from: string, { since, json: asJson }: { since?: number } & JsonOption) => {
      const restored = await restore(context, from, since);
      context.out(asJson ? json(document(restored)) : text(from, restored));
    });
}

interface Restored {
  readonly madeAtMs: number;
  readonly month: string;
  readonly raised: QuotaRaised;
  readonly refusals: Restoring["keptRefusals"];
  /** How many accounts were deleted after the backup, and so were deleted again. */
  readonly deleted: number;
  readonly replaced: Replaced;
}

async function restore(context: CommandContext, from: string, sinceMs: number | undefined): Promise<Restored> {
  const nowMs = context.clock.nowMs();
  const { month } = dayAt(nowMs);
  let done: Omit<Restored, "replaced"> | undefined;
  const replaced = await context.restore(from, async (store: CommandStore, { madeAtMs: recordedMs, keptRefusals: refusals }) => {
    const madeAtMs = backupTimeOf(from, recordedMs, sinceMs, nowMs);
    const details = { from, made_at: new Date(madeAtMs).toISOString() };
    await store.note({ action: "database.restore", accountId: null, details });
    const deleted = await deleteAgain(store, refusals?.deletedIds ?? []);
    const raise = { id: context.randomness.uuid(), month, seconds: secondsLost(madeAtMs, nowMs), percent: 0 };
    done = { madeAtMs, month, refusals, deleted, raised: await raiseQuotas(store, raise) };
  });
  return { ...(done as Omit<Restored, "replaced">), replaced };
}

async function deleteAgain(store: CommandStore, ids: readonly string[]): Promise<number> {
  let deleted = 0;
  for (const id of ids) {
    if ((await store.findAccount(id)) !== undefined) {
      await store.deleteAccount(id);
      deleted += 1;
    }
  }
  return deleted;
}

// Uses the earlier time, so that too much may be charged, but never too little.
function backupTimeOf(from: string, recordedMs: number | undefined, sinceMs: number | undefined, nowMs: number): number {
  const madeAtMs = Math.min(recordedMs ?? Number.POSITIVE_INFINITY, sinceMs ?? Number.POSITIVE_INFINITY);
  if (madeAtMs === Number.POSITIVE_INFINITY) {
    throw new CommandRefused(
      "usage",
      `${from} does not contain the time of the backup, because another program made it. Add --since with the time.`,
    );
  }
  if (madeAtMs > nowMs) {
    throw new CommandRefused(
      "store",
      `${from} gives its time as ${second(madeAtMs)} UTC, which is in the future. Set this machine's clock.`,
    );
  }
  return madeAtMs;
}

function document({ madeAtMs, month, raised, refusals, deleted, replaced: { path, kept } }: Restored): object {
  return {
    path,
    made_at: new Date(madeAtMs).toISOString(),
    month,
    subscriptions: raised.subscriptions,
    calls: raised.calls,
    kept_revoked_keys: refusals?.keys ?? null,
    kept_suspended_accounts: refusals?.accounts ?? null,
    kept_deleted_accounts: refusals === undefined ? null : deleted,
    kept_dismissed_operators: refusals?.operators ?? null,
    kept_database: kept ?? null,
  };
}

function text(from: string, { madeAtMs, month, raised, refusals, deleted, replaced: { path, kept } }: Restored): string {
  const lines = [
    `${path} is restored from ${from}, as of ${second(madeAtMs)} UTC.`,
    kept === undefined ? "There was no database before." : `The previous database is kept as ${kept}.`,
    `${grouped(raised.calls)} calls for ${month} now count as used, across ${counted(raised.subscriptions, "active subscription")}: as many as could have been made since then.`,
    refusals === undefined
      ? "Keys that were revoked, accounts that were suspended or deleted and operators that were dismissed since then have access again: the previous database could not be read. Check them yourself."
      : `Still in effect from after the backup: ${grouped(refusals.keys)} keys revoked, ${grouped(refusals.accounts)} accounts suspended, ${grouped(deleted)} accounts deleted, and ${grouped(refusals.operators)} operators dismissed.`,
    "All sessions have ended, and links in e-mails no longer work. Any other change since then is lost. Start the server now.",
  ];
  return lines.map((line) => `${line}\n`).join("");
}
