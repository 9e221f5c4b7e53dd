// `quintet key`: the API keys. A key itself is printed once, when it is created, and is stored nowhere.
import { type Command, Option } from "commander";
import { createKey, keyState, rotateKey } from "../account/keys.ts";
import type { ServiceName } from "../catalogue/service-names.ts";
import type { Key } from "../store/records.ts";
import type { AdminStore } from "../store/store.ts";
import { parseDuration, parseServices, parseTime } from "./arguments.ts";
import type { CommandContext } from "./context.ts";
import { keyDocument } from "./documents.ts";
import { examples, type JsonOption, jsonOption } from "./help.ts";
import { addFindCommand } from "./key-find-command.ts";
import { addLimitCommand, type LimitOptions, limitOptions, limitsOf } from "./key-limit-command.ts";
import { readKeyUses } from "./key-uses.ts";
import { requireAccount, requireKey } from "./lookup.ts";
import { json } from "./output.ts";
import { keyExpiry, keyFacts, keyTable } from "./tables.ts";

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
