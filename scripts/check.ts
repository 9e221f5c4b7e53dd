// `npm run check`: everything that can be checked without running the product. Runs every check, as many
// at once as there are processors, prints the output of those that fail, and exits with 1 if one did.
import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";

interface Check {
  readonly name: string;
  readonly command: readonly string[];
}

const bin = (name: string): string => `node_modules/.bin/${name}`;

// The longest first, so that none is left over at the end.
const checks: readonly Check[] = [
  { name: "generated files are up to date", command: [process.execPath, "scripts/generate.ts", "--check"] },
  { name: "types", command: [bin("tsc"), "-p", "."] },
  { name: "types of the portal", command: [bin("tsc"), "-p", "portal"] },
  { name: "unused code", command: [bin("knip")] },
  { name: "format and lint", command: [bin("biome"), "check", "--error-on-warnings"] },
  { name: "comments", command: [process.execPath, "scripts/check-comments.ts"] },
  { name: "architecture", command: [process.execPath, "scripts/check-architecture.ts"] },
  { name: "buf lint", command: [bin("buf"), "lint", "proto"] },
  { name: "the released contract", command: [process.execPath, "scripts/released-contract.ts"] },
  { name: "OpenAPI lint", command: [bin("redocly"), "lint", "gen/openapi.json", "gen/openapi-operator.json", "--format=stylish"] },
];

const waiting = checks.values();
let failures = 0;

/** Runs the checks that have not been started yet, one after another. */
async function runWaiting(): Promise<void> {
  for (const { name, command } of waiting) {
    const fault = await faultOf(command);
    process.stdout.write(fault === undefined ? `ok   ${name}\n` : `FAIL ${name}\n${fault}\n`);
    failures += fault === undefined ? 0 : 1;
  }
}

/** Runs a command, and returns what it printed if it failed. */
function faultOf([file = "", ...args]: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(file, args, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      resolve(error === null ? undefined : `${stdout}${stderr}`);
    });
  });
}

await Promise.all(Array.from({ length: availableParallelism() }, runWaiting));
process.exitCode = failures === 0 ? 0 : 1;
