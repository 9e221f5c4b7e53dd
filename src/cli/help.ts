// What the help and the options of all commands have in common.
import { Option } from "commander";

/** The option that `--json` sets. */
export interface JsonOption {
  readonly json?: true;
}

/** The `--json` option. */
export const jsonOption = (): Option => new Option("--json", "print one JSON document, for programs");

/** The option that `--init` sets. */
export interface InitOption {
  readonly init?: boolean;
}

/** The `--init` option. */
export const initOption = (): Option =>
  new Option("--init", "make a new, empty database even where the data directory is not there, or holds other files");

/** Examples, for the end of a command's help. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}\n`).join("")}`;
}
