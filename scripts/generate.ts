// `npm run generate`: makes gen/ from proto/ again, and test/gen/ from test/proto/. Needs nothing from the network: imports come
// from npm packages. Brings the tables of README.md and docs/ up to date as well. With `--check` it writes to build/generated instead, compares, and exits with 1 when they differ.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";

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

// Only now: the words of the reference come from the document.
const { pages, readPage, withTables } = await import("./docs/tables.ts");
for (const path of pages()) {
  const page = readPage(path);
  const pageWithTables = withTables(page);
  if (pageWithTables !== page && isCheck) {
    process.stdout.write(`${path} has tables that are out of date; run npm run generate\n`);
    process.exitCode = 1;
  } else if (pageWithTables !== page) {
    writeFileSync(path, pageWithTables);
  }
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
