// Decides whether a new, empty database may be created in a data directory. None must be created if the directory is mistyped, or its disk
// is not mounted: the server would start, and refuse every customer's key.
import { existsSync, readdirSync, statSync } from "node:fs";
import { databaseFile } from "../store/sqlite/sqlite.ts";
import { CommandRefused } from "./command-refused.ts";

/** Which directory, and how it was chosen. */
export interface DataDirectory {
  readonly dataDir: string;
  /** Whether QUINTET_DATA_DIR names it. The default directory is created if it is missing. */
  readonly isNamed: boolean;
  /** Whether `--init` was given: a new database is wanted. */
  readonly init: boolean;
}

// What a new directory may contain: the sandbox's directory, what file systems create, hidden files, and a plan file.
const HARMLESS_NAME = /^(sandbox|lost\+found|\..*|.*\.json)$/;

/** Whether to create a database in the directory. Throws a CommandRefused if it has none and should not get one. */
export function shouldCreateDatabase({ dataDir, isNamed, init }: DataDirectory): boolean {
  if (existsSync(databaseFile(dataDir))) {
    return false;
  }
  const stats = statSync(dataDir, { throwIfNoEntry: false });
  // If the path is a file, the store refuses it and says why.
  if (init || (stats !== undefined && !stats.isDirectory())) {
    return true;
  }
  if (stats === undefined) {
    if (isNamed) {
      throw new CommandRefused(
        "store",
        `There is no directory ${dataDir}, which QUINTET_DATA_DIR names. Correct the path; for a new server, create the directory, or add --init.`,
      );
    }
    return true;
  }
  const [found] = readdirSync(dataDir).filter((name) => !HARMLESS_NAME.test(name));
  if (found !== undefined) {
    throw new CommandRefused(
      "store",
      `The data directory ${dataDir} has no quintet.db, and is not empty: it contains ${found}. Check QUINTET_DATA_DIR; \`quintet restore\` puts a backup ` +
        "there, and --init creates a new, empty database.",
    );
  }
  return true;
}
