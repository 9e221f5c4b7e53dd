// The table of exit codes, made from those of the command line.
import { EXIT_CODES } from "../../src/cli/exit-codes.ts";
import { table } from "./markdown.ts";

export const exitCodesTable = (): string =>
  table(
    ["exit code", "when"],
    Object.values(EXIT_CODES).map(({ code, when }) => [String(code), when]),
  );
