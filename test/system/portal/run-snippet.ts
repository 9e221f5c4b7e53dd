// Runs a snippet exactly as shown, as if a reader had pasted it.
import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect } from "vitest";
import type { Snippet } from "../../../portal/content/snippets/snippet.ts";
import { CURL_IS_ABLE } from "../../fixtures/curl.ts";
import { ROOT } from "../../fixtures/root.ts";
import { SHORT_JAVA } from "../../fixtures/short-java.ts";
import { temporaryDirectory } from "../../fixtures/temporary-directory.ts";

/** How long one may take. Some are compiled first, with all their dependencies if none are there yet. */
export const WITHIN_MS = 600_000;

/** How a snippet of each language is run, and whether its tool is installed. grpcurl is tested in test/system/interop. */
export const RUNNERS = {
  bash: { file: "call.sh", command: "sh", isThere: CURL_IS_ABLE },
  typescript: { file: "call.ts", command: process.execPath, isThere: true },
  python: { file: "call.py", command: "python3", isThere: isThere("python3", "--version") },
  go: { file: "call.go", command: "go run", isThere: isThere("go", "version") },
  java: { file: "Call.java", command: "java", isThere: isThere("java", "--version") },
  csharp: { file: "call.cs", command: "dotnet run", isThere: hasFileBasedPrograms() },
  php: { file: "call.php", command: "php", isThere: isThere("php", "--version") },
  rust: { file: "main.rs", command: "cargo run --quiet --", isThere: isThere("cargo", "--version") },
} as const;

// The programs run for a moment, so it is not worth describing them to a debugger.
const QUICK_BUILDS = { JDK_JAVA_OPTIONS: SHORT_JAVA, CARGO_PROFILE_DEV_DEBUG: "0" };

// Rust needs the library that the snippet names, which is built once for all. Each test file has a program of its own name there: two that
// are built at once would otherwise overwrite each other.
const CARGO_TARGET_DIR = join(ROOT, "build/snippets/rust");
const manifestFor = (testPath: string): string => `[package]
name = "call"
version = "0.1.0"
edition = "2021"
[dependencies]
ureq = "3"
[[bin]]
name = "call-${relative(ROOT, testPath).replaceAll(/\W+/g, "-")}"
path = "main.rs"
`;

/** A language that can be run. */
export type Language = keyof typeof RUNNERS;

function isThere(command: string, option: string): boolean {
  return spawnSync(command, [option]).status === 0;
}

// Since .NET 10, `dotnet run` accepts a single file.
function hasFileBasedPrograms(): boolean {
  const { status, stdout } = spawnSync("dotnet", ["--version"], { encoding: "utf8" });
  return status === 0 && Number.parseInt(stdout, 10) >= 10;
}

/** The result of a run. */
export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly failed: boolean;
}

/** Options of a run besides the key. */
export interface RunOptions {
  /** Environment variables. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether enough was printed. The snippet is then stopped without counting as failed, because streams do not end by themselves. */
  readonly isEnough?: (stdout: string) => boolean;
  /** The directory in which its own is created. */
  readonly parent?: string;
  /** Puts what the snippet needs into its directory. */
  readonly prepare?: (directory: string) => void;
}

/** Runs it with the key in its environment, in its own directory. */
export function runSnippet(
  { code, language }: Snippet,
  key: string,
  { environment = {}, isEnough = () => false, parent, prepare = () => {} }: RunOptions = {},
): Promise<Ran> {
  const { file, command } = RUNNERS[language as Language];
  const directory = temporaryDirectory(parent);
  writeFileSync(join(directory, file), code);
  prepare(directory);
  const PATH = `${join(ROOT, "node_modules/.bin")}:${dirname(process.execPath)}:${process.env.PATH}`;
  const env = { ...process.env, PATH, KEY: key, ...QUICK_BUILDS, CARGO_TARGET_DIR, ...environment };
  if (language === "rust") {
    writeFileSync(join(directory, "Cargo.toml"), manifestFor(expect.getState().testPath ?? ""));
  }
  return new Promise((resolve) => {
    // A separate process group, because `go run` and `sh` start other processes.
    const child = spawn("sh", ["-c", `exec ${command} ${file}`], { cwd: directory, env, detached: true });
    const kill = (): void => {
      process.kill(-(child.pid as number), "SIGKILL");
    };
    const late = setTimeout(kill, WITHIN_MS);
    let stdout = "";
    let stderr = "";
    let wasEnough = false;
    child.stdout.setEncoding("utf8").on("data", (text) => {
      stdout += text;
      if (!wasEnough && isEnough(stdout)) {
        wasEnough = true;
        kill();
      }
    });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      stderr += text;
    });
    child.on("close", (exitCode) => {
      clearTimeout(late);
      resolve({ stdout, stderr, failed: exitCode !== 0 && !wasEnough });
    });
  });
}
