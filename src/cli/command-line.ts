// The whole command line: the administrative commands, the commands that serve, and the reference.
import { CommandContext } from "./context.ts";
import { addDoctorCommand } from "./doctor-command.ts";
import type { ExitCode } from "./exit-codes.ts";
import { createProgram, runProgram } from "./program.ts";
import { addReferenceCommands } from "./reference-commands.ts";
import { addSandboxCommand } from "./sandbox-command.ts";
import { addServeCommand } from "./serve-command.ts";
import type { ServerEdge } from "./server-edge.ts";

/** Runs one command line, given without the program's name, and returns the exit code. */
export function runCommandLine(edge: ServerEdge, args: readonly string[]): Promise<ExitCode> {
  const context = new CommandContext(edge);
  const program = createProgram(context);
  addServeCommand(program, edge);
  addSandboxCommand(program, edge);
  addDoctorCommand(program, edge);
  addReferenceCommands(program, edge);
  return runProgram(program, context, args);
}
