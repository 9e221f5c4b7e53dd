// `quintet completion`: prints a script with which a shell completes commands, options, services and plans. Each time the user presses
// Tab, the script runs the hidden `quintet complete`.
import completions from "@bomb.sh/tab/commander";
import { type Command, InvalidArgumentError } from "commander";
import { didYouMean } from "../runtime/nearest-name.ts";
import type { CommandContext } from "./context.ts";
import { examples } from "./help.ts";

const NAME = "completion";

/** Add it after all other commands, because it completes only those that exist when it is added. */
export function addCompletionCommand(program: Command, context: CommandContext): void {
  const known = completions(program, { completionCommandName: NAME });
  for (const { options } of known.commands.values()) {
    const plan = options.get("plan");
    if (plan !== undefined) {
      plan.handler = (complete) => {
        for (const name of new Set(context.plans().all.map((each) => each.name))) {
          complete(name, "");
        }
      };
    }
  }
  const command = program.commands.find((each) => each.name() === NAME);
  const shell = command?.registeredArguments[0];
  const shells = shell?.argChoices ?? [];
  shell?.argParser((text) => {
    if (!shells.includes(text)) {
      throw new InvalidArgumentError(`The shells are ${shells.join(", ")}${didYouMean(text, shells) || "."}`);
    }
    return text;
  });
  command
    ?.description("Print the script with which a shell completes commands, options, services and plans.")
    .addHelpText(
      "after",
      examples('eval "$(quintet completion bash)"', "quintet completion fish > ~/.config/fish/completions/quintet.fish"),
    );
}
