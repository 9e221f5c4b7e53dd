// Keeps the sandbox's accounts out of every other server, because everybody knows their password and one of them is an operator: a sandbox
// has its own data directory, which no other server uses.
import { existsSync } from "node:fs";
import type { Config } from "../server-config.ts";
import { databaseFile } from "../store/sqlite/sqlite.ts";
import { CommandRefused } from "./command-refused.ts";
import { isSandboxDirectory, markSandboxDirectory } from "./demo-key.ts";

const PASSWORD_IS_KNOWN = "Everybody knows the password of the sandbox's accounts";

type Data = Pick<Config, "dataDir" | "database">;

/** Claims a new data directory, or one that already belongs to a sandbox. Throws a CommandRefused if it contains a server's data. */
export function takeSandboxDirectory({ dataDir, database }: Data): void {
  if (database !== undefined) {
    throw new CommandRefused(
      "settings",
      `${PASSWORD_IS_KNOWN}, so a sandbox keeps them in its own directory and does not use a PostgreSQL database. Start it without QUINTET_DATABASE_URL.`,
    );
  }
  if (existsSync(databaseFile(dataDir)) && !isSandboxDirectory(dataDir)) {
    throw new CommandRefused(
      "settings",
      `The data directory ${dataDir} belongs to a server. ${PASSWORD_IS_KNOWN}, so a sandbox does not create them there. Set QUINTET_DATA_DIR to another directory, or leave it out.`,
    );
  }
  try {
    markSandboxDirectory(dataDir);
  } catch (error) {
    throw new CommandRefused(
      "store",
      `The data directory ${dataDir} cannot be used: ${(error as Error).message}. Set QUINTET_DATA_DIR.`,
    );
  }
}

/** Throws a CommandRefused if the data directory belongs to a sandbox. */
export function refuseSandboxDirectory({ dataDir, database }: Data): void {
  if (database === undefined && isSandboxDirectory(dataDir)) {
    throw new CommandRefused(
      "settings",
      `The data directory ${dataDir} belongs to a sandbox. ${PASSWORD_IS_KNOWN}, so no other server uses them. Set QUINTET_DATA_DIR to another directory.`,
    );
  }
}
