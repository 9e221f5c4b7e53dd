// Builds the package.json of the published package.
import { readFileSync } from "node:fs";

/** The fields that the published package copies from the project's package.json. */
export interface Project {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly repository: object;
}

export const readProject = (): Project => JSON.parse(readFileSync("package.json", "utf8"));

/** Builds the package.json of the published package, which has no dependencies: its bundles contain what it needs. */
export function manifest({ name, version, description, license, repository }: Project, files: readonly string[]): object {
  return {
    name,
    version,
    description,
    keywords: ["api-gateway", "connect", "grpc", "grpc-web", "openapi", "quota", "rate-limit", "rest"],
    license,
    repository,
    type: "module",
    bin: { [name]: "dist/start.js" },
    files,
    engines: { node: `>=${NODE_MAJOR_MIN}` },
    // npm then signs a statement about the sources and the workflow that the package was built from.
    publishConfig: { access: "public", provenance: true },
  };
}

// Defined in start.js, because an older Node cannot load anything else.
const NODE_MAJOR_MIN = Number(/\bNODE_MAJOR_MIN = (\d+);/.exec(readFileSync("src/start.js", "utf8"))?.[1]);
