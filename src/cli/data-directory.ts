// Whether a new, empty database may be made in a data directory. One that was mistyped, or whose disk is not mounted, must not become one: the
// server would start, and refuse every customer's key.
import { existsSync, readdirSync, statSync } from "node:fs";
import { databaseFile } from "../store/sqlite/sqlite.ts";
import { CommandRefused } from "./command-refused.ts";

/** Which directory, and how it came to be named. */
export interface DataDirectory {
  readonly dataDir: string;
  /** Whether QUINTET_DATA_DIR names it. The default directory is made where it is not there. */
  readonly isNamed: boolean;
  /** Whether `--init` was given: a new database is wanted. */
  readonly init: boolean;
}

// What a new directory may hold: the sandbox's own, what file systems make, hidden files, and a plan file.
const HARMLESS = /^(sandbox|lost\+found|\..*|.*\.json)$/;

/** Whether the directory has no database yet, and gets one. Throws a CommandRefused where it has none and should not get one. */
export function becomesNew({ dataDir, isNamed, init }: DataDirectory): boolean {
  if (existsSync(databaseFile(dataDir))) {
    return false;
  }
  const stats = statSync(dataDir, { throwIfNoEntry: false });
  // The store refuses a file in place of the directory, and says why.
  if (init || (stats !== undefined && !stats.isDirectory())) {
    return true;
  }
  if (stats === undefined) {
    if (isNamed) {
      throw new CommandRefused(
        `There is no directory ${dataDir}, which QUINTET_DATA_DIR names. Correct the path; for a new server make the directory, or add --init.`,
      );
    }
    return true;
  }
  const [found] = readdirSync(dataDir).filter((name) => !HARMLESS.test(name));
  if (found !== undefined) {
    throw new CommandRefused(
      `The data directory ${dataDir} has no quintet.db, and is not empty: it holds ${found}. Check QUINTET_DATA_DIR; \`quintet restore\` puts a backup ` +
        "there, and --init makes a new, empty database.",
    );
  }
  return true;
}
