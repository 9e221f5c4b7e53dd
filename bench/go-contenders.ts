// Builds the contenders in Go, where there is a Go to build them with: 1.26 or newer on the PATH.
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";

const NAMES = ["grpc-go", "connect-go", "grpc-gateway"] as const;
const OUT = "build/bench-go";

/** Their names and the paths of their programs; none without Go. */
export const GO_CONTENDERS: readonly (readonly [(typeof NAMES)[number], string])[] =
  spawnSync("go", ["version"]).status === 0 ? build() : [];

function build(): readonly (readonly [(typeof NAMES)[number], string])[] {
  const run = (command: string, args: readonly string[], cwd?: string): void => {
    execFileSync(command, args, { stdio: ["ignore", "ignore", "inherit"], cwd });
  };
  run("node_modules/.bin/buf", ["generate", "--template", "bench/go/buf.gen.yaml"]);
  const packages = NAMES.map((name) => `./${name}`);
  run("go", ["build", "-mod=readonly", "-o", `${join(process.cwd(), OUT)}/`, ...packages], "bench/go");
  return NAMES.map((name) => [name, join(OUT, name)]);
}
