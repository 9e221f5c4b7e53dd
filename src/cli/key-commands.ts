// `quintet key`: the API keys. A key itself is printed once, when it is created, and is stored nowhere.
import { type Command, Option } from "commander";
import { type FoundKey, keysWithEnding, keysWithSecret } from "../account/key-search.ts";
import { createKey, keyState, rotateKey, updateKey } from "../account/keys.ts";
import type { ServiceName } from "../catalogue/service-names.ts";
import { KEY_PREFIXES, KEY_REST, parseKey } from "../guard/keys/key.ts";
import type { AllowedCallers, Key, KeyLimits } from "../store/records.ts";
import type { AdminStore } from "../store/store.ts";
import { parseDuration, parseEntries, parseLastFour, parseLimit, parseServices, parseTime } from "./arguments.ts";
import { CommandRefused } from "./command-refused.ts";
import type { CommandContext, CommandStore } from "./context.ts";
import { accountDocument, keyDocument } from "./documents.ts";
import { examples, type JsonOption, jsonOption } from "./help.ts";
import { readKeyUses } from "./key-uses.ts";
import { requireAccount, requireKey } from "./lookup.ts";
import { json, table } from "./output.ts";
import { accountState, KEY_HEADINGS, type KeyUse, keyExpiry, keyFacts, keyLimits, keyRow, keyTable } from "./tables.ts";

/** The options of a key's limits. */
interface LimitOptions {
  readonly allowedAddresses?: readonly string[];
  readonly allowedOrigins?: readonly string[];
  /** 0 for none. */
  readonly callsPerMonth?: number;
  /** 0 for none. */
  readonly requestsPerSecond?: number;
}

/** The options as changes to a key. */
const limitsOf = ({ callsPerMonth, requestsPerSecond, ...allowed }: LimitOptions): Partial<AllowedCallers & KeyLimits> => ({
  ...allowed,
  ...(callsPerMonth !== undefined && { callsPerMonth: callsPerMonth === 0 ? null : callsPerMonth }),
  ...(requestsPerSecond !== undefined && { requestsPerSecond: requestsPerSecond === 0 ? null : requestsPerSecond }),
});

/** The options, for a command that sets limits. `defaultText` says what applies if the option is left out. */
const limitOptions = (defaultText: string): readonly Option[] => [
  new Option(
    "--allowed-addresses <list>",
    `the addresses and networks that calls may come from, separated by commas, or all; ${defaultText}`,
  ).argParser(parseEntries),
  new Option(
    "--allowed-origins <list>",
    `the origins of the pages that may call, separated by commas, or all; ${defaultText}`,
  ).argParser(parseEntries),
  new Option(
    "--calls-per-month <n>",
    `the most calls per month that the key itself allows, or none; ${defaultText === "all by default" ? "none by default" : defaultText}`,
  ).argParser(parseLimit),
  new Option(
    "--requests-per-second <n>",
    `the most requests per second that the key itself allows, or none; ${defaultText === "all by default" ? "none by default" : defaultText}`,
  ).argParser(parseLimit),
];

function addLimitCommand(key: Command, context: CommandContext): void {
  const command = key
    .command("limit")
    .description("Limit where a key's calls may come from, and how many it may make. Applies from the next call.")
    .argument("<key>", "its id");
  for (const option of limitOptions("unchanged by default")) {
    command.addOption(option);
  }
  command
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examples(
        "quintet key limit 2f0c8a52-7a1e-4f0e-9a53-0c1f6f7b9d11 --allowed-addresses 203.0.113.7,2001:db8::/32",
        "quintet key limit 2f0c8a52-7a1e-4f0e-9a53-0c1f6f7b9d11 --allowed-origins https://app.example.com --calls-per-month 10000",
      ),
    )
    .action(async (id: string, { json: asJson, ...limits }: LimitOptions & JsonOption) => {
      if (Object.keys(limits).length === 0) {
        throw new CommandRefused("usage", "Say what to limit, such as --allowed-addresses 203.0.113.7.");
      }
      const changed = await context.withStore(async (store) =>
        updateKey({ store }, (await requireKey(store, id)).id, limitsOf(limits)),
      );
      const list = keyLimits(changed)
        .map(([what, value]) => `\n${what}: ${value}`)
        .join("");
      context.out(
        asJson
          ? json(keyDocument(changed, context.clock.nowMs()))
          : list === ""
            ? `Key ${changed.name} has no limits of its own.\n`
            : `Key ${changed.name} is limited from the next call on.${list}\n`,
      );
    });
}

