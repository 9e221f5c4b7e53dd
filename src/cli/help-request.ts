// Requests for help: `help key create`, `key help create` and `key create --help` are the same.
import type { Command } from "commander";

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
export function argumentsWithHelp(program: Command, args: readonly string[]): readonly string[] {
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
