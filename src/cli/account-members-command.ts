// `quintet account members`: lists the people who may use an account, or removes one of them.
import type { Command } from "commander";
import type { CommandContext } from "./context.ts";
import { memberDocument } from "./documents.ts";
import { examples, type JsonOption, jsonOption } from "./help.ts";
import { requireAccount } from "./lookup.ts";
import { json } from "./output.ts";
import { memberTable } from "./tables.ts";

const NOTES = `
The owners of an account invite and remove its members in the portal. Use --remove only if no owner can do it.
`;

export function addMembersCommand(account: Command, context: CommandContext): void {
  account
    .command("members")
    .description("List the people who may use an account, each with a role, or remove one.")
    .argument("<account>", "its e-mail address, name or id")
    .option("--remove <member>", "remove this member: the e-mail address, name or ID of their own account")
    .addOption(jsonOption())
    .addHelpText("after", NOTES + examples("quintet account members acme", "quintet account members acme --remove ada@example.com"))
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
