// Programs written in Go that test us from outside: installed by Go itself, at a pinned version, into a folder that git ignores.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";

/** One program. */
export interface GoTool {
  readonly module: string;
  readonly version: string;
  /** The package in the module, such as `cmd/h2spec`. */
  readonly command: string;
  /** The folder of a go.mod that pins what the program is built from, where its own module does not. */
  readonly pins?: string;
}

const BUILD = join(import.meta.dirname, "..", "build");

/** The path of the program, which is installed first where it is not there. Throws where there is no Go to do it. */
export function installGoTool({ module, version, command, pins }: GoTool): string {
  const folder = join(BUILD, "tools", `${basename(command)}-${version}`);
  const path = join(folder, basename(command));
  if (!existsSync(path)) {
    if (spawnSync("go", ["version"]).status !== 0) {
      throw new Error(
        `${module} is installed by Go, 1.26 or newer, and there is no \`go\` on the PATH: https://go.dev/doc/install`,
      );
    }
    process.stdout.write(`installing ${module}/${command}@${version}\n`);
    const program = `${module}/${command}`;
    const args = pins === undefined ? ["install", `${program}@${version}`] : ["build", "-mod=readonly", "-o", path, program];
    execFileSync("go", args, { stdio: "inherit", cwd: pins, env: { ...process.env, GOBIN: folder } });
  }
  return path;
}

/** Where Go keeps the module's files. */
export function goModuleFolder({ module, version }: GoTool): string {
  const answer = execFileSync("go", ["mod", "download", "-json", `${module}@${version}`], { encoding: "utf8" });
  return JSON.parse(answer).Dir;
}
