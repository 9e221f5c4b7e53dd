// Bundles the program into a folder for production: Node then reads a few dozen files instead of 1,100, and strips no types.
import { rmSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import { type Plugin, rolldown } from "rolldown";
import { packageDirectories } from "./bundled-packages.ts";

const SOURCES = resolve("src") + sep;

// A module finds files by its own path: those of gen/, plans/ and build/, and start.js for its threads. So each reports the same path in
// dist/ as its source has in src/.
const ownPlaces: Plugin = {
  name: "own-places",
  transform: {
    filter: { code: /\bimport\.meta\.(?:url|dirname)\b/ },
    handler(code, id) {
      if (!id.startsWith(SOURCES)) {
        return undefined;
      }
      const path = relative(SOURCES, id);
      return code
        .replaceAll(/\bimport\.meta\.url\b/g, `new URL(${JSON.stringify(`./${path}`)}, import.meta.url).href`)
        .replaceAll(/\bimport\.meta\.dirname\b/g, `(import.meta.dirname + ${JSON.stringify(`/${dirname(path)}`)})`);
    },
  },
};

// V8 stores a source with one character outside latin1 at two bytes per character: three chunks would take 3 MB more in each thread.
const ascii: Plugin = {
  name: "ascii",
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type === "chunk") {
        chunk.code = chunk.code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
      }
    }
  },
};

/**
 * Builds the bundle in `folder`, which it empties first. Returns the directories of the packages that are in it. `more` are other files
 * that Node may start with, by the names that they get in the bundle.
 */
export async function bundleServer(folder: string, more: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  rmSync(folder, { recursive: true, force: true });
  const bundle = await rolldown({
    input: { start: "src/start.js", ...more },
    platform: "node",
    // Optional imports of pg that are not used.
    external: ["pg-native", "cloudflare:sockets"],
    plugins: [ownPlaces, ascii],
  });
  const { output } = await bundle.write({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    comments: { legal: true, annotation: false, jsdoc: false },
  });
  await bundle.close();
  return packageDirectories(output);
}
