// Runs a program of another language that prints a line of JSON for each result.
import { execFile } from "node:child_process";

/** How to run it. */
export interface RunProgramOptions {
  readonly directory: string;
  /** Besides the path. */
  readonly environment: Readonly<Record<string, string>>;
  /** What it reads, as JSON. */
  readonly stdin?: unknown;
}

/** What it prints. Rejects with its error output if it fails. */
export function runProgram(
  file: string,
  args: readonly string[],
  { directory, environment, stdin = null }: RunProgramOptions,
): Promise<unknown[]> {
  const options = { cwd: directory, env: { PATH: process.env.PATH, ...environment }, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    const child = execFile(file, [...args], options, (error, out, err) =>
      error === null
        ? resolve(
            out
              .trim()
              .split("\n")
              .map((line) => JSON.parse(line)),
          )
        : reject(new Error(err, { cause: error })),
    );
    // A program that has ended without reading all of its input is judged by how it ended.
    child.stdin?.on("error", () => {});
    child.stdin?.end(JSON.stringify(stdin));
  });
}
