// The client in TypeScript that openapi-generator makes for fetch.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../../fixtures/root.ts";
import { clientSuite } from "./client-suite.ts";
import { generateClient } from "./openapi-generator.ts";

const COMPILER = ["--ignoreConfig", "--strict", "--target", "esnext", "--module", "nodenext", "--lib", "esnext,dom,dom.iterable"];

clientSuite({
  name: "typescript-fetch",
  async build({ folder, document, run }) {
    // Names as they are on the wire, so that results can be compared as they are; imports with the file extensions that Node needs.
    const settings = ["modelPropertyNaming=original", "paramNaming=original", "importFileExtension=.js"];
    await generateClient({ target: "typescript-fetch", document, folder: join(folder, "client"), settings });
    writeFileSync(join(folder, "client/package.json"), '{ "type": "module" }');
    const types = ["--types", "node", "--typeRoots", join(ROOT, "node_modules/@types")];
    await run(join(ROOT, "node_modules/.bin/tsc"), [...COMPILER, ...types, "--outDir", "client/js", "client/index.ts"]);
    const caller = join(import.meta.dirname, "callers/typescript-fetch.ts");
    return [process.execPath, caller, join(folder, "client/js/index.js")];
  },
});
