// File systems for one test, mounted only for one process and its children, and gone when they end. Permissions would not be enough,
// because tests may run as root.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { type Ended, START, type Variables } from "../fixtures/program.ts";
import { ROOT } from "../fixtures/root.ts";
import type { Found } from "../fixtures/servers/server-process.ts";

const UNSHARE = "unshare";

/** `unshare`, if this process may mount. */
export const mountTool: Found = findUnshare();

function findUnshare(): Found {
  try {
    execFileSync(UNSHARE, ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], { stdio: "ignore" });
    return { path: UNSHARE };
  } catch {
    return { missing: "No file system can be mounted: that takes Linux, root, and util-linux's unshare." };
  }
}

/**
 * Mounts 3 MiB at an existing directory, and runs a shell script in it. The script gets the paths of Node as `$NODE`, of the
 * program as `$QUINTET`, and of the project as `$PROJECT`.
 */
export async function runOnSmallDisk(directory: string, script: string, variables: Variables = {}): Promise<Ended> {
  const mount = 'mount -t tmpfs -o size=3m,mode=700 tmpfs "$0" && cd "$0" && ';
  const child = spawn(UNSHARE, ["--mount", "sh", "-c", mount + script, directory], {
    env: { PATH: process.env.PATH, NODE: process.execPath, QUINTET: START, PROJECT: ROOT, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed.out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    printed.err += text;
  });
  const [code, signal] = await once(child, "close");
  return { code: code ?? signal, ...printed };
}
