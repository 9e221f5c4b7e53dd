// What every command's help and options have in common.
import { Option } from "commander";

/** What `--json` sets. */
export interface JsonOption {
  readonly json?: true;
}

/** The `--json` option. */
export const jsonOption = (): Option => new Option("--json", "print one JSON document, for programs");

/** Examples, for the end of a command's help. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}\n`).join("")}`;
}
