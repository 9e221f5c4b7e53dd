// A directory of a test's own, gone when the test is over.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A new empty directory with a short path. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), "quintet-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
