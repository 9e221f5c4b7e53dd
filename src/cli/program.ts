// The tree of commands, its error messages and its exit codes.
import { Command, CommanderError } from "commander";
import { PlanFileError } from "../catalogue/plans.ts";
import { ConfigError } from "../config/environment.ts";
import { Failure } from "../problem/failure.ts";
import { version } from "../runtime/version.ts";
import { StoreConflict, StoreRefused, StoreUnavailable } from "../store/store-errors.ts";
import { addAccountCommands } from "./account-commands.ts";
import { addAuditCommand } from "./audit-command.ts";
import { addBackupCommands } from "./backup-commands.ts";
import { addBillingCommands } from "./billing-commands.ts";
import { CommandRefused } from "./command-refused.ts";
import type { CommandContext } from "./context.ts";
import { EXIT_CODES, type ExitCode, type ExitName } from "./exit-codes.ts";
import { examples, type InitOption, initOption, type JsonOption, jsonOption } from "./help.ts";
import { addKeyCommands } from "./key-commands.ts";
import { json } from "./output.ts";
import { addPlanCommands } from "./plan-commands.ts";
import { addQuotaCommands } from "./quota-commands.ts";
import { addSubscriptionCommands } from "./subscription-commands.ts";
import { addUsageCommand } from "./usage-command.ts";

// Requests for help: `help key create`, `key help create` and `key create --help` are the same.
const HELP_WORDS = ["help", "--help", "-h"];

/** Where words stop naming commands. */
interface UnknownCommand {
  /** The last command that exists. */
  readonly parent: Command;
  /** The words that lead to it, and the one that names no command below it. */
  readonly words: readonly string[];
}

/**
 * The arguments as Commander takes them. Its own `help` knows only top-level commands. If help is requested for a command that does not
 * exist, Commander would show the help of the command above it, as if that had been asked for. What is returned then is the same line
 * without the request, which Commander refuses; that help follows the refusal.
 */
function argumentsWithHelp(program: Command, args: readonly string[]): readonly string[] {
  const [first, ...rest] = args;
  const asked = first === "help" ? [...rest, "--help"] : args;
  const unknown = asked.some((word) => HELP_WORDS.includes(word)) ? unknownCommand(program, asked) : undefined;
  if (unknown === undefined) {
    return asked;
  }
  unknown.parent.showHelpAfterError(true);
  return unknown.words;
}

function unknownCommand(parent: Command, [word, ...rest]: readonly string[]): UnknownCommand | undefined {
  if (word === undefined || word.startsWith("-") || parent.commands.length === 0) {
    return undefined;
  }
  if (word === "help") {
    return unknownCommand(parent, rest);
  }
  const child = parent.commands.find((command) => command.name() === word);
  if (child === undefined) {
    return { parent, words: [word] };
  }
  const below = unknownCommand(child, rest);
  return below === undefined ? undefined : { parent: below.parent, words: [word, ...below.words] };
}

const HELP_WIDTH = 110;

/** `quintet` with the administrative commands. Commands added with `program.command(…)` inherit its settings. */
export function createProgram(context: CommandContext): Command {
  const program = new Command("quintet")
    .description("Data services behind one gateway.")
    .version(version, "--version", "print the version of Quintet")
    .exitOverride()
    .configureOutput({
      writeOut: context.out,
      writeErr: context.err,
      outputError: (text, write) => write(`quintet: ${usageMessage(text)}`),
      // Prints the same help on every terminal.
      getOutHelpWidth: () => HELP_WIDTH,
      getErrHelpWidth: () => HELP_WIDTH,
    })
    .showHelpAfterError("(add --help for usage)")
    .addHelpText(
      "after",
      "\nThe commands that manage accounts use the PostgreSQL database at QUINTET_DATABASE_URL or, if that is not set,\n" +
        "the data directory QUINTET_DATA_DIR (./data by default). In a data directory, they announce changes to the running\n" +
        "server through its control.sock; a server that they cannot reach notices changes within 250 ms.\n",
    );
  addAccountCommands(program, context);
  addKeyCommands(program, context);
  addSubscriptionCommands(program, context);
  addUsageCommand(program, context);
  addQuotaCommands(program, context);
  addPlanCommands(program, context);
  addBillingCommands(program, context);
  addAuditCommand(program, context);
  addBackupCommands(program, context);
  addMigrateCommand(program, context);
  return program;
}

