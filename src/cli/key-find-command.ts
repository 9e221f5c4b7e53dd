// `quintet key find`: finds the owner of a key that somebody sent, pasted or leaked.
import type { Command } from "commander";
import { type FoundKey, keysWithEnding, keysWithSecret } from "../account/key-search.ts";
import { KEY_PREFIXES, KEY_REST, parseKey } from "../guard/keys/key.ts";
import { parseLastFour } from "./arguments.ts";
import { CommandRefused } from "./command-refused.ts";
import type { CommandContext, CommandStore } from "./context.ts";
import { accountDocument, keyDocument } from "./documents.ts";
import { examples, type JsonOption, jsonOption } from "./help.ts";
import { json, table } from "./output.ts";
import { accountState, keyFacts, keyRow } from "./tables.ts";

const FOUND_MAX = 100;

const NOTES = `
The key is read from standard input, which keeps it out of the shell's history: type or paste it when asked, or pipe it in. It is looked up by
its SHA-256, and is not printed.
`;

export function addFindCommand(key: Command, context: CommandContext): void {
  key
    .command("find")
    .description("Find a key's owner, from the key, which the command asks for, or from its last four characters.")
    .option("--last-four <characters>", "the last four characters, as lists and logs show them", parseLastFour)
    .addOption(jsonOption())
    .addHelpText(
      "after",
      NOTES + examples("quintet key find", "quintet key find < leaked.txt", "quintet key find --last-four wxyz"),
    )
    .action(async ({ lastFour, json: asJson }: { lastFour?: string } & JsonOption) => {
      const secret = lastFour === undefined ? requireKeyText(await context.readSecret("API key (it is not shown): ")) : undefined;
      const found = await context.withStore((store) =>
        secret === undefined ? byLastFour(store, lastFour ?? "") : bySecret(store, secret),
      );
      const nowMs = context.clock.nowMs();
      if (asJson) {
        const keys = found.map((each) => ({
          ...keyDocument(each.key, nowMs, each.lastUsedAtMs ?? null),
          account: accountDocument(each.account),
        }));
        context.out(json({ keys }));
      } else {
        context.out(found.length === 1 ? found.map((each) => foundFacts(each, nowMs)).join("") : foundTable(found, nowMs));
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
      ? "No key was given. Type it when asked, pipe it in, or give its last four characters with --last-four."
      : `This is not an API key, or it is mistyped: a key is ${live} or ${sandbox} and ${KEY_REST}, the last 6 of them a checksum.`,
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

const foundFacts = ({ key, account, lastUsedAtMs }: FoundKey, nowMs: number): string =>
  keyFacts(
    key,
    `${account.name} (${accountState(account)}${account.email === null ? "" : `, ${account.email}`})`,
    nowMs,
    lastUsedAtMs,
  );

function foundTable(found: readonly FoundKey[], nowMs: number): string {
  const headings = ["account", "name", "state", "key", "services", "created", "expires", "last used", "id"].map((heading) => ({
    heading,
  }));
  return table(
    headings,
    found.map(({ key, account, lastUsedAtMs }) => [account.name, ...keyRow(key, nowMs, lastUsedAtMs)]),
  );
}
