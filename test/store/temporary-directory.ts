// A directory of a test's own, gone when the test is over.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A new empty directory with a short path, and what removes it. */
export function makeTemporaryDirectory(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "quintet-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** A new empty directory with a short path, removed when the test has finished. */
export function temporaryDirectory(): string {
  const { path, remove } = makeTemporaryDirectory();
  onTestFinished(remove);
  return path;
}
