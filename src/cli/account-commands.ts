// `quintet account`: creates, lists and changes the accounts of customers.
import type { Command } from "commander";
import { createAccount } from "../account/accounts.ts";
import { generateOwnerPassword } from "../account/owner-password.ts";
import type { Account } from "../store/records.ts";
import { CommandRefused } from "./command-refused.ts";
import type { CommandContext } from "./context.ts";
import { accountDocument, keyDocument, memberDocument, subscriptionDocument } from "./documents.ts";
import { examples, type JsonOption, jsonOption } from "./help.ts";
import { readKeyUses } from "./key-uses.ts";
import { type LongList, longJson } from "./long-lists.ts";
import { requireAccount } from "./lookup.ts";
import { facts, json, minute } from "./output.ts";
import { accountState, accountsTable, keyTable, memberTable, subscriptionTable } from "./tables.ts";

// `quintet account two-factor`: shows whether signing in to an account requires a code, and turns that off for an owner who has lost the
// app and the recovery codes.

const TWO_FACTOR_NOTES = `
Owners turn two-factor authentication on and off themselves, in the portal. Use --off only for an owner who has lost the authenticator app and all
recovery codes, and only once you are sure who is asking: from then on, the password alone is enough. It removes their passkeys too.
`;

function addTwoFactorCommand(account: Command, context: CommandContext): void {
  account
    .command("two-factor")
    .description("Show whether signing in to an account requires a code as well as the password, or turn that off.")
    .argument("<account>", "its e-mail address, name or id")
    .option("--off", "turn it off, remove all passkeys, and end the owner's sessions")
    .addOption(jsonOption())
    .addHelpText("after", TWO_FACTOR_NOTES + examples("quintet account two-factor acme", "quintet account two-factor acme --off"))
    .action(async (named: string, { off = false, json: asJson }: { off?: boolean } & JsonOption) => {
      const { name, before, passkeys } = await context.withStore(async (store) => {
        const found = await requireAccount(store, named);
        const before = await store.findTwoFactor(found.id);
        if (off && !(await store.removeTwoFactor(found.id))) {
          throw new CommandRefused("conflict", `The account ${found.name} has neither two-factor authentication nor passkeys.`);
        }
        return { name: found.name, before, passkeys: (await store.passkeysOf(found.id)).length };
      });
      const onSinceMs = off ? undefined : before?.onSinceMs;
      if (asJson) {
        const left = onSinceMs === undefined ? null : (before?.recoveryCodesLeft ?? null);
        const onSince = onSinceMs === undefined ? null : new Date(onSinceMs).toISOString();
        context.out(json({ account: name, two_factor_since: onSince, recovery_codes_left: left, passkeys }));
      } else if (off) {
        context.out(
          `The owner of ${name} signs in with the password alone from now on. Their passkeys are removed, and their sessions have ended.\n`,
        );
      } else if (onSinceMs === undefined) {
        context.out(`The owner of ${name} signs in with the password alone.${alsoWith(passkeys)}\n`);
      } else {
        context.out(
          `The owner of ${name} has signed in with a code since ${minute(onSinceMs)} UTC, and has ${before?.recoveryCodesLeft} recovery codes left.${alsoWith(passkeys)}\n`,
        );
      }
    });
}

const alsoWith = (passkeys: number): string =>
  passkeys === 0 ? "" : ` They can also sign in with ${passkeys === 1 ? "a passkey" : `${passkeys} passkeys`}.`;

// `quintet account members`: lists the people who may use an account, or removes one of them.

const MEMBER_NOTES = `
The owners of an account invite and remove its members in the portal. Use --remove only if no owner can do it.
`;

function addMembersCommand(account: Command, context: CommandContext): void {
  account
    .command("members")
    .description("List the people who may use an account, each with a role, or remove one.")
    .argument("<account>", "its e-mail address, name or id")
    .option("--remove <member>", "remove this member: the e-mail address, name or ID of their own account")
    .addOption(jsonOption())
    .addHelpText(
      "after",
      MEMBER_NOTES + examples("quintet account members acme", "quintet account members acme --remove ada@example.com"),
    )
    .action(async (named: string, { remove, json: asJson }: { remove?: string } & JsonOption) => {
      const { name, members } = await context.withStore(async (store) => {
        const found = await requireAccount(store, named);
        if (remove !== undefined) {
          const member = await requireAccount(store, remove);
          await store.removeMember(found.id, member.id);
        }
        return { name: found.name, members: await store.listMembers(found.id) };
      });
      if (asJson) {
        context.out(json({ account: name, members: members.map(memberDocument) }));
      } else {
        context.out(members.length === 0 ? `Nobody can sign in to the account ${name}.\n` : memberTable(members));
      }
    });
}

