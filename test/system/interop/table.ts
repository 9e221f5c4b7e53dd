// The table of `npm run test:interop`: the result of each example in each situation. Each test file writes its rows to its own file, and
// `printTable` joins them when all have run.
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../fixtures/root.ts";

/** One cell. */
export interface Row {
  readonly folder: string;
  readonly program: string;
  readonly outcome: string;
  /** A few words. */
  readonly result: string;
}

const FOLDER = join(ROOT, "build/interop/rows");

/** Records a cell whose outcome is as expected. */
export function note(row: Row): void {
  appendFileSync(join(FOLDER, `${row.folder}.jsonl`), `${JSON.stringify(row)}\n`);
}

/** Runs before all test files. */
export function setup(): void {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
}

/** Runs after all test files: prints the table, and writes it to `build/interop/table.md`. */
export function teardown(): void {
  const rows = readdirSync(FOLDER).flatMap((file) =>
    readFileSync(join(FOLDER, file), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Row),
  );
  const outcomes = [...new Set(rows.map(({ outcome }) => outcome))];
  const programs = [...new Set(rows.map(({ folder, program }) => `${folder}: ${program}`))];
  const resultOf = (name: string, outcome: string): string =>
    rows.find(({ folder, program, outcome: own }) => `${folder}: ${program}` === name && own === outcome)?.result ?? "";
  const lines = [
    ["", ...outcomes],
    ["---", ...outcomes.map(() => "---")],
    ...programs.map((name) => [name, ...outcomes.map((outcome) => resultOf(name, outcome))]),
  ].map((cells) => `| ${cells.join(" | ")} |\n`);
  writeFileSync(join(ROOT, "build/interop/table.md"), lines.join(""));
  process.stdout.write(`\n${lines.join("")}`);
}
