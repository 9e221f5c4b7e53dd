// Finds the npm packages whose code is in a bundle. They are shipped, so the SBOM and the licences must list them.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** A package whose code or data is shipped. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression, such as `MIT`. */
  readonly license: string;
  readonly author: string | undefined;
  /** Where it is installed. */
  readonly directory: string;
}

/** What Rolldown and Vite report about a file that they wrote. */
type BundleFile =
  | { readonly type: "asset"; readonly originalFileNames: readonly string[] }
  | { readonly type: "chunk"; readonly modules: Readonly<Record<string, unknown>> };

const require = createRequire(import.meta.url);

/** The directories of the packages whose modules or data, such as a font, are in these files of a bundle. */
export function packageDirectories(outputs: readonly BundleFile[]): readonly string[] {
  const ids = outputs.flatMap((output) => (output.type === "chunk" ? Object.keys(output.modules) : output.originalFileNames));
  return [...new Set(ids.flatMap((id) => directoryOf(id) ?? []))].toSorted();
}

// The module's package; for code that a bundler adds, such as `\0rolldown/runtime.js`, the bundler. Undefined for our own modules.
function directoryOf(id: string): string | undefined {
  const [, installed] = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id) ?? [];
  const [, bundler] = /^\0(rolldown|vite)\//.exec(id) ?? [];
  return installed ?? (bundler && packageDirectory(bundler));
}

/** Where a package is installed. */
export const packageDirectory = (name: string): string => dirname(require.resolve(`${name}/package.json`));

/** The packages in these directories, by name and version. Throws if one does not declare its licence. */
export function readPackages(directories: Iterable<string>): readonly BundledPackage[] {
  return [...new Set(directories)]
    .map(readPackage)
    .toSorted((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
}

function readPackage(directory: string): BundledPackage {
  const { name, version, license, author } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
  if (typeof license !== "string") {
    throw new Error(`${directory}/package.json does not declare its licence.`);
  }
  return { name, version, license, author: typeof author === "string" ? author : author?.name, directory };
}
