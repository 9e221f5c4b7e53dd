// `npm run build:package`: makes the folder that is published as the npm package, and that the image contains: the bundle, the pages,
// the plans, the protos and the generated documents, with the licences and the SBOM of their contents. It writes to `build/package`, or
// to the folder in the argument. With `--with-node`, the SBOM lists this Node too, because the image contains it.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { extname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { packageDirectory, readPackages } from "./package/bundled-packages.ts";
import { licencesText } from "./package/licences.ts";
import { manifest, readProject } from "./package/manifest.ts";
import { sbom } from "./package/sbom.ts";
import { bundleServer } from "./package/server-bundle.ts";

const { values, positionals } = parseArgs({
  options: { "with-node": { type: "boolean", default: false } },
  allowPositionals: true,
});
const out = resolve(positionals[0] ?? "build/package");
const PORTAL_PACKAGES = "build/portal-packages.json";
// gen/common-passwords.txt is made from its list.
const DATA_PACKAGES = ["@zxcvbn-ts/language-common"];
// The files of gen/ that are in the bundles.
const BUNDLED = [".ts", ".css"];

if (!existsSync(PORTAL_PACKAGES)) {
  throw new Error(`There is no ${PORTAL_PACKAGES}. Run \`npm run build:portal\` first.`);
}
rmSync(out, { recursive: true, force: true });
const ofServer = await bundleServer(join(out, "dist"));
const ofPortal = JSON.parse(readFileSync(PORTAL_PACKAGES, "utf8")) as string[];

const generated = readdirSync("gen", { withFileTypes: true }).filter(
  (entry) => entry.isFile() && !BUNDLED.includes(extname(entry.name)),
);
const copies = [
  ["LICENSE", "LICENSE"],
  ["README.md", "deploy/npm/README.md"],
  ["build/portal", "build/portal"],
  ["plans", "plans"],
  ["proto/quintet", "proto/quintet"],
  ["proto/third_party", "third_party"],
  ...generated.map(({ name }) => [`gen/${name}`, `gen/${name}`] as const),
] as const;
for (const [to, from] of copies) {
  cpSync(from, join(out, to), { recursive: true });
}

const project = readProject();
const packages = readPackages([...ofServer, ...ofPortal.map((path) => resolve(path)), ...DATA_PACKAGES.map(packageDirectory)]);
const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
const files = ["THIRD-PARTY-LICENSES.txt", "build/portal", "dist", "gen", "plans", "proto", "sbom.cdx.json"];
mkdirSync(out, { recursive: true });
writeFileSync(join(out, "package.json"), json(manifest(project, files)));
writeFileSync(join(out, "THIRD-PARTY-LICENSES.txt"), licencesText(packages));
writeFileSync(join(out, "sbom.cdx.json"), json(sbom(project, packages, values["with-node"] ? process.versions : undefined)));
