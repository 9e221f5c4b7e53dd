// Checks the imports of src/, packages/, scripts/, portal/ and bench/ against the rules and the diagrams in docs/architecture.md, and their
// interfaces against the rules in CONTRIBUTING.md. Prints violations, and exits with 1 if there are any.
import { globSync, readFileSync } from "node:fs";
import { readImports } from "./architecture/imports.ts";
import { interfaceFaults } from "./architecture/interfaces.ts";
import { architectureFaults, FOLDERS, readDiagrams } from "./architecture/rules.ts";

const imports = new Map(FOLDERS.flatMap((folder) => [...readImports(folder)]));
const sources = new Map(globSync(`{${FOLDERS.join()},test}/**/*.{ts,tsx}`).map((path) => [path, readFileSync(path, "utf8")]));
const faults = [
  ...architectureFaults(imports, readDiagrams(readFileSync("docs/architecture.md", "utf8"))),
  ...interfaceFaults(sources),
];
for (const fault of faults) {
  process.stdout.write(`${fault}\n`);
}
process.exitCode = faults.length === 0 ? 0 : 1;
