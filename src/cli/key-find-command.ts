// `quintet key find`: finds the owner of a key that somebody sent, pasted or leaked.
import type { Command } from "commander";
import { type FoundKey, keysWithEnding, keysWithSecret } from "../account/key-search.ts";
import { KEY_PREFIXES, KEY_REST, parseKey } from "../guard/keys/key.ts";
import type { Key } from "../store/records.ts";
import { parseLastFour } from "./arguments.ts";
import { CommandRefused } from "./command-refused.ts";
import type { CommandContext, CommandStore } from "./context.ts";
import { accountDocument, keyDocument } from "./documents.ts";
import { examples, type JsonOption, jsonOption } from "./help.ts";
import { readKeyUses } from "./key-uses.ts";
import { json, table } from "./output.ts";
import { accountState, KEY_HEADINGS, type KeyUse, keyFacts, keyRow } from "./tables.ts";

const FOUND_MAX = 100;

const NOTES = `
The key is read from standard input, which keeps it out of the shell's history: type or paste it when prompted, or pipe it in. It is looked up by
its SHA-256, and is not printed.
`;

export function addFindCommand(key: Command, context: CommandContext): void {
  key
    .command("find")
    .description("Find a key's owner by its last four characters, or by the whole key, which the command prompts for.")
    .option("--last-four <characters>", "the last four characters, as lists and logs show them", parseLastFour)
    .addOption(jsonOption())
    .addHelpText(
      "after",
      NOTES + examples("quintet key find", "quintet key find < leaked.txt", "quintet key find --last-four wxyz"),
    )
    .action(async ({ lastFour, json: asJson }: { lastFour?: string } & JsonOption) => {
      const secret = lastFour === undefined ? requireKeyText(await context.readSecret("API key (it is not shown): ")) : undefined;
      const nowMs = context.clock.nowMs();
      const { found, useOf } = await context.withStore(async (store) => {
        const found = await (secret === undefined ? byLastFour(store, lastFour ?? "") : bySecret(store, secret));
        const keys = found.map(({ key }) => key);
        return { found, useOf: await readKeyUses(store, keys, nowMs) };
      });
      if (asJson) {
        const keys = found.map((each) => ({
          ...keyDocument(each.key, nowMs, useOf(each.key)),
          account: accountDocument(each.account),
        }));
        context.out(json({ keys }));
      } else {
        context.out(
          found.length === 1 ? found.map((each) => foundFacts(each, nowMs, useOf)).join("") : foundTable(found, nowMs, useOf),
        );
      }
    });
}

// The message repeats none of the input.
function requireKeyText(text: string): string {
  const parsed = parseKey(text.trim());
  if (parsed.kind === "ok") {
    return parsed.key;
  }
  const { live, sandbox } = KEY_PREFIXES;
  throw new CommandRefused(
    "usage",
    parsed.kind === "missing"
      ? "No key was given. Type it when prompted, pipe it in, or give its last four characters with --last-four."
      : `This is not an API key, or it is mistyped: a key is ${live} or ${sandbox} followed by ${KEY_REST}, the last 6 of which are a checksum.`,
  );
}

async function bySecret(store: CommandStore, secret: string): Promise<readonly FoundKey[]> {
  const found = await keysWithSecret(store, secret);
  if (found.length === 0) {
    throw new CommandRefused(
      "notFound",
      "Nobody has this key: it is well-formed, but was not created here, or it ended long ago and was deleted.",
    );
  }
  return found;
}

async function byLastFour(store: CommandStore, lastFour: string): Promise<readonly FoundKey[]> {
  const found = await keysWithEnding(store, lastFour, FOUND_MAX);
  if (found.length === 0) {
    throw new CommandRefused("notFound", `No key ends in ${lastFour}. Upper and lower case differ.`);
  }
  return found;
}

type UseOf = (key: Key) => KeyUse;

const foundFacts = ({ key, account }: FoundKey, nowMs: number, useOf: UseOf): string =>
  keyFacts(
    key,
    `${account.name} (${accountState(account)}${account.email === null ? "" : `, ${account.email}`})`,
    nowMs,
    useOf(key),
  );

function foundTable(found: readonly FoundKey[], nowMs: number, useOf: UseOf): string {
  return table(
    ["account", ...KEY_HEADINGS].map((heading) => ({ heading })),
    found.map(({ key, account }) => [account.name, ...keyRow(key, nowMs, useOf(key))]),
  );
}
