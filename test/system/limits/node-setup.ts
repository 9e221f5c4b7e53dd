// Runs before the tests that start nodes: bundles node.ts and its threads, which they start a hundred times, with the product. From the
// sources each start would take twice as much CPU time.
import { join } from "node:path";
import { bundle } from "../../fixtures/program-setup.ts";
import { ROOT } from "../../fixtures/root.ts";

const FOLDER = "test/system/limits";

/** Vitest runs this before the first file. */
export const setup = (): Promise<void> =>
  bundle(join(ROOT, "build/program/limits"), { node: `${FOLDER}/node.ts`, thread: `${FOLDER}/thread.ts` });
