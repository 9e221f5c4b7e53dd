// Reads which file of src/ imports which, and in which room each file is.
import { globSync, readFileSync } from "node:fs";
import { posix } from "node:path";

/** File → the files that it imports, by paths from the repository's root. Packages and Node's own modules are left out. */
export type Imports = ReadonlyMap<string, readonly string[]>;

// `import … from "./x.ts"`, `export … from "./x.ts"`, `import "./x.ts"`, `import("./x.ts")`.
const SPECIFIER = /\b(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g;

/** The relative imports of one source text. */
export function importsOf(path: string, source: string): readonly string[] {
  return Array.from(source.matchAll(SPECIFIER), ([, specifier]) =>
    posix.normalize(posix.join(posix.dirname(path), specifier as string)),
  );
}

/** The imports of every source file below a folder. */
export function readImports(folder: string): Imports {
  const paths = globSync(`${folder}/**/*.{ts,js}`).toSorted();
  return new Map(paths.map((path) => [path, importsOf(path, readFileSync(path, "utf8"))]));
}

/** The room of a source file: the folder below `src/` that it is in, or its own name where it lies in `src/` itself. */
export function roomOf(path: string): string {
  const [, first = "", ...rest] = path.split("/");
  return rest.length === 0 ? first.replace(/\.[a-z]+$/, "") : first;
}
