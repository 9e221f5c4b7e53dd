// Reads which file imports which, and which module each file belongs to.
import { globSync, readFileSync } from "node:fs";
import { posix } from "node:path";

/**
 * File → the files that it imports, by paths from the repository's root. One of our own packages is its `src/index.ts`. Other packages and
 * Node's own modules are left out.
 */
export type Imports = ReadonlyMap<string, readonly string[]>;

// `import … from "./x.ts"`, `export … from "./x.ts"`, `import "./x.ts"`, `import("./x.ts")`.
const SPECIFIER = /\b(?:from|import)\s*\(?\s*"(?:@quintet\/(\w+)|(\.{1,2}\/[^"]+))"/g;

/** The relative imports of one source text, and those of our own packages. */
export function importsOf(path: string, source: string): readonly string[] {
  return Array.from(source.matchAll(SPECIFIER), ([, name, specifier = ""]) =>
    name === undefined ? posix.normalize(posix.join(posix.dirname(path), specifier)) : `packages/${name}/src/index.ts`,
  );
}

/** The imports of every source file below a folder. */
export function readImports(folder: string): Imports {
  const paths = globSync(`${folder}/**/*.{ts,tsx,js}`).toSorted();
  return new Map(paths.map((path) => [path, importsOf(path, readFileSync(path, "utf8"))]));
}

/**
 * The module of a source file, according to the diagram of `folder`: the folder below `folder` that it is in. A file directly in `src/` or
 * `portal/` is a separate module; files directly in a module's folder belong to the module of that name. The package
 * `guard` is the module `packages-guard` of `src`.
 */
export function moduleOf(path: string, folder = "src"): string {
  const [, ownPackage] = /^packages\/([^/]+)\//.exec(path) ?? [];
  if (ownPackage !== undefined) {
    return `packages-${ownPackage}`;
  }
  const [first = "", ...rest] = path.slice(folder.length + 1).split("/");
  if (rest.length > 0) {
    return first;
  }
  return folder.includes("/") ? posix.basename(folder) : first.replace(/\.[a-z]+$/, "");
}