// `quintet account delete`: deletes a customer's account.
const DELETE_NOTES = `
This removes the owner's sign-in and sessions, the keys, the usage, and every name and address, including those in the audit trail. What stays is
anonymous: the account's id, its cancelled subscriptions, and how many calls each month had. Earlier backups still contain everything.
`;

function addAccountDeleteCommand(account: Command, context: CommandContext): void {
  account
    .command("delete")
    .description("Delete an account permanently: its keys are refused from now on, and its owner's data is removed.")
    .argument("<account>", "its name or ID")
    .option("--yes", "delete it; without this option nothing changes")
    .addOption(jsonOption())
    .addHelpText("after", DELETE_NOTES + examples("quintet account delete acme --yes"))
    .action(async (idOrName: string, options: { yes?: boolean } & JsonOption) => {
      const { id, name } = await context.withStore(async (store) => {
        const found = await requireAccount(store, idOrName);
        if (options.yes !== true) {
          const keys = (await store.listKeys(found.id)).length;
          const subscriptions = (await store.listCurrentSubscriptions(found.id)).length;
          throw new CommandRefused(
            "usage",
            `This permanently deletes ${found.name}, with ${keys} keys and ${subscriptions} active subscriptions. Add --yes to do it.`,
          );
        }
        await store.deleteAccount(found.id);
        return found;
      });
      context.out(
        options.json
          ? json({ id, deleted: true })
          : `Account ${name} is deleted: its keys are refused from now on, and its names, addresses and usage are removed.\n` +
              `What is left is anonymous and has the ID ${id}.\n`,
      );
    });
}

export function addAccountCommands(program: Command, context: CommandContext): void {
  const account = program
    .command("account")
    .description("Create, list, suspend and delete accounts, set passwords, appoint operators.");
  addCreate(account, context);
  addList(account, context);
  addShow(account, context);
  addSuspend(account, context, true);
  addSuspend(account, context, false);
  addPassword(account, context);
  addOperator(account, context);
  addTwoFactorCommand(account, context);
  addMembersCommand(account, context);
  addAccountDeleteCommand(account, context);
}

function addCreate(account: Command, context: CommandContext): void {
  account
    .command("create")
    .description("Create an account.")
    .argument("<name>", "its name: lower-case letters, digits, dots, dashes, underscores")
    .option("--email <address>", "the owner's e-mail address")
    .addOption(jsonOption())
    .addHelpText("after", examples("quintet account create acme --email ops@acme.example"))
    .action(async (name: string, options: { email?: string } & JsonOption) => {
      const created = await context.withStore((store) =>
        createAccount({ store, randomness: context.randomness }, { name, email: options.email ?? null }),
      );
      const next = `Next: \`quintet subscription create ${name} SERVICE\` and \`quintet key create ${name}\`.\n`;
      context.out(
        options.json ? json(accountDocument(created)) : `Account ${name} was created with the ID ${created.id}.\n${next}`,
      );
    });
}

// How many accounts are in memory at a time.
const PAGE_SIZE = 1000;

function accountsJson(): LongList<Account> {
  const list = longJson("accounts");
  return { ...list, page: (accounts) => list.page(accounts.map(accountDocument)) };
}

function addList(account: Command, context: CommandContext): void {
  account
    .command("list")
    .description("List all accounts.")
    .addOption(jsonOption())
    .addHelpText("after", examples("quintet account list", "quintet account list --json"))
    .action((options: JsonOption) =>
      context.withStore(async (store) => {
        let accounts = await store.accountsAfter("", PAGE_SIZE);
        if (accounts.length === 0 && !options.json) {
          context.out("There are no accounts; `quintet account create NAME` creates one.\n");
          return;
        }
        const list = options.json ? accountsJson() : accountsTable();
        while (accounts.length > 0) {
          context.out(list.page(accounts));
          const last = accounts.at(-1)?.name ?? "";
          accounts = accounts.length < PAGE_SIZE ? [] : await store.accountsAfter(last, PAGE_SIZE);
        }
        context.out(list.end());
      }),
    );
}

