// Holds the imports of src/ against the pictures in docs/architecture.md. Prints what breaks the rules, and exits with 1 when something does.
import { readFileSync } from "node:fs";
import { readImports } from "./architecture/imports.ts";
import { architectureFaults, readPictures } from "./architecture/rules.ts";

const faults = architectureFaults(readImports("src"), readPictures(readFileSync("docs/architecture.md", "utf8")));
for (const fault of faults) {
  process.stdout.write(`${fault}\n`);
}
process.exitCode = faults.length === 0 ? 0 : 1;