// `quintet key find`: finds the owner of a key that somebody sent, pasted or leaked.
const FOUND_MAX = 100;

const NOTES = `
The key is read from standard input, which keeps it out of the shell's history: type or paste it when prompted, or pipe it in. It is looked up by
its SHA-256, and is not printed.
`;

function addFindCommand(key: Command, context: CommandContext): void {
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

const DAY_MS = 86_400_000;

export function addKeyCommands(program: Command, context: CommandContext): void {
  const key = program.command("key").description("Create, list, show, find, limit, rotate, disable, enable and revoke API keys.");
  addCreate(key, context);
  addList(key, context);
  addShow(key, context);
  addFindCommand(key, context);
  addLimitCommand(key, context);
  addRotate(key, context);
  addChange(key, context, {
    verb: "disable",
    description: "Refuse a key's calls until it is enabled again.",
    change: (store, id) => store.updateKey(id, { disabled: true }),
    effect: "is disabled: its calls are refused until it is enabled",
  });
  addChange(key, context, {
    verb: "enable",
    description: "Accept a disabled key's calls again.",
    change: (store, id) => store.updateKey(id, { disabled: false }),
    effect: "is enabled: its calls are accepted",
  });
  addChange(key, context, {
    verb: "revoke",
    description: "Refuse a key's calls permanently, from the next one on.",
    change: (store, id) => store.revokeKey(id),
    effect: "is revoked: its calls are refused permanently",
  });
}

interface CreateOptions extends LimitOptions {
  readonly name: string;
  readonly expires?: number;
  readonly services?: readonly ServiceName[];
  readonly notes?: string;
}

function addCreate(key: Command, context: CommandContext): void {
  const command = key
    .command("create")
    .description("Create a key and print it. It is never shown again.")
    .argument("<account>", "the account's name or id")
    .option("--name <name>", "the key's name", "default")
    .option(
      "--expires <when>",
      "when it expires: how long from now (30d, 12h) or when (2027-01-31, at midnight UTC); never by default",
      (text) => parseTime(text, context.clock.nowMs()),
    )
    .option("--services <names>", "the services it may call, separated by commas; all by default", parseServices)
    .option("--notes <text>", "notes about it, for people to read");
  for (const option of limitOptions("all by default")) {
    command.addOption(option);
  }
  command
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examples("quintet key create acme", "quintet key create acme --name ci --expires 30d --services radio,farkle"),
    )
    .action(async (idOrName: string, { json: asJson, name, expires, services, notes, ...limits }: CreateOptions & JsonOption) => {
      const { clock, randomness } = context;
      const { account, created } = await context.withStore(async (store) => {
        const account = await requireAccount(store, idOrName);
        const input = {
          accountId: account.id,
          name,
          services: services ?? null,
          expiresAtMs: expires ?? null,
          notes,
          ...limitsOf(limits),
        };
        return { account, created: await createKey({ store, clock, randomness, keyPrefix: context.keyPrefix() }, input) };
      });
      if (asJson) {
        context.out(json({ ...keyDocument(created.key, clock.nowMs()), secret: created.secret }));
      } else {
        context.out(
          `Key ${created.key.name} of ${account.name} was created with the ID ${created.key.id}.\n${secretNotice(created.secret)}`,
        );
      }
    });
}

