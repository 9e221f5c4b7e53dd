// Which tests may notice a fault in a source file.
import { type Imports, readImports } from "../architecture/imports.ts";

/**
 * Source file → the tests that import it: first those in the folder of the same name, then the others, those with the fewest imports in
 * between first.
 */
export class RelatedTests {
  readonly #importers = new Map<string, string[]>();

  constructor(imports: readonly Imports[] = ["src", "test"].map((folder) => readImports(folder))) {
    for (const [file, imported] of imports.flatMap((folder) => [...folder])) {
      for (const path of imported) {
        this.#importers.set(path, [...(this.#importers.get(path) ?? []), file]);
      }
    }
  }

  /** At most `count` tests. */
  of(source: string, count: number): readonly string[] {
    const found: string[] = [];
    const seen = new Set([source]);
    // A set that grows while it is iterated: files further away are added later.
    for (const file of seen) {
      for (const importer of this.#importers.get(file) ?? []) {
        seen.add(importer);
      }
      if (file.endsWith(".test.ts")) {
        found.push(file);
      }
    }
    return found.toSorted((a, b) => commonFolders(source, b) - commonFolders(source, a)).slice(0, count);
  }
}

/** How many folders below `src` and `test` the two have in common. */
function commonFolders(source: string, test: string): number {
  const folders = test.split("/").slice(1, -1);
  const differing = folders.findIndex((folder, index) => source.split("/")[index + 1] !== folder);
  return differing === -1 ? folders.length : differing;
}