function addShow(account: Command, context: CommandContext): void {
  account
    .command("show")
    .description("Show an account, its subscriptions and its keys.")
    .argument("<account>", "its name or ID")
    .addOption(jsonOption())
    .addHelpText("after", examples("quintet account show acme"))
    .action(async (idOrName: string, options: JsonOption) => {
      const nowMs = context.clock.nowMs();
      const { found, subscriptions, keys, useOf } = await context.withStore(async (store) => {
        const found = await requireAccount(store, idOrName);
        const subscriptions = await store.listSubscriptions(found.id);
        const keys = await store.listKeys(found.id);
        return { found, subscriptions, keys, useOf: await readKeyUses(store, keys, nowMs) };
      });
      if (options.json) {
        const documents = {
          subscriptions: subscriptions.map(subscriptionDocument),
          keys: keys.map((key) => keyDocument(key, nowMs, useOf(key))),
        };
        context.out(json({ ...accountDocument(found), ...documents }));
        return;
      }
      const current = subscriptions.filter(({ state }) => state !== "cancelled");
      const rows = current.map((subscription) => ({ account: found, subscription }));
      context.out(accountFacts(found));
      context.out(rows.length === 0 ? "\nNo subscriptions.\n" : `\n${subscriptionTable(rows, nowMs)}`);
      context.out(keys.length === 0 ? "\nNo keys.\n" : `\n${keyTable(keys, nowMs, useOf)}`);
    });
}

function accountFacts(account: Account): string {
  return facts([
    ["Account", account.name],
    ["Id", account.id],
    ["Email", account.email ?? "-"],
    ["State", accountState(account)],
    ["Created", `${minute(account.createdAtMs)} UTC`],
  ]);
}

function addSuspend(account: Command, context: CommandContext, suspended: boolean): void {
  const [verb, effect] = suspended
    ? ["suspend", "suspended: its calls are refused from now on"]
    : ["resume", "active: its calls are accepted again"];
  account
    .command(verb)
    .description(suspended ? "Refuse an account's calls, from the next one on." : "Accept a suspended account's calls again.")
    .argument("<account>", "its name or ID")
    .addOption(jsonOption())
    .addHelpText("after", examples(`quintet account ${verb} acme`))
    .action(async (idOrName: string, options: JsonOption) => {
      const changed = await context.withStore(async (store) => {
        const { id } = await requireAccount(store, idOrName);
        return store.setSuspended(id, suspended);
      });
      context.out(options.json ? json(accountDocument(changed)) : `Account ${changed.name} is ${effect}.\n`);
    });
}

const PASSWORD_NOTES = `
Customers who sign up choose a password themselves. This is for accounts that you created, and for owners who have forgotten theirs. It does not
turn two-factor authentication off: \`quintet account two-factor\` does.
`;

function addPassword(account: Command, context: CommandContext): void {
  account
    .command("password")
    .description("Generate a new password for an account's owner, print it once, and end their sessions.")
    .argument("<account>", "its name or ID; it must have an e-mail address")
    .addOption(jsonOption())
    .addHelpText("after", PASSWORD_NOTES + examples("quintet account password acme"))
    .action(async (idOrName: string, options: JsonOption) => {
      const { name, email, password } = await context.withStore(async (store) => {
        const found = await requireAccount(store, idOrName);
        return { name: found.name, ...(await generateOwnerPassword({ store, randomness: context.randomness }, found)) };
      });
      context.out(
        options.json
          ? json({ account: name, email, password })
          : `The owner of ${name} signs in as ${email} with the password ${password}\nThe password is shown only now. Their sessions have ended, and links that were mailed to them no longer work.\n`,
      );
    });
}

const OPERATOR_NOTES = `
Operators sign in to the portal like customers, and can then see all accounts, plans that are pending activation, the server's state and the
audit trail. Only this command appoints operators. A new operator has to sign in again.
`;

function addOperator(account: Command, context: CommandContext): void {
  account
    .command("operator")
    .description("Make an account's owner an operator, who may manage all accounts in the portal, from the next request on.")
    .argument("<account>", "its e-mail address, name or id")
    .option("--off", "make them an ordinary customer again")
    .addOption(jsonOption())
    .addHelpText(
      "after",
      OPERATOR_NOTES + examples("quintet account operator ada@example.com", "quintet account operator ada@example.com --off"),
    )
    .action(async (named: string, { off = false, json: asJson }: { off?: boolean } & JsonOption) => {
      const changed = await context.withStore(async (store) => {
        const { id, name, email } = await requireAccount(store, named);
        if (email === null && !off) {
          throw new CommandRefused("conflict", `The account ${name} has no e-mail address to sign in with.`);
        }
        return store.setOperator(id, !off);
      });
      const sentence = `The owner of ${changed.name} is ${off ? "no longer" : "now"} an operator.\n`;
      context.out(asJson ? json(accountDocument(changed)) : sentence);
    });
}
