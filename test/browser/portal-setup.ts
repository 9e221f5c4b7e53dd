// Runs before the tests in the browser: builds the site if any of its sources has changed, so that no test sees old pages.
import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { PORTAL_DIRECTORY } from "../../src/portal/portal.ts";
import { INDEX_FILE } from "../../src/portal/portal-index.ts";
import { buildPortal } from "../fixtures/portal-setup.ts";
import { ROOT } from "../fixtures/root.ts";

const SOURCES = [...["portal", "docs", "gen", "src"].map((folder) => `${folder}/**/*.*`), "*.md", "package-lock.json"];

const changedMs = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** What Vitest runs before the first file. */
export function setup(): void {
  const builtMs = changedMs(join(PORTAL_DIRECTORY, INDEX_FILE));
  if (globSync(SOURCES, { cwd: ROOT }).some((path) => changedMs(join(ROOT, path)) > builtMs)) {
    buildPortal();
  }
}
