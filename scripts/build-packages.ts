// `npm run build:packages`: builds each package of packages/ in a folder of build/packages, ready for `npm pack` or `npm publish`. Here
// they are run as TypeScript; Node strips no types under node_modules, so JavaScript and declarations are published.
import { execFileSync } from "node:child_process";
import { cpSync, globSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const OPTIONS = ["--module", "nodenext", "--target", "es2024", "--lib", "esnext", "--types", "node", "--strict", "--skipLibCheck"];

const out = resolve(process.argv[2] ?? "build/packages");
rmSync(out, { recursive: true, force: true });
for (const name of readdirSync("packages")) {
  const folder = join(out, name);
  const emitted = ["--rootDir", join("packages", name, "src"), "--outDir", join(folder, "dist"), "--declaration"];
  const sources = ["--rewriteRelativeImportExtensions", "--erasableSyntaxOnly", join("packages", name, "src/index.ts")];
  execFileSync("node_modules/.bin/tsc", ["--ignoreConfig", ...OPTIONS, ...emitted, ...sources], { stdio: "inherit" });
  // TypeScript leaves the extensions in declarations as they are.
  for (const file of globSync("**/*.d.ts", { cwd: join(folder, "dist") })) {
    const path = join(folder, "dist", file);
    writeFileSync(path, readFileSync(path, "utf8").replaceAll(/(?<=from "\.[^"]*)\.ts"/g, '.js"'));
  }
  const { exports: _, scripts: __, ...manifest } = JSON.parse(readFileSync(join("packages", name, "package.json"), "utf8"));
  const published = {
    ...manifest,
    exports: { types: "./dist/index.d.ts", default: "./dist/index.js" },
    files: ["dist"],
    publishConfig: { access: "public", provenance: true },
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(published, undefined, 2)}\n`);
  cpSync(join("packages", name, "README.md"), join(folder, "README.md"));
  cpSync("LICENSE", join(folder, "LICENSE"));
}
