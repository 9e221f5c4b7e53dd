// A command line in a test's hands: each run is a new program on the same data directory, at a time that stands still, and everything
// that it prints is kept.
import { CommandContext } from "../../src/cli/context.ts";
import { createProgram, runProgram } from "../../src/cli/program.ts";
import { migrateStore } from "../../src/store/open.ts";
import { createCountingRandomness } from "../fixtures/counting-randomness.ts";
import { createManualClock, type ManualClock } from "../fixtures/manual-clock.ts";
import { temporaryDirectory } from "../fixtures/temporary-directory.ts";

/** What one run did. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A data directory of the test's own and the commands on it. */
export interface CommandLine {
  readonly dataDir: string;
  /** Stands at 2026-11-21 12:00 UTC. */
  readonly clock: ManualClock;
  /** Runs one line, split at blanks, without `quintet`, as the user alice. `input` is what is typed when a secret is asked for. */
  run(line: string, variables?: Readonly<Record<string, string>>, input?: string): Promise<Ran>;
}

/** A new command line. Ids are counted from 1, across its runs. */
export function createCommandLine(): CommandLine {
  const dataDir = temporaryDirectory();
  const clock = createManualClock({ nowMs: Date.UTC(2026, 10, 21, 12) });
  const randomness = createCountingRandomness();
  // What a server makes at its first start.
  let isMade = false;
  return {
    dataDir,
    clock,
    async run(line, variables = {}, input = "") {
      if (!isMade && !line.startsWith("migrate")) {
        isMade = true;
        await migrateStore({ dataDir, clock });
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

/** The id that is drawn as the nth. */
export const nthId = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

/** What a run that went well looks like. */
export const printed = (out: string): Ran => ({ code: 0, out, err: "" });

/** What a refused run looks like. */
export const refused = (message: string): Ran => ({ code: 1, out: "", err: `quintet: ${message}\n` });
