// `quintet account delete`: removes a customer on request.
import type { Command } from "commander";
import { CommandRefused } from "./command-refused.ts";
import type { CommandContext } from "./context.ts";
import { examples, type JsonOption, jsonOption } from "./help.ts";
import { requireAccount } from "./lookup.ts";
import { json } from "./output.ts";

const NOTES = `
Removed are the owner's sign-in and sessions, the keys, the usage, and every name and address, also in the audit trail. What stays names
nobody: the account's id, its subscriptions as cancelled, and how many calls each month had. Backups made before still hold everything.
`;

/** Adds the command. */
export function addAccountDeleteCommand(account: Command, context: CommandContext): void {
  account
    .command("delete")
    .description("Delete an account for good: its keys are refused from now on, and what names its owner is removed.")
    .argument("<account>", "its name or id")
    .option("--yes", "delete it; without this nothing is changed")
    .addOption(jsonOption())
    .addHelpText("after", NOTES + examples("quintet account delete acme --yes"))
    .action(async (idOrName: string, options: { yes?: boolean } & JsonOption) => {
      const { id, name } = await context.withStore(async (store) => {
        const found = await requireAccount(store, idOrName);
        if (options.yes !== true) {
          const keys = (await store.listKeys(found.id)).length;
          const subscriptions = (await store.listSubscriptionsInForce(found.id)).length;
          throw new CommandRefused(
            `This deletes ${found.name} for good, with ${keys} keys and ${subscriptions} subscriptions in force. Add --yes to do it.`,
          );
        }
        await store.deleteAccount(found.id);
        return found;
      });
      context.out(
        options.json
          ? json({ id, deleted: true })
          : `Account ${name} is deleted: its keys are refused from now on, and its names, addresses and usage are removed.\n` +
              `What is left of it, without a name, has the id ${id}.\n`,
      );
    });
}
