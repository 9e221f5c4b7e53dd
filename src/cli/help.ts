// What the help and the options of all commands have in common.
import { Option } from "commander";

/** The option that `--json` sets. */
export interface JsonOption {
  readonly json?: true;
}

/** The `--json` option. */
export const jsonOption = (): Option => new Option("--json", "print one JSON document, for programs");

/** Examples, for the end of a command's help. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}\n`).join("")}`;
}
