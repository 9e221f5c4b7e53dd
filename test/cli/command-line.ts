// The command line for tests: each run is a new program on the same data directory, the clock stands still, and everything
// that it prints is kept.
import { CommandContext } from "../../src/cli/context.ts";
import { EXIT_CODES, type ExitName } from "../../src/cli/exit-codes.ts";
import { createProgram, runProgram } from "../../src/cli/program.ts";
import { createCountingRandomness } from "../fixtures/counting-randomness.ts";
import { createManualClock, type ManualClock } from "../fixtures/manual-clock.ts";
import { putMigratedDatabase } from "../fixtures/migrated-data.ts";
import { temporaryDirectory } from "../fixtures/temporary-directory.ts";

/** The result of one run. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The test's own data directory, and commands on it. */
export interface CommandLine {
  readonly dataDir: string;
  /** Stands at 2026-11-21 12:00 UTC. */
  readonly clock: ManualClock;
  /** Runs a line without `quintet`, split at blanks, as the user alice. `input` is typed when a command asks for a secret. */
  run(line: string, variables?: Readonly<Record<string, string>>, input?: string): Promise<Ran>;
}

/** A new command line. Its ids count from 1 across all runs. `server`: the directory and the clock of a server that runs. */
export function createCommandLine(server?: Pick<CommandLine, "dataDir" | "clock">): CommandLine {
  const dataDir = server?.dataDir ?? temporaryDirectory();
  const clock = server?.clock ?? createManualClock({ nowMs: Date.UTC(2026, 10, 21, 12) });
  const randomness = createCountingRandomness();
  // The database, which a server creates at its first start.
  let isMade = server !== undefined;
  return {
    dataDir,
    clock,
    async run(line, variables = {}, input = "") {
      if (!isMade && !line.startsWith("migrate")) {
        isMade = true;
        await putMigratedDatabase(dataDir);
      }
      let out = "";
      let err = "";
      const context = new CommandContext({
        variables: { QUINTET_DATA_DIR: dataDir, ...variables },
        clock,
        randomness,
        operator: { user: "alice", host: "host-1" },
        readSecret: () => Promise.resolve(input),
        out: (text) => {
          out += text;
        },
        err: (text) => {
          err += text;
        },
      });
      const code = await runProgram(createProgram(context), context, line === "" ? [] : line.split(" "));
      return { code, out, err };
    },
  };
}

/** The nth generated id. */
export const nthId = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

/** The result of a run that succeeded. */
export const printed = (out: string): Ran => ({ code: 0, out, err: "" });

/** The result of a run that was refused. */
export const refused = (exit: ExitName, message: string): Ran => ({
  code: EXIT_CODES[exit].code,
  out: "",
  err: `quintet: ${message}\n`,
});
