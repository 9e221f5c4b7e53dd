// Which suite a test file belongs to: `npm test`, `npm run test:system` or `npm run test:alone`. The file's imports decide between the
// first two, so that a new file needs no entry anywhere.
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "./fixtures/root.ts";

/** The suites that have their own configuration. Glob patterns from the root. */
export const OTHER_SUITES = ["test/system/limits/**", "test/system/interop/**", "test/system/added-service/**", "test/browser/**"];

const STARTS_PROCESSES = /"node:(child_process|worker_threads)"/;

// It would stay replaced for the files after it.
const REPLACES_MODULE = /\bvi\.mock\(/;

// It starts only a short program: openssl makes a certificate.
const SHORT_PROGRAM = "packages/http/test/fixtures/certificates.ts";

/** Files that measure time, or the memory of their own process. */
export const MEASURING: ReadonlySet<string> = new Set([
  "packages/http/test/idle-connections.test.ts",
  "packages/http/test/request-body.test.ts",
  "test/guard/many-nodes.test.ts",
  "test/system/costs/costs.test.ts",
  "test/workers/main-thread-memory.test.ts",
]);

/** Test files by how they run. Paths from the root. */
export interface TestFiles {
  /** These need only the process they run in, and share it. */
  readonly shared: readonly string[];
  /** These start other processes or threads, and share their own. */
  readonly system: readonly string[];
  /** Each has its own process, and nothing else runs at the same time. */
  readonly alone: readonly string[];
}

/** Sorts the test files. */
export function sortTestFiles(): TestFiles {
  const files = globSync("{packages/*/,}test/**/*.test.ts", { cwd: ROOT, exclude: OTHER_SUITES }).toSorted();
  const alone = new Set(files.filter((file) => MEASURING.has(file) || REPLACES_MODULE.test(textOf(file))));
  const others = files.filter((file) => !alone.has(file));
  const system = new Set(others.filter((file) => [...importedBy(file)].some(startsProcesses)));
  return { shared: others.filter((file) => !system.has(file)), system: [...system], alone: [...alone] };
}

const textOf = (file: string): string => readFileSync(join(ROOT, file), "utf8");

const startsProcesses = (file: string): boolean => file !== SHORT_PROGRAM && STARTS_PROCESSES.test(textOf(file));

/** The file and everything in the folders of tests that it imports. */
function importedBy(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) {
    return found;
  }
  found.add(file);
  for (const [, path = ""] of textOf(file).matchAll(/^(?:import|export|\} from)\b.*?"(\.[^"]+\.ts)"/gm)) {
    const imported = join(dirname(file), path);
    if (/^(?:packages\/[\w-]+\/)?test\//.test(imported) && existsSync(join(ROOT, imported))) {
      importedBy(imported, found);
    }
  }
  return found;
}
