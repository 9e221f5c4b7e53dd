// What the help and the options of all commands have in common.
import { Option } from "commander";

export interface JsonOption {
  readonly json?: true;
}

export const jsonOption = (): Option => new Option("--json", "print one JSON document, for programs");

export interface InitOption {
  readonly init?: boolean;
}

export const initOption = (): Option =>
  new Option("--init", "create a new, empty database even if the data directory is missing, or contains other files");

/** Examples, for the end of a command's help. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}\n`).join("")}`;
}
