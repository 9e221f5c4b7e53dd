// `quintet account delete`: deletes a customer's account.
import type { Command } from "commander";
import { CommandRefused } from "./command-refused.ts";
import type { CommandContext } from "./context.ts";
import { examples, type JsonOption, jsonOption } from "./help.ts";
import { requireAccount } from "./lookup.ts";
import { json } from "./output.ts";

const NOTES = `
This removes the owner's sign-in and sessions, the keys, the usage, and every name and address, including those in the audit trail. What stays is
anonymous: the account's id, its cancelled subscriptions, and how many calls each month had. Earlier backups still contain everything.
`;

export function addAccountDeleteCommand(account: Command, context: CommandContext): void {
  account
    .command("delete")
    .description("Delete an account permanently: its keys are refused from now on, and its owner's data is removed.")
    .argument("<account>", "its name or ID")
    .option("--yes", "delete it; without this option nothing changes")
    .addOption(jsonOption())
    .addHelpText("after", NOTES + examples("quintet account delete acme --yes"))
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
