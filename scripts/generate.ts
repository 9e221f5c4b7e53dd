// `npm run generate`: generates gen/ from proto/, with the list of common passwords, the services of the Go module, and test/gen/ from
// test/proto/. Needs no network: imports are in third_party/ or in npm packages. Also brings the tables of README.md and docs/ up to date.
// With `--check` it writes to build/generated instead, compares, and exits with 1 when they differ.
import { execFileSync, spawnSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { copyThirdPartyProtos, thirdPartyFaults } from "./third-party-protos.ts";

const AS_DESCRIPTOR_SET = ["--as-file-descriptor-set", "--exclude-source-info"];
const DESCRIPTORS_OF = ["proto/quintet", "third_party/google/rpc", "third_party/grpc/health"];
// As /openapi.json, the set is for customers, and anybody may read it.
const DESCRIPTORS_WITHOUT = "proto/quintet/operator";

const isCheck = process.argv.includes("--check");
const out = isCheck ? "build/generated" : ".";

const run = (command: string, ...args: string[]): void => {
  execFileSync(command, args, { stdio: "inherit" });
};

// Updates the generated parts of files; in a check, reports what is wrong with each. Returns whether anything was.
function updateFiles(paths: readonly string[], update: (text: string) => string, fault: string): boolean {
  const outdated = paths
    .map((path) => ({ path, text: readFileSync(path, "utf8") }))
    .map(({ path, text }) => ({ path, text, updated: update(text) }))
    .filter(({ text, updated }) => updated !== text);
  for (const { path, updated } of outdated) {
    if (isCheck) {
      process.stdout.write(`${path} ${fault}; run npm run generate\n`);
      process.exitCode = 1;
    } else {
      writeFileSync(path, updated);
    }
  }
  return outdated.length > 0;
}

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
// Must come after the code is generated, because they read the options of the protos with it.
const { readServices } = await import("./protos.ts");
const { dataServicesOf } = await import("./data-services/data-services.ts");
const {
  dataMethodsModule,
  dataServicesModule,
  dataServicesStyles,
  PROXY_FILES,
  STAND_INS_FILE,
  withServiceNames,
  withServicePaths,
  withStandIns,
} = await import("./data-services/generated.ts");
const dataServices = dataServicesOf(readServices());
const names = dataServices.map(({ presentation }) => presentation.name);
if (
  updateFiles(
    globSync("proto/**/*.proto").toSorted(),
    (proto) => withServiceNames(proto, names),
    "names services that do not exist, or lacks some",
  ) &&
  !isCheck
) {
  run("node_modules/.bin/buf", "generate", "-o", out);
}
updateFiles(PROXY_FILES, (file) => withServicePaths(file, names), "forwards calls to services that do not exist, or lacks some");
updateFiles(
  [STAND_INS_FILE],
  (file) => withStandIns(file, dataServices),
  "starts stand-ins of services that do not exist, or lacks some",
);
writeFileSync(`${out}/gen/data-services.ts`, dataServicesModule(dataServices));
writeFileSync(`${out}/gen/data-methods.ts`, dataMethodsModule(dataServices));
writeFileSync(`${out}/gen/data-services.css`, dataServicesStyles(dataServices));
const { storeTablesModule } = await import("./store-tables.ts");
writeFileSync(`${out}/gen/store-tables.ts`, storeTablesModule());
run("node_modules/.bin/buf", "generate", "--template", "buf.gen.test.yaml", "-o", out);
// Everything that a client without the protos needs: ours, their imports, and those for errors and health.
run(
  "node_modules/.bin/buf",
  "build",
  ".",
  ...DESCRIPTORS_OF.flatMap((path) => ["--path", path]),
  "--exclude-path",
  DESCRIPTORS_WITHOUT,
  ...AS_DESCRIPTOR_SET,
  "-o",
  `${out}/gen/quintet.binpb`,
);
const { CUSTOMERS_DOCUMENT, documentText, OPERATORS_DOCUMENT, openApiDocument } = await import("./openapi/document.ts");
for (const [name, kind] of [
  ["openapi", CUSTOMERS_DOCUMENT],
  ["openapi-operator", OPERATORS_DOCUMENT],
] as const) {
  writeFileSync(`${out}/gen/${name}.json`, documentText(openApiDocument(kind)));
}

const { mcpTools } = await import("./mcp-tools.ts");
writeFileSync(`${out}/gen/mcp-tools.json`, `${JSON.stringify(mcpTools(), undefined, 2)}\n`);

const { serviceConfig } = await import("./service-config.ts");
writeFileSync(`${out}/gen/grpc-service-config.json`, `${JSON.stringify(serviceConfig(), undefined, 2)}\n`);

const { goClient } = await import("./clients/go-client.ts");
mkdirSync(`${out}/clients/go`, { recursive: true });
writeFileSync(`${out}/clients/go/services.go`, goClient());

const { protoArchive } = await import("./proto-archive.ts");
writeFileSync(`${out}/gen/protos.zip`, protoArchive());

const { commonPasswords } = await import("./common-passwords.ts");
writeFileSync(`${out}/gen/common-passwords.txt`, commonPasswords());

// Must come after the document is generated, because the text of the reference comes from it.
const { pages, withTables } = await import("./docs/tables.ts");
updateFiles(pages(), withTables, "has tables that are out of date");

if (isCheck) {
  for (const path of ["gen", "test/gen", "clients/go/services.go"]) {
    const { status, stdout } = spawnSync("diff", ["-r", path, `${out}/${path}`], { encoding: "utf8" });
    if (status !== 0) {
      process.stdout.write(`${path} does not match proto/; run npm run generate\n${stdout}`);
      process.exitCode = 1;
    }
  }
}
