// `quintet backup` and `quintet restore`: the embedded database as one file.
import type { Command } from "commander";
import { type QuotaRaised, raiseQuotas } from "../account/quota-raise.ts";
import { dayAt } from "../guard/quota/month.ts";
import type { Replaced, Restoring } from "../store/sqlite/restore.ts";
import { parsePastMoment } from "./arguments.ts";
import { CommandRefused } from "./command-refused.ts";
import type { CommandContext, CommandStore } from "./context.ts";
import { examples, type JsonOption, jsonOption } from "./help.ts";
import { grouped, json, second } from "./output.ts";

const BACKUP_NOTES = `
The server may run meanwhile, and waits for nothing. The backup is of one moment: whatever was answered before the command began is in it. It
is checked, written beside its name first, and readable by its owner alone: it holds the hashes of keys and passwords. For PostgreSQL
use pg_dump.
`;

const RESTORE_NOTES = `
Stop the server first; the command refuses while one runs. All is prepared in a copy, so that the database stays as it is if anything fails;
it is kept beside the restored one.

The backup does not know the calls that were made since. So that none is had twice, each active subscription is charged with what its plan's
rate allows in that time, and with its whole month where that is less; calls that servers had leased count as used. Keys that were revoked,
accounts that were suspended or deleted and operators that were dismissed since then stay so, where the present database can be read. All sessions
end, and links in mails.
`;

/** Adds the commands. */
export function addBackupCommands(program: Command, context: CommandContext): void {
  program
    .command("backup")
    .description("Back the embedded database up into one file, while the server runs.")
    .argument("<file>", "the file to make, which must not be there yet; or a directory, for a file named by the time")
    .addOption(jsonOption())
    .addHelpText("after", BACKUP_NOTES + examples("quintet backup /backup/quintet.db", "quintet backup /backup"))
    .action(async (target: string, options: JsonOption) => {
      const { path, bytes, madeAtMs, accounts, keys } = await context.backUp(target);
      context.out(
        options.json
          ? json({ path, bytes, made_at: new Date(madeAtMs).toISOString(), accounts, keys })
          : `Wrote ${path}: ${grouped(bytes)} bytes, ${grouped(accounts)} accounts, ${grouped(keys)} keys, as of ${second(madeAtMs)} UTC. It was read through and is whole.\n`,
      );
    });
  program
    .command("restore")
    .description("Put a backup in place of the embedded database, and keep that one. No server may run.")
    .argument("<file>", "the backup")
    .option("--since <when>", "when the backup was made, if another program made it: 2026-11-21T03:00Z, or 90m ago", (text) =>
      parsePastMoment(text, context.clock.nowMs()),
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
  /** How many accounts were deleted since, and were deleted again. */
  readonly deleted: number;
  readonly replaced: Replaced;
}

async function restore(context: CommandContext, from: string, sinceMs: number | undefined): Promise<Restored> {
  // A faulty plan file is said before anything is done.
  const plans = context.plans();
  const nowMs = context.clock.nowMs();
  const { month, monthStartMs } = dayAt(nowMs);
  let done: Omit<Restored, "replaced"> | undefined;
  const replaced = await context.restore(from, async (store: CommandStore, { madeAtMs: noted, keptRefusals: refusals }) => {
    const madeAtMs = momentOf(from, noted, sinceMs, nowMs);
    const details = { from, made_at: new Date(madeAtMs).toISOString() };
    await store.note({ action: "database.restore", accountId: null, subject: null, details });
    const deleted = await deleteAgain(store, refusals?.deletedIds ?? []);
    const seconds = (nowMs - Math.max(madeAtMs, monthStartMs)) / 1000;
    done = { madeAtMs, month, refusals, deleted, raised: await raiseQuotas({ store, plans }, month, { by: "seconds", seconds }) };
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

// The earlier one: more is charged then, and never too little.
function momentOf(from: string, noted: number | undefined, sinceMs: number | undefined, nowMs: number): number {
  const madeAtMs = Math.min(noted ?? Number.POSITIVE_INFINITY, sinceMs ?? Number.POSITIVE_INFINITY);
  if (madeAtMs === Number.POSITIVE_INFINITY) {
    throw new CommandRefused(`${from} does not say when it was made, because another program made it. Add --since with the time.`);
  }
  if (madeAtMs > nowMs) {
    throw new CommandRefused(
      `${from} says that it was made at ${second(madeAtMs)} UTC, which is in the future. Set this machine's clock.`,
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
    without_plan: raised.withoutPlan,
    kept_revoked_keys: refusals?.keys ?? null,
    kept_suspended_accounts: refusals?.accounts ?? null,
    kept_deleted_accounts: refusals === undefined ? null : deleted,
    kept_dismissed_operators: refusals?.operators ?? null,
    kept_database: kept ?? null,
  };
}

function text(from: string, { madeAtMs, month, raised, refusals, deleted, replaced: { path, kept } }: Restored): string {
  const lines = [
    `${path} is now what ${from} was, as of ${second(madeAtMs)} UTC.`,
    kept === undefined ? "There was no database before it." : `The database before it is kept as ${kept}.`,
    `${grouped(raised.calls)} calls of ${month} now count as used, of ${grouped(raised.subscriptions)} active subscriptions: as many as they can have made since.`,
    refusals === undefined
      ? "Keys that were revoked, accounts that were suspended or deleted and operators that were dismissed since then are let in again: the database before it could not be read. Look after them."
      : `${grouped(refusals.keys)} keys that were revoked, ${grouped(refusals.accounts)} accounts that were suspended, ${grouped(deleted)} that were deleted and ${grouped(refusals.operators)} operators that were dismissed since then stay so.`,
    "All sessions have ended, and links in mails work no more. What else was changed since then is lost. Start the server now.",
  ];
  return lines.map((line) => `${line}\n`).join("");
}
