// Checks the imports of src/, scripts/, portal/ and bench/ against the rules and the diagrams in docs/architecture.md. Prints violations,
// and exits with 1 if there are any.
import { readFileSync } from "node:fs";
import { readImports } from "./architecture/imports.ts";
import { architectureFaults, FOLDERS, readPictures } from "./architecture/rules.ts";

const imports = new Map(FOLDERS.flatMap((folder) => [...readImports(folder)]));
const faults = architectureFaults(imports, readPictures(readFileSync("docs/architecture.md", "utf8")));
for (const fault of faults) {
  process.stdout.write(`${fault}\n`);
}
process.exitCode = faults.length === 0 ? 0 : 1;
