// Lists the tests that failed, and those that passed only when they were tried again, from the reports that Vitest has written: the file, the
// test's name, and the first line of its failure.
import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";

const LINE_LENGTH_MAX = 200;

const firstLine = (text = "") => text.split("\n", 1)[0].slice(0, LINE_LENGTH_MAX);

for (const path of process.argv.slice(2).filter(existsSync)) {
  for (const { name, status, message, assertionResults } of JSON.parse(readFileSync(path, "utf8")).testResults) {
    const file = relative(process.cwd(), name);
    const failed = assertionResults.filter((test) => test.status === "failed");
    for (const { fullName, failureMessages } of failed) {
      process.stdout.write(`${file}: ${fullName}\n    ${firstLine(failureMessages[0])}\n`);
    }
    // The failures of earlier tries stay in the report of a test that passed.
    for (const { fullName, failureMessages } of assertionResults.filter(
      (test) => test.status === "passed" && test.failureMessages.length > 0,
    )) {
      process.stdout.write(`flaky, passed when tried again: ${file}: ${fullName}\n    ${firstLine(failureMessages[0])}\n`);
    }
    // What is around the tests can fail too.
    if (status === "failed" && failed.length === 0) {
      process.stdout.write(`${file}\n    ${firstLine(message) || "not in a test, but in a hook or the file itself"}\n`);
    }
  }
}
