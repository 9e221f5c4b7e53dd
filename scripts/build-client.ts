// `npm run build:client`: builds the npm package @quintet/client in build/client, ready for `npm pack` or `npm publish`: the code in gen/,
// and the few lines of clients/typescript.
import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { methodPolicies } from "./clients/method-policies.ts";
import { filesOf, typeNamesOf } from "./clients/type-names.ts";
import { dataServicesOf } from "./data-services/data-services.ts";
import { readServices } from "./protos.ts";
import { serviceConfig } from "./service-config.ts";

const SOURCES = "clients/typescript";
const OUT = "build/client";
const DEPENDENCIES = ["@bufbuild/protobuf", "@bufbuild/protovalidate", "@connectrpc/connect", "@connectrpc/connect-web"];

const readJson = (path: string) => JSON.parse(readFileSync(path, "utf8"));
const { version, repository, dependencies, devDependencies } = readJson("package.json");
const versions: Readonly<Record<string, string>> = { ...devDependencies, ...dependencies };

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
for (const path of globSync("gen/{google,quintet}/**/*_pb.{js,d.ts}", { exclude: ["gen/quintet/operator"] })) {
  cpSync(path, join(OUT, path));
}
const sources = globSync("*.ts", { cwd: SOURCES });
for (const file of [...sources, "README.md"]) {
  cpSync(join(SOURCES, file), join(OUT, file));
}
cpSync("LICENSE", join(OUT, "LICENSE"));
writeFileSync(join(OUT, "generated.ts"), generated());
writeFileSync(join(OUT, "types.ts"), types());
const manifest = {
  ...readJson(join(SOURCES, "package.json")),
  version,
  // npm compares it with the place where the package was built.
  repository,
  publishConfig: { access: "public", provenance: true },
  dependencies: Object.fromEntries(DEPENDENCIES.map((name) => [name, `^${versions[name]}`])),
};
writeFileSync(join(OUT, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);

const options = [
  "--module",
  "nodenext",
  "--target",
  "es2022",
  "--lib",
  "es2024,esnext.array,dom,dom.iterable",
  "--declaration",
  "--strict",
  "--skipLibCheck",
];
const compiled = [...sources, "generated.ts", "types.ts"].map((file) => join(OUT, file));
execFileSync("node_modules/.bin/tsc", ["--ignoreConfig", ...options, ...compiled], { stdio: "inherit" });
for (const file of compiled) {
  rmSync(file);
}

// The services by their names in programs, and what a client may retry.
function generated(): string {
  const services = dataServicesOf(readServices()).map(({ desc, presentation }) => ({
    name: presentation.name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
    module: `./gen/${desc.file.name}_pb.js`,
    type: desc.name,
  }));
  return `// The data services, and how the server says that calls may be retried. Generated.
${services.map(({ module, type }) => `import { ${type} } from "${module}";`).join("\n")}
export const SERVICES = { ${services.map(({ name, type }) => `${name}: ${type}`).join(", ")} } as const;

interface MethodPolicy {
  readonly timeoutMs?: number;
  readonly attempts: number;
  readonly backoffMs: number;
  readonly backoffMsMax: number;
  readonly backoffMultiplier: number;
}
/** Path of a method → its policy. */
export const POLICIES: Readonly<Record<string, MethodPolicy>> = ${JSON.stringify(methodPolicies(), undefined, 2)};
export const THROTTLING = ${JSON.stringify(serviceConfig().retryThrottling)};
`;
}

// The messages and enums of the data services, by their names, as the clients take and return them.
function types(): string {
  const services = dataServicesOf(readServices());
  const inputs = new Set(services.flatMap(({ desc }) => desc.methods.map(({ input }) => input.typeName)));
  const files = filesOf(services);
  const nameOf = typeNamesOf(files);
  const exported = files.map((file, index) => {
    const module = JSON.stringify(`./gen/${file.name}_pb.js`);
    const messages = file.messages.map((message) =>
      inputs.has(message.typeName)
        ? `export type ${nameOf(message)} = MessageInitShape<typeof messages${index}.${message.name}Schema>;`
        : `export interface ${nameOf(message)} extends Plain<messages${index}.${message.name}> {}`,
    );
    const enums = file.enums.map((one) => `${one.name} as ${nameOf(one)}`).join(", ");
    const reexport = enums === "" ? [] : [`export { ${enums} } from ${module};`];
    return [`import type * as messages${index} from ${module};`, ...reexport, ...messages].join("\n");
  });
  return `import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Plain } from "./plain-client.js";
${exported.join("\n")}
`;
}
