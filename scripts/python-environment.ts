// Virtual environments of Python in build/tools, for programs that are written in Python.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

/**
 * Creates the environment for a requirements file, if it does not exist yet, and returns its folder of programs. Throws with pip's
 * output.
 */
export function pythonEnvironment(name: string, requirements: string): string {
  const hash = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 12);
  const folder = resolve("build/tools", `${name}-${hash}`);
  const programs = join(folder, "bin");
  // A folder without it is left from an interrupted installation.
  const mark = join(folder, "installed");
  if (!existsSync(mark)) {
    rmSync(folder, { recursive: true, force: true });
    execFileSync("python3", ["-m", "venv", folder]);
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile", "--requirement", requirements];
    execFileSync(join(programs, "python"), pip, { stdio: "inherit" });
    writeFileSync(mark, "");
  }
  return programs;
}
