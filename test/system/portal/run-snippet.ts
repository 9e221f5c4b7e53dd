// Runs a snippet as it stands, as somebody would who pasted it.
import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Snippet } from "../../../portal/content/snippets/snippet.ts";
import { CURL_IS_ABLE } from "../../fixtures/curl.ts";
import { ROOT } from "../../fixtures/root.ts";
import { temporaryDirectory } from "../../fixtures/temporary-directory.ts";

/** How long one may take. Some are compiled first, with all that they use where nothing of it is there yet. */
export const WITHIN_MS = 600_000;

/** How a snippet of each language is run, and whether that is to be had here. grpcurl is tried by test/system/interop. */
export const RUNNERS = {
  bash: { file: "call.sh", command: "sh", isThere: CURL_IS_ABLE },
  typescript: { file: "call.ts", command: process.execPath, isThere: true },
  python: { file: "call.py", command: "python3", isThere: isThere("python3", "--version") },
  go: { file: "call.go", command: "go run", isThere: isThere("go", "version") },
  java: { file: "Call.java", command: "java", isThere: isThere("java", "--version") },
} as const;

/** A language that can be run. */
export type Language = keyof typeof RUNNERS;

function isThere(command: string, option: string): boolean {
  return spawnSync(command, [option]).status === 0;
}

/** How it ended. */
export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly failed: boolean;
}

/** What a run may have beside the key. */
export interface RunOptions {
  /** Environment variables. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether enough was printed: then it is ended, and has not failed. For streams, which do not end by themselves. */
  readonly isEnough?: (stdout: string) => boolean;
}

/** Runs it with the key in its environment, in a directory of its own. */
export function runSnippet(
  { code, language }: Snippet,
  key: string,
  { environment = {}, isEnough = () => false }: RunOptions = {},
): Promise<Ran> {
  const { file, command } = RUNNERS[language as Language];
  const directory = temporaryDirectory();
  writeFileSync(join(directory, file), code);
  const PATH = `${join(ROOT, "node_modules/.bin")}:${dirname(process.execPath)}:${process.env.PATH}`;
  const env = { ...process.env, PATH, KEY: key, ...environment };
  return new Promise((resolve) => {
    // A group of its own, because `go run` and `sh` start others.
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