function addList(key: Command, context: CommandContext): void {
  key
    .command("list")
    .description("List an account's keys, including revoked ones.")
    .argument("<account>", "the account's name or id")
    .addOption(jsonOption())
    .addHelpText("after", examples("quintet key list acme"))
    .action(async (idOrName: string, options: JsonOption) => {
      const nowMs = context.clock.nowMs();
      const { account, keys, useOf } = await context.withStore(async (store) => {
        const account = await requireAccount(store, idOrName);
        const keys = await store.listKeys(account.id);
        return { account, keys, useOf: await readKeyUses(store, keys, nowMs) };
      });
      if (options.json) {
        context.out(json({ keys: keys.map((each) => keyDocument(each, nowMs, useOf(each))) }));
      } else {
        const none = `${account.name} has no keys; \`quintet key create ${account.name}\` creates one.\n`;
        context.out(keys.length === 0 ? none : keyTable(keys, nowMs, useOf));
      }
    });
}

function addShow(key: Command, context: CommandContext): void {
  key
    .command("show")
    .description("Show what is known about a key. The key itself is not stored.")
    .argument("<key>", "its id")
    .addOption(jsonOption())
    .addHelpText("after", examples("quintet key show 2f0c8a52-7a1e-4f0e-9a53-0c1f6f7b9d11"))
    .action(async (id: string, options: JsonOption) => {
      const nowMs = context.clock.nowMs();
      const { key, account, use } = await context.withStore(async (store) => {
        const key = await requireKey(store, id);
        const useOf = await readKeyUses(store, [key], nowMs);
        return { key, account: await requireAccount(store, key.accountId), use: useOf(key) };
      });
      context.out(options.json ? json(keyDocument(key, nowMs, use)) : keyFacts(key, account.name, nowMs, use));
    });
}

function addRotate(key: Command, context: CommandContext): void {
  key
    .command("rotate")
    .description("Replace a key with a new one, and let the old one work a while longer.")
    .argument("<key>", "the old key's id")
    .addOption(
      new Option("--grace <duration>", "how long the old one still works, from 0m to 7d")
        .argParser(parseDuration)
        .default(DAY_MS, "24h"),
    )
    .addOption(jsonOption())
    .addHelpText("after", examples("quintet key rotate 2f0c8a52-7a1e-4f0e-9a53-0c1f6f7b9d11 --grace 1h"))
    .action(async (id: string, options: { grace: number } & JsonOption) => {
      const { clock, randomness } = context;
      const { old, next, secret } = await context.withStore(async (store) =>
        rotateKey({ store, clock, randomness, keyPrefix: context.keyPrefix() }, await requireKey(store, id), options.grace),
      );
      const nowMs = clock.nowMs();
      if (options.json) {
        context.out(json({ old: keyDocument(old, nowMs), next: { ...keyDocument(next, nowMs), secret } }));
      } else {
        const until = keyState(old, nowMs) === "expired" ? "no longer works" : `works until ${keyExpiry(old)} UTC`;
        context.out(
          `Key ${next.name} was replaced; the new key's ID is ${next.id}. The old one ${until}.\n${secretNotice(secret)}`,
        );
      }
    });
}

interface Change {
  readonly verb: string;
  readonly description: string;
  readonly change: (store: AdminStore, id: string) => Promise<Key>;
  readonly effect: string;
}

function addChange(key: Command, context: CommandContext, { verb, description, change, effect }: Change): void {
  key
    .command(verb)
    .description(description)
    .argument("<key>", "its id")
    .addOption(jsonOption())
    .addHelpText("after", examples(`quintet key ${verb} 2f0c8a52-7a1e-4f0e-9a53-0c1f6f7b9d11`))
    .action(async (id: string, options: JsonOption) => {
      const changed = await context.withStore(async (store) => change(store, (await requireKey(store, id)).id));
      context.out(options.json ? json(keyDocument(changed, context.clock.nowMs())) : `Key ${changed.name} ${effect}.\n`);
    });
}

const secretNotice = (secret: string): string => `\n  ${secret}\n\nCopy it now: it is not stored, and is not shown again.\n`;
