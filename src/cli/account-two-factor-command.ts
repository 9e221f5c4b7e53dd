// `quintet account two-factor`: shows whether signing in to an account requires a code, and turns that off for an owner who has lost the
// app and the recovery codes.
import type { Command } from "commander";
import { CommandRefused } from "./command-refused.ts";
import type { CommandContext } from "./context.ts";
import { examples, type JsonOption, jsonOption } from "./help.ts";
import { requireAccount } from "./lookup.ts";
import { json, minute } from "./output.ts";

const NOTES = `
Owners turn two-factor authentication on and off themselves, in the portal. Use --off only for an owner who has lost the authenticator app and all
recovery codes, and only once you are sure who is asking: from then on, the password alone is enough. It removes their passkeys too.
`;

export function addTwoFactorCommand(account: Command, context: CommandContext): void {
  account
    .command("two-factor")
    .description("Show whether signing in to an account requires a code as well as the password, or turn that off.")
    .argument("<account>", "its e-mail address, name or id")
    .option("--off", "turn it off, remove all passkeys, and end the owner's sessions")
    .addOption(jsonOption())
    .addHelpText("after", NOTES + examples("quintet account two-factor acme", "quintet account two-factor acme --off"))
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
