// Finds comments that are too wide, which the formatter leaves alone, and comments with old-fashioned words. Prints where they are, and
// exits with 1 when there are any.
import { globSync, readFileSync } from "node:fs";

const COLUMNS_MAX = 140;
const COMMENT = /^\s*(\/\/|\/\*|\* )/;
const OLD_WORDS = /\b(?:octets?|anew|hence|whence|thereof|therein|wherein|whereof|whereby)\b/i;

function problemOf(line: string): string | undefined {
  if (line.length > COLUMNS_MAX) {
    return `a comment has at most ${COLUMNS_MAX} columns; shorten it, or continue on the next line`;
  }
  const word = OLD_WORDS.exec(line)?.[0];
  return word === undefined ? undefined : `"${word}" is not plain English; use a common word (byte, again, so, of it, in which)`;
}

const problems = globSync("{src,portal,scripts}/**/*.{ts,tsx}").flatMap((file) =>
  readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line, index) => {
      const problem = COMMENT.test(line) ? problemOf(line) : undefined;
      return problem === undefined ? [] : [`${file}:${index + 1}: ${problem}\n`];
    }),
);
for (const problem of problems) {
  process.stdout.write(problem);
}
process.exitCode = problems.length === 0 ? 0 : 1;
