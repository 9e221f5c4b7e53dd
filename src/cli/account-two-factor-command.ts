// `quintet account two-factor`: whether signing in to an account requires a code, and how an owner who has lost the app and the recovery
// codes gets back in.
import type { Command } from "commander";
import { CommandRefused } from "./command-refused.ts";
import type { CommandContext } from "./context.ts";
import { examples, type JsonOption, jsonOption } from "./help.ts";
import { requireAccount } from "./lookup.ts";
import { json, minute } from "./output.ts";

const NOTES = `
Owners turn two-factor sign-in on and off themselves, in the portal. Use --off only for an owner who has lost the authenticator app and all
recovery codes, and only once you are sure who is asking: from then on, the password alone is enough.
`;

export function addTwoFactorCommand(account: Command, context: CommandContext): void {
  account
    .command("two-factor")
    .description("Say whether signing in to an account requires a code as well as the password, or turn that off.")
    .argument("<account>", "its e-mail address, name or id")
    .option("--off", "turn it off, and end the owner's sessions")
    .addOption(jsonOption())
    .addHelpText("after", NOTES + examples("quintet account two-factor acme", "quintet account two-factor acme --off"))
    .action(async (named: string, { off = false, json: asJson }: { off?: boolean } & JsonOption) => {
      const { name, before } = await context.withStore(async (store) => {
        const found = await requireAccount(store, named);
        const before = await store.findTwoFactor(found.id);
        if (off && !(await store.removeTwoFactor(found.id))) {
          throw new CommandRefused("conflict", `Two-factor sign-in is off for the account ${found.name}.`);
        }
        return { name: found.name, before };
      });
      const onSinceMs = off ? undefined : before?.onSinceMs;
      if (asJson) {
        const left = onSinceMs === undefined ? null : (before?.recoveryCodesLeft ?? null);
        const onSince = onSinceMs === undefined ? null : new Date(onSinceMs).toISOString();
        context.out(json({ account: name, two_factor_since: onSince, recovery_codes_left: left }));
      } else if (off) {
        context.out(`The owner of ${name} signs in with the password alone from now on. Their sessions have ended.\n`);
      } else if (onSinceMs === undefined) {
        context.out(`The owner of ${name} signs in with the password alone.\n`);
      } else {
        context.out(
          `The owner of ${name} has signed in with a code since ${minute(onSinceMs)} UTC, and has ${before?.recoveryCodesLeft} recovery codes left.\n`,
        );
      }
    });
}
