// Builds the packages for clients before the tests that install them. Once, because several test files run side by side and share them.
import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pythonEnvironment } from "../../../scripts/python-environment.ts";
import { ROOT } from "../../fixtures/root.ts";

const SOURCES = ["clients/**/*.*", "gen/**/*.*", "proto/**/*.proto", "scripts/**/*.ts", "package.json", "LICENSE"];

/** The npm package. */
export const NPM_PACKAGE = join(ROOT, "build/client");
/** The Python package, and its wheel. */
const PYTHON_PACKAGE = join(ROOT, "build/python-client");
const WHEELS = join(PYTHON_PACKAGE, "dist/*.whl");

const PACKAGES = [
  { script: "scripts/build-client.ts", last: join(NPM_PACKAGE, "index.js") },
  { script: "scripts/build-wheel.ts", last: WHEELS },
];

const changedMs = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Runs before all test files: builds those whose sources have changed since. */
export function setup(): void {
  const changed = Math.max(...globSync(SOURCES, { cwd: ROOT }).map((path) => changedMs(join(ROOT, path))));
  for (const { script, last } of PACKAGES) {
    const [built] = globSync(last);
    if (built === undefined || changedMs(built) < changed) {
      execFileSync(process.execPath, [script], { cwd: ROOT, stdio: "inherit" });
    }
  }
}

/** Creates a Python environment in `folder` with the wheel and whatever else is named. Throws with pip's output. */
export function installWheel(
  folder: string,
  { extra = "", others = [] }: { readonly extra?: string; readonly others?: readonly string[] } = {},
): void {
  const [wheel = ""] = globSync(WHEELS);
  // Another environment's pip installs into it: to install pip itself takes most of the time.
  execFileSync("python3", ["-m", "venv", "--without-pip", folder]);
  const programs = pythonEnvironment("python-client", join(ROOT, "clients/python/requirements.txt"));
  const pip = [
    "-m",
    "pip",
    "--python",
    join(folder, "bin/python"),
    "install",
    "--quiet",
    "--disable-pip-version-check",
    "--no-compile",
  ];
  execFileSync(join(programs, "python"), [...pip, `${wheel}${extra}`, ...others], { stdio: ["ignore", "ignore", "inherit"] });
}

/** Compiles a program that requires the Go module, to the file `out`. Throws with Go's output. */
export function buildGoProgram(code: string, out: string): void {
  const folder = `${out}-source`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "main.go"), code);
  const lines = [
    "module example.com/program",
    "go 1.24",
    "require git.example/quintet/clients/go v0.0.0",
    `replace git.example/quintet/clients/go => ${join(ROOT, "clients/go")}`,
  ];
  writeFileSync(join(folder, "go.mod"), `${lines.join("\n")}\n`);
  execFileSync("go", ["build", "-o", out, "."], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
}
