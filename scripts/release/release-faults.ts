// Finds what prevents a tag from being released: versions in the tree that differ from it.

/** The contents of the files that contain the version. */
export interface ReleaseFiles {
  readonly packageJson: string;
  /** Those of `packages/`, by their paths. */
  readonly packages: Readonly<Record<string, string>>;
  readonly packageLock: string;
  readonly chart: string;
  readonly changelog: string;
}

const TAG = /^v(\d+\.\d+\.\d+)$/;
const RELEASED = /^(\d+\.\d+\.\d+) – \d{4}-\d\d-\d\d$/;

/** The faults, each as a sentence that says where it is. Empty if `tag`, such as `v0.1.0`, may be released. */
export function releaseFaults(tag: string, files: ReleaseFiles): readonly string[] {
  const version = TAG.exec(tag)?.[1];
  if (version === undefined) {
    return [`The tag is ${JSON.stringify(tag)}; it must look like v0.1.0.`];
  }
  const versions = [
    ["version in package.json", JSON.parse(files.packageJson).version],
    ...Object.entries(files.packages).map(([path, text]) => [`version in ${path}`, JSON.parse(text).version]),
    ["version in package-lock.json", JSON.parse(files.packageLock).version],
    ["version in Chart.yaml", fieldOf(files.chart, "version")],
    ["appVersion in Chart.yaml", fieldOf(files.chart, "appVersion")],
  ];
  const differing = versions
    .filter(([, found]) => found !== version)
    .map(([where, found]) => `${where} is ${found}, not ${version}.`);
  const section = /^## (.+)$/m.exec(files.changelog)?.[1] ?? "";
  return RELEASED.exec(section)?.[1] === version
    ? differing
    : [...differing, `The top section of CHANGELOG.md is "${section}"; it must look like "${version} – 2026-12-01".`];
}

const fieldOf = (yaml: string, name: string): string | undefined => new RegExp(`^${name}: (\\S+)$`, "m").exec(yaml)?.[1];
