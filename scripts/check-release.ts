// `node scripts/check-release.ts v0.1.0`: compares a tag with the versions in the tree before it is released. Exits with 1 if they differ.
import { globSync, readFileSync } from "node:fs";
import { releaseFaults } from "./release/release-faults.ts";

const read = (path: string): string => readFileSync(path, "utf8");
const faults = releaseFaults(process.argv[2] ?? "", {
  packageJson: read("package.json"),
  packages: Object.fromEntries(globSync("packages/*/package.json").map((path) => [path, read(path)])),
  packageLock: read("package-lock.json"),
  chart: read("deploy/helm/quintet/Chart.yaml"),
  changelog: read("CHANGELOG.md"),
});
for (const fault of faults) {
  process.stderr.write(`${fault}\n`);
}
process.exitCode = faults.length === 0 ? 0 : 1;
