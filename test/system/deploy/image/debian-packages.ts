// Debian's packages, as files: downloaded by apt-get into a folder that git ignores.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../../fixtures/root.ts";
import type { Found } from "../../../fixtures/servers/server-process.ts";

const RELEASES = "/etc/os-release";

/** The folder with these packages of a Debian release, such as `bookworm`; what is not there yet is downloaded. */
export function debianPackages(release: string, names: readonly string[]): Found {
  if (!existsSync(RELEASES) || !readFileSync(RELEASES, "utf8").includes(`VERSION_CODENAME=${release}\n`)) {
    return { missing: `the packages of Debian ${release} can only be downloaded on Debian ${release}` };
  }
  const path = join(ROOT, "build/debian", release);
  mkdirSync(path, { recursive: true });
  const there = readdirSync(path);
  const wanted = names.filter((name) => !there.some((file) => file.startsWith(`${name}_`)));
  if (wanted.length === 0) {
    return { path };
  }
  const aptGet = (...args: readonly string[]) => spawnSync("apt-get", args, { cwd: path, encoding: "utf8" });
  let { status, stderr } = aptGet("download", ...wanted);
  if (status !== 0 && aptGet("update").status === 0) {
    // The package lists were missing or out of date.
    ({ status, stderr } = aptGet("download", ...wanted));
  }
  return status === 0 ? { path } : { missing: `apt-get cannot download ${wanted.join(" ")}: ${stderr}` };
}
