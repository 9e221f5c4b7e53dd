// The protos as an archive: a workspace that buf and protoc can use as it is. Its bytes depend on its files alone.
import { globSync, readFileSync } from "node:fs";
import { type Zippable, zipSync } from "fflate";

// As /openapi.json, it is for customers, and anybody may read it.
const WITHOUT = "proto/quintet/operator";
const FILES = ["LICENSE", "proto/**/*.{proto,md,yaml}", "third_party/**/*.{proto,md}", "third_party/**/LICENSE*"];

// A registry accepts only named modules that depend on named modules.
const BUF_YAML = `version: v2
modules:
  # These names are placeholders: nobody can own registry.example. To push the modules, put in your registry and organisation.
  - path: proto
    name: registry.example/quintet/protos
  # What they import, as their authors published it.
  - path: third_party
    name: registry.example/quintet/third-party
lint:
  use: [STANDARD]
  ignore: [third_party]
`;

// A zip has local times without a zone, and none before 1980.
const MTIME = new Date(1980, 0, 1);
const REGULAR_FILE = 0o100644;
const UNIX = 3;

export function protoArchive(): Uint8Array {
  const paths = globSync(FILES, { exclude: [WITHOUT] }).toSorted();
  const files = paths.map((path): [string, Uint8Array] => [path, readFileSync(path)]);
  const all: Zippable = Object.fromEntries([["buf.yaml", Buffer.from(BUF_YAML)], ...files]);
  return zipSync(all, { level: 9, mtime: MTIME, os: UNIX, attrs: REGULAR_FILE << 16 });
}
