#!/usr/bin/env node
// The process's edge: arguments, environment, signals, exit code. Nothing else in the program touches them.
import { CommandContext } from "./cli/context.ts";
import { createProgram, runProgram } from "./cli/program.ts";
import { addReferenceCommands } from "./cli/reference-commands.ts";
import { addSandboxCommand } from "./cli/sandbox-command.ts";
import { addServeCommand } from "./cli/serve-command.ts";
import type { ServerEdge } from "./cli/server-edge.ts";
import { systemClock } from "./clock.ts";
import { systemRandomness } from "./randomness.ts";

const edge: ServerEdge = {
  variables: process.env,
  clock: systemClock,
  randomness: systemRandomness,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  untilStopped: () =>
    new Promise((resolve) => {
      const keptAlive = setInterval(() => {}, 2 ** 30);
      for (const signal of ["SIGTERM", "SIGINT"] as const) {
        // A second signal ends the process at once.
        process.once(signal, () => {
          clearInterval(keptAlive);
          resolve();
        });
      }
    }),
  onReload: (callback) => process.on("SIGHUP", callback),
};

const context = new CommandContext(edge);
const program = createProgram(context);
addServeCommand(program, edge);
addSandboxCommand(program, edge);
addReferenceCommands(program, edge);
process.exitCode = await runProgram(program, context, process.argv.slice(2));
