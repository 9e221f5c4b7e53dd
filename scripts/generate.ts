// `npm run generate`: makes gen/ from proto/ again, and test/gen/ from test/proto/. Needs nothing from the network: imports are in
// third_party/, or in npm packages. Brings the tables of README.md and docs/ up to date as well. With `--check` it writes to build/generated instead, compares, and exits with 1 when they differ.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { copyThirdPartyProtos, thirdPartyFaults } from "./third-party-protos.ts";

const AS_DESCRIPTOR_SET = ["--as-file-descriptor-set", "--exclude-source-info"];
const DESCRIPTORS_OF = ["proto/quintet", "third_party/google/rpc", "third_party/grpc/health"];

const isCheck = process.argv.includes("--check");
const out = isCheck ? "build/generated" : ".";

const run = (command: string, ...args: string[]): void => {
  execFileSync(command, args, { stdio: "inherit" });
};

if (isCheck) {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
}
if (!isCheck) {
  copyThirdPartyProtos();
}
for (const fault of thirdPartyFaults()) {
  process.stdout.write(`${fault}\n`);
  process.exitCode = 1;
}
run("node_modules/.bin/buf", "generate", "-o", out);
run("node_modules/.bin/buf", "generate", "--template", "buf.gen.test.yaml", "-o", out);
// All that a client needs who has no protos: ours, what they import, and how errors and health are said.
run(
  "node_modules/.bin/buf",
  "build",
  ".",
  ...DESCRIPTORS_OF.flatMap((path) => ["--path", path]),
  ...AS_DESCRIPTOR_SET,
  "-o",
  `${out}/gen/quintet.binpb`,
);
// Only now: it reads the options of the protos with the code that has just been generated.
const { CUSTOMERS_DOCUMENT, OPERATORS_DOCUMENT, openApiDocument } = await import("./openapi/document.ts");
for (const [name, kind] of [
  ["openapi", CUSTOMERS_DOCUMENT],
  ["openapi-operator", OPERATORS_DOCUMENT],
] as const) {
  writeFileSync(`${out}/gen/${name}.json`, `${JSON.stringify(openApiDocument(kind), undefined, 2)}\n`);
}

const { serviceConfig } = await import("./service-config.ts");
writeFileSync(`${out}/gen/grpc-service-config.json`, `${JSON.stringify(await serviceConfig(), undefined, 2)}\n`);

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
