// Finds comments that are too wide, which the formatter leaves alone, comments with old-fashioned words, and doc comments that say nothing.
// Prints where they are, and exits with 1 when there are any.
import { globSync, readFileSync } from "node:fs";
import { commentFaults } from "./comments/comment-faults.ts";

const faults = globSync("{src,packages/*/src,portal,scripts}/**/*.{ts,tsx}").flatMap((file) =>
  commentFaults(file, readFileSync(file, "utf8")),
);
for (const fault of faults) {
  process.stdout.write(`${fault}\n`);
}
process.exitCode = faults.length === 0 ? 0 : 1;
