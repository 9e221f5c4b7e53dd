// The table of commands, made from the command line itself.
import type { Argument, Command } from "commander";
import { addCompletionCommand } from "../../src/cli/completion-command.ts";
import { CommandContext } from "../../src/cli/context.ts";
import { addDoctorCommand } from "../../src/cli/doctor-command.ts";
import { createProgram } from "../../src/cli/program.ts";
import { addReferenceCommands } from "../../src/cli/reference-commands.ts";
import { addSandboxCommand } from "../../src/cli/sandbox-command.ts";
import { addServeCommand } from "../../src/cli/serve-command.ts";
import type { ServerEdge } from "../../src/cli/server-edge.ts";
import { addStatusCommand } from "../../src/cli/status-command.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { code, table } from "./markdown.ts";

/** The whole command line. None of its commands is run. */
export function wholeProgram(): Command {
  const edge: ServerEdge = {
    variables: {},
    cores: 1,
    clock: systemClock,
    randomness: systemRandomness,
    operator: { user: "", host: "" },
    readSecret: () => Promise.resolve(""),
    out: () => {},
    err: () => {},
    untilStopped: () => Promise.resolve(),
    onUncaught: () => {},
    onReload: () => {},
  };
  const context = new CommandContext(edge);
  const program = createProgram(context);
  addServeCommand(program, edge);
  addSandboxCommand(program, edge);
  addDoctorCommand(program, edge);
  addStatusCommand(program, edge);
  addReferenceCommands(program, edge);
  addCompletionCommand(program, context);
  return program;
}

const shown = (argument: Argument): string => (argument.required ? `<${argument.name()}>` : `[${argument.name()}]`);

function rowsOf(command: Command, path: readonly string[]): readonly (readonly string[])[] {
  if (command.commands.length > 0) {
    // Leaves out hidden commands and the one that prints the help.
    const shown = command.createHelp().visibleCommands(command);
    return shown.filter((child) => child.name() !== "help").flatMap((child) => rowsOf(child, [...path, child.name()]));
  }
  const usage = [...path, ...command.registeredArguments.map(shown)].join(" ");
  const options = command.options.filter(({ long }) => long !== "--json").map(({ flags }) => code(flags));
  return [[code(usage), command.description(), options.join(", ")]];
}

/** Every command with its options, except `--json` and `--help`. */
export function commandsTable(): string {
  return table(["command", "what it does", "options"], rowsOf(wholeProgram(), []));
}
