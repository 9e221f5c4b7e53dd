// Keeps the sandbox's accounts out of every other server, because everybody knows their password and one of them is an operator's: a sandbox has
// a data directory of its own, and no server serves from a sandbox's.
import { existsSync } from "node:fs";
import type { Config } from "../server-config.ts";
import { databaseFile } from "../store/sqlite/sqlite.ts";
import { CommandRefused } from "./command-refused.ts";
import { isSandboxDirectory, markSandboxDirectory } from "./demo-key.ts";

const WHY = "Everybody knows the password of the sandbox's accounts";

type Data = Pick<Config, "dataDir" | "database">;

/** Takes a new data directory, or one that is a sandbox's already, for a sandbox. Throws a CommandRefused where the data are a server's. */
export function takeSandboxDirectory({ dataDir, database }: Data): void {
  if (database !== undefined) {
    throw new CommandRefused(
      `${WHY}, so it keeps them in a directory of its own and takes no PostgreSQL database. Start it without QUINTET_DATABASE_URL.`,
    );
  }
  if (existsSync(databaseFile(dataDir)) && !isSandboxDirectory(dataDir)) {
    throw new CommandRefused(
      `The data directory ${dataDir} is a server's. ${WHY}, so it does not make them there. Set QUINTET_DATA_DIR to another directory, or leave it out.`,
    );
  }
  try {
    markSandboxDirectory(dataDir);
  } catch (error) {
    throw new CommandRefused(`The data directory ${dataDir} cannot be used: ${(error as Error).message}. Set QUINTET_DATA_DIR.`);
  }
}

/** Throws a CommandRefused where a server was to serve from a sandbox's data directory. */
export function refuseSandboxDirectory({ dataDir, database }: Data): void {
  if (database === undefined && isSandboxDirectory(dataDir)) {
    throw new CommandRefused(
      `The data directory ${dataDir} is a sandbox's. ${WHY}, so no other server serves them. Set QUINTET_DATA_DIR to another directory.`,
    );
  }
}
