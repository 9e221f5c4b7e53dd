// The last release, as the package that its users have installed: built from its tag, with its own dependencies, and kept in build/. Until
// there is a tag, the oldest commit that may share a database with this version takes its place: the last one that changed a migration, or
// the protocol by which servers tell each other of changes. So whoever changes neither is held to what a release has to keep.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../fixtures/root.ts";
import type { Found } from "../../fixtures/servers/server-process.ts";

const MIGRATIONS = "src/store/migrations";
const PROTOCOL = ["-GPROTOCOL = [0-9]", "--", "src/store/repositories/change-log.ts"];

/** All of them usually take 40 seconds, half of it to install. */
const COMMAND_MS_MAX = 600_000;

/** What git prints; undefined if that is nothing, or an error. */
export function git(...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync("git", args, { cwd: ROOT, encoding: "utf8" });
  return status === 0 && stdout.trim() !== "" ? stdout.trim() : undefined;
}

/** The tag of the last release before this commit; undefined if there is none. */
export const lastTag = git("describe", "--tags", "--abbrev=0", "--match=v[0-9]*", "HEAD^");

/** The commit that it is built from, if this checkout has it. */
export const lastRelease: Found = findCommit();

function findCommit(): Found {
  if (git("rev-parse", "--is-shallow-repository") !== "false") {
    return { missing: "the checkout has no history, so the last release cannot be built" };
  }
  if (git("status", "--porcelain", "--", MIGRATIONS) !== undefined) {
    return { missing: `${MIGRATIONS} has changes that are not committed: until then there is no earlier version of this schema` };
  }
  const path = lastTag ?? git("log", "-1", "--format=%H", "--diff-filter=DMR", "--", MIGRATIONS);
  const protocol = git("log", "-1", "--format=%H", ...PROTOCOL);
  if (path === undefined || protocol === undefined) {
    return { missing: "git knows no commit that the last release could be built from" };
  }
  const isNewer = lastTag === undefined && git("rev-list", "-1", protocol, `^${path}`) !== undefined;
  return { path: git("rev-parse", `${isNewer ? protocol : path}^{commit}`) ?? path };
}

/** The first file of its package, which is built first if necessary. Throws with what a command printed. */
export function lastReleaseEntry(): string {
  if ("missing" in lastRelease) {
    throw new Error(lastRelease.missing);
  }
  const commit = lastRelease.path;
  const folder = join(ROOT, "build/last-release", commit);
  if (!existsSync(folder)) {
    mkdirSync(join(ROOT, "build/last-release"), { recursive: true });
    // Another process may be building it too, so it appears as a whole.
    const sources = mkdtempSync(`${folder}-`);
    const run = (file: string, ...args: readonly string[]): void => {
      execFileSync(file, args, { cwd: sources, stdio: ["ignore", "ignore", "pipe"], timeout: COMMAND_MS_MAX });
    };
    run("sh", "-c", `git -C "$1" archive "$2" | tar --extract`, "archive", ROOT, commit);
    run("npm", "ci");
    run("npm", "run", "build:package");
    try {
      renameSync(join(sources, "build/package"), folder);
    } catch (error) {
      if (!existsSync(folder)) {
        throw error;
      }
    }
    rmSync(sources, { recursive: true });
  }
  return join(folder, "dist/start.js");
}