/** Runs one command line, given without the program's name, and returns the exit code. Rejects only if the program has a defect. */
export async function runProgram(program: Command, context: CommandContext, args: readonly string[]): Promise<ExitCode> {
  const wantsJson = args.includes("--json");
  const asked = argumentsWithHelp(program, args);
  if (wantsJson) {
    writeErrorsAsJson(program);
  }
  let running: Command | undefined;
  program.hook("preAction", (_, action) => {
    running = action;
  });
  try {
    await program.parseAsync(asked, { from: "user" });
    return EXIT_CODES.done.code;
  } catch (error) {
    if (error instanceof CommanderError) {
      return EXIT_CODES[error.exitCode === 0 ? "done" : "usage"].code;
    }
    const exit = exitOf(error);
    if (exit !== undefined && error instanceof Error) {
      const message = sentence(error, running);
      context.err(wantsJson ? errorDocument(message) : `quintet: ${message}\n`);
      return EXIT_CODES[exit].code;
    }
    throw error;
  }
}

// Commander's message, with the argument or option named as it is typed.
const usageMessage = (text: string): string =>
  text
    .replace(/^error: /, "")
    .replace(/^command-argument value '(.*)' is invalid for argument '([^']+)'\./s, '$2 must not be "$1".')
    .replace(/^option '(?:-\w, )?(--[\w-]+)[^']*' argument '(.*)' is invalid\./s, '$1 must not be "$2".');

const errorDocument = (message: string): string => json({ error: { message } });

function writeErrorsAsJson(command: Command): void {
  command
    .showHelpAfterError(false)
    .configureOutput({ outputError: (text, write) => write(errorDocument(usageMessage(text).trim())) });
  for (const child of command.commands) {
    writeErrorsAsJson(child);
  }
}

const EXITS = [
  [Failure, "usage"],
  [StoreConflict, "conflict"],
  [StoreRefused, "store"],
  [StoreUnavailable, "store"],
  [PlanFileError, "settings"],
  [ConfigError, "settings"],
] as const satisfies readonly (readonly [unknown, ExitName])[];

// Undefined if the program has a defect.
function exitOf(error: unknown): ExitName | undefined {
  return error instanceof CommandRefused ? error.exit : EXITS.find(([kind]) => error instanceof kind)?.[1];
}

function sentence(error: Error, command: Command | undefined): string {
  if (error instanceof Failure) {
    const { message, violations = [] } = error.problem;
    return violations.length === 0
      ? message
      : violations.map(({ field, description }) => `${asTyped(field, command)} ${description}`).join("; ");
  }
  // Unlike a caller, an operator may see the cause.
  return error instanceof StoreUnavailable && error.cause instanceof Error
    ? `${error.message} (${error.cause.message})`
    : error.message;
}

// The name under which a field was typed: `expires_at` as `--expires`, and `allowed_origins` as `--allowed-origins`.
function asTyped(field: string, command: Command | undefined): string {
  const option = command?.options.find((each) => {
    const name = each.name().replaceAll("-", "_");
    return field === name || field.startsWith(`${name}_`);
  });
  const argument = command?.registeredArguments.find((each) => each.name() === field);
  return option?.long ?? (argument === undefined ? field : `<${argument.name()}>`);
}

// `quintet migrate`: brings the database to the schema of this version.
function addMigrateCommand(program: Command, context: CommandContext): void {
  program
    .command("migrate")
    .description("Bring the database up to date with this version. Run it before the servers of a new version are started.")
    .addOption(initOption())
    .addOption(jsonOption())
    .addHelpText("after", examples("quintet migrate", "QUINTET_DATABASE_URL=postgres://quintet@db.example/quintet quintet migrate"))
    .action(async ({ init = false, ...options }: InitOption & JsonOption) => {
      const applied = await context.migrate(init);
      if (options.json) {
        context.out(json({ applied }));
      } else {
        context.out(applied.length === 0 ? "The database is up to date.\n" : applied.map((name) => `Applied ${name}.\n`).join(""));
      }
    });
}
