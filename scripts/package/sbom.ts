// Builds the software bill of materials, as CycloneDX: every shipped package with its licence, checksum and dependencies. It has no
// timestamp and no serial number, so builds of the same sources give the same file.
import { readFileSync } from "node:fs";
import type { BundledPackage } from "./bundled-packages.ts";

interface LockedPackage {
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

type Lock = Readonly<Record<string, LockedPackage>>;

export interface Shipped {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

const purl = (name: string, version: string): string => `pkg:npm/${name.replace("@", "%40")}@${version}`;
const licensesOf = (license: string): object[] => [/[ ()]/.test(license) ? { expression: license } : { license: { id: license } }];

/** The versions of Node, of its components and of two of its interfaces, by their names: `process.versions`. */
type Runtime = NodeJS.ProcessVersions;

/** The document. A runtime, if given, is shipped too. Throws if package-lock.json lacks a package. */
export function sbom(shipped: Shipped, packages: readonly BundledPackage[], runtime: Runtime | undefined): object {
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8")).packages as Lock;
  const byPath = new Map(packages.map((each) => [lockPath(each.directory), each]));
  const root = purl(shipped.name, shipped.version);
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      lifecycles: [{ phase: "build" }],
      component: {
        "bom-ref": root,
        type: "application",
        name: shipped.name,
        version: shipped.version,
        licenses: licensesOf(shipped.license),
        purl: root,
      },
    },
    components: [
      ...(runtime === undefined ? [] : [nodeComponent(runtime)]),
      ...[...byPath].map(([path, { name, version, license }]) => ({
        "bom-ref": purl(name, version),
        type: "library",
        name,
        version,
        scope: "required",
        hashes: [{ alg: "SHA-512", content: sha512(lock, path) }],
        licenses: licensesOf(license),
        purl: purl(name, version),
      })),
    ],
    dependencies: [
      { ref: root, dependsOn: neededBy(lock, byPath, "") },
      ...[...byPath].map(([path, { name, version }]) => ({ ref: purl(name, version), dependsOn: neededBy(lock, byPath, path) })),
    ],
  };
}

function nodeComponent({ node, modules, napi, ...parts }: Runtime): object {
  const component = (type: string, name: string, version: string) => ({
    "bom-ref": `pkg:generic/${name}@${version}`,
    type,
    name,
    version,
    purl: `pkg:generic/${name}@${version}`,
  });
  return {
    ...component("platform", "node", node),
    licenses: licensesOf("MIT"),
    // Their licences are part of Node's own.
    components: Object.entries(parts).map(([name, version = ""]) => component("library", name, version)),
  };
}

const lockPath = (directory: string): string => directory.slice(directory.indexOf("node_modules/"));

function sha512(lock: Lock, path: string): string {
  const [, base64] = /^sha512-(\S+)$/.exec(lock[path]?.integrity ?? "") ?? [];
  if (base64 === undefined) {
    throw new Error(`package-lock.json has no SHA-512 of ${path}.`);
  }
  return Buffer.from(base64, "base64").toString("hex");
}

// The shipped dependencies of the package at the path. For the root, whose path is empty, they include development dependencies: the pages
// are built from those.
function neededBy(lock: Lock, byPath: ReadonlyMap<string, BundledPackage>, path: string): readonly string[] {
  const { dependencies, optionalDependencies, peerDependencies, ...rest } = lock[path] ?? {};
  const { devDependencies } = (path === "" ? rest : {}) as { devDependencies?: Readonly<Record<string, string>> };
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies, ...devDependencies });
  const needed = names.flatMap((name) => byPath.get(resolved(lock, path, name)) ?? []);
  return needed.map(({ name, version }) => purl(name, version)).toSorted();
}

// As Node looks for it: in the package's own node_modules, then in those of the folders above.
function resolved(lock: Lock, from: string, name: string): string {
  const own = `${from === "" ? "" : `${from}/`}node_modules/${name}`;
  const above = from.lastIndexOf("/node_modules/");
  return own in lock || from === "" ? own : resolved(lock, above === -1 ? "" : from.slice(0, above), name);
}
