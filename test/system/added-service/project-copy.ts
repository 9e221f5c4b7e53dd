// A copy of the project to which a service can be added: the files as they are now, with its own Git repository, since the check
// compares the protos with those of its main branch.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "../../fixtures/root.ts";

/** How a command ended. */
interface CommandResult {
  readonly passed: boolean;
  /** Its standard output and standard error. */
  readonly printed: string;
}

/** The copy. Paths are relative to its own directory. */
export interface ProjectCopy {
  readonly path: string;
  read(path: string): string;
  write(path: string, text: string): void;
  remove(path: string): void;
  /** Replaces a string that the file must contain. */
  edit(path: string, from: string | RegExp, to: string): void;
  /** The files that differ from those of the project. */
  changedFiles(): readonly string[];
  /** Runs a command to its end. */
  run(file: string, ...args: readonly string[]): CommandResult;
  /** The same with Node. */
  runNode(args: readonly string[]): CommandResult;
}

const AUTHOR = ["-c", "user.name=test", "-c", "user.email=test@example.org"];

/** Copies the project into `path`, an empty directory. */
export function copyProject(path: string): ProjectCopy {
  const git = (...args: readonly string[]): string => execFileSync("git", args, { cwd: path, encoding: "utf8" });
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  for (const file of listed.split("\0").filter((name) => name !== "" && existsSync(join(ROOT, name)))) {
    mkdirSync(join(path, dirname(file)), { recursive: true });
    cpSync(join(ROOT, file), join(path, file));
  }
  symlinkSync(join(ROOT, "node_modules"), join(path, "node_modules"));
  // The copy's own tests need a site, but not one with the new service.
  cpSync(join(ROOT, "build/portal"), join(path, "build/portal"), { recursive: true });
  git("init", "--quiet", "--initial-branch", "main");
  // A link is not a directory, so .gitignore, which names directories, does not cover it.
  writeFileSync(join(path, ".git/info/exclude"), "node_modules\n");
  git("add", "--all");
  git(...AUTHOR, "commit", "--quiet", "--message", "As it is");
  const read = (file: string): string => readFileSync(join(path, file), "utf8");
  const write = (file: string, text: string): void => {
    mkdirSync(join(path, dirname(file)), { recursive: true });
    writeFileSync(join(path, file), text);
  };
  const run: ProjectCopy["run"] = (file, ...args) => {
    // Variables that vitest sets for its own processes must not reach another vitest.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|VITE|NODE_ENV|TEST)/.test(name)));
    const { status, stdout, stderr } = spawnSync(file, args, { cwd: path, encoding: "utf8", env, maxBuffer: 64 * 1024 * 1024 });
    return { passed: status === 0, printed: `${stdout}${stderr}` };
  };
  return {
    path,
    read,
    write,
    remove: (file) => rmSync(join(path, file)),
    edit(file, from, to) {
      const text = read(file);
      const edited = text.replace(from, to);
      if (edited === text) {
        throw new Error(`${file} does not hold ${from}`);
      }
      write(file, edited);
    },
    changedFiles: () =>
      git("status", "--porcelain", "--untracked-files=all")
        .split("\n")
        .filter(Boolean)
        .map((line) => line.slice(3)),
    run,
    runNode: (args) => run(process.execPath, ...args),
  };
}
