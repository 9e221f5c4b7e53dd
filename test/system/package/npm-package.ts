// Builds the npm package, packs it and installs it into an empty folder, as `npm publish` and `npm install` would, with the Node that runs
// the tests and without a network.
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "../../fixtures/root.ts";

/** What `npm pack` reports about a tarball. */
export interface Packed {
  readonly filename: string;
  readonly integrity: string;
  /** The size of the tarball in bytes. */
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/** The PATH on which `node` is the one that runs the tests. */
export const NODE_PATH = `${dirname(process.execPath)}:${process.env.PATH}`;

const npm = (cwd: string, home: string, ...args: readonly string[]): string =>
  execFileSync("npm", ["--offline", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error", ...args], {
    cwd,
    encoding: "utf8",
    env: { PATH: NODE_PATH, HOME: home },
  });

/** Builds the package in `folder`/package and packs it into `folder`. The build also gets these variables. */
export function buildAndPack(folder: string, variables: Readonly<Record<string, string>> = {}): Packed {
  const built = join(folder, "package");
  execFileSync(process.execPath, ["scripts/build-package.ts", built], { cwd: ROOT, env: { PATH: NODE_PATH, ...variables } });
  return JSON.parse(npm(folder, folder, "pack", built, "--json"))[0];
}

/** Installs a tarball into a new folder, and returns the path of its program. */
export function install(tarball: string, folder: string): string {
  mkdirSync(folder);
  npm(folder, folder, "install", tarball);
  return join(folder, "node_modules/.bin/quintet");
}

/** Installs a tarball as `npm install --global` does, below `prefix`, and returns the path of its program. */
export function installGlobally(tarball: string, prefix: string): string {
  npm(dirname(prefix), dirname(prefix), "install", "--global", `--prefix=${prefix}`, tarball);
  return join(prefix, "bin/quintet");
}

/** What npm itself reports about everything that package-lock.json pins, as CycloneDX. */
export const npmSbom = (home: string): NpmSbom =>
  JSON.parse(npm(ROOT, home, "sbom", "--sbom-format=cyclonedx", "--package-lock-only"));

/** The parts that are compared. */
export interface NpmSbom {
  readonly components: readonly {
    readonly purl: string;
    readonly licenses: readonly object[];
    readonly hashes: readonly object[];
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}
