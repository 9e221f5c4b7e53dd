// `npm run generate`: makes gen/ from proto/ again, and test/gen/ from test/proto/. Needs nothing from the network: imports come
// from npm packages. Puts the README's tables up to date as well. With `--check` it writes to build/generated instead, compares, and exits with 1 when they differ.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { withTables } from "./readme/tables.ts";

const isCheck = process.argv.includes("--check");
const out = isCheck ? "build/generated" : ".";

const run = (command: string, ...args: string[]): void => {
  execFileSync(command, args, { stdio: "inherit" });
};

if (isCheck) {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
}
run(process.execPath, "scripts/print-validate-proto.ts");
run("node_modules/.bin/buf", "generate", "-o", out);
run("node_modules/.bin/buf", "generate", "--template", "buf.gen.test.yaml", "-o", out);
// Only now: it reads the options of the protos with the code that has just been generated.
const { openApiDocument } = await import("./openapi/document.ts");
writeFileSync(`${out}/gen/openapi.json`, `${JSON.stringify(openApiDocument(), undefined, 2)}\n`);

// Its operations' words come from the document, so it is made after that.
const readme = readFileSync("README.md", "utf8");
const readmeWithTables = withTables(readme);
if (!isCheck) {
  writeFileSync("README.md", readmeWithTables);
} else if (readmeWithTables !== readme) {
  process.stdout.write("README.md has tables that are out of date; run npm run generate\n");
  process.exitCode = 1;
}

if (isCheck) {
  for (const folder of ["gen", "test/gen"]) {
    const { status, stdout } = spawnSync("diff", ["-r", folder, `${out}/${folder}`], { encoding: "utf8" });
    if (status !== 0) {
      process.stdout.write(`${folder} is not what proto/ says; run npm run generate\n${stdout}`);
      process.exitCode = 1;
    }
  }
}
