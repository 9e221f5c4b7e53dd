// Commands that messages tell people to run: each exists, with its options.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { wholeProgram } from "../../scripts/docs/tables.ts";
import { ROOT } from "../fixtures/root.ts";

// `quintet …` between backticks, which are escaped where the text itself is between backticks.
const HINT = /(?<=\\?`)quintet ((?:[^`\\]|\\n)+)(?=\\?`)/g;

/** The parts of a hint that are not a command or an option. Words in capitals and placeholders stand for arguments. */
function unknown(command: Command, words: readonly string[]): readonly string[] {
  const [first = "", ...rest] = words;
  const below = command.commands.find((each) => each.name() === first);
  if (below !== undefined) {
    return unknown(below, rest);
  }
  // The name of a group, as comments mention it, and a command whose name is filled in.
  if (first === "" || first.startsWith("${")) {
    return [];
  }
  const options = words.filter((word) => word.startsWith("--") && !command.options.some(({ long }) => long === word));
  return command.commands.length > 0 ? [first] : options;
}

test("every command that a message names exists", () => {
  const program = wholeProgram();
  const hints = globSync("{src,portal}/**/*.{ts,tsx}", { cwd: ROOT })
    .flatMap((file) => Array.from(readFileSync(join(ROOT, file), "utf8").matchAll(HINT), ([, line = ""]) => ({ file, line })))
    .filter(({ line }) => /^[a-z]/.test(line));
  expect(hints.length).toBeGreaterThan(20);
  expect(
    hints.filter(({ line }) => unknown(program, line.split(/\s+/)).some((word) => word !== "--help" && word !== "COMMAND")),
  ).toEqual([]);
});
