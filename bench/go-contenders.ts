// Builds the contenders in Go and the load generator. Needs Go 1.26 or newer on the PATH.
import { execFileSync } from "node:child_process";
import { join } from "node:path";

const NAMES = ["grpc-go", "connect-go", "grpc-gateway"] as const;
const OUT = "build/bench-go";

/** The program that sends the load. */
export const LOAD_PROGRAM = join(OUT, "load");

/** Their names and the paths of their programs. */
export const GO_CONTENDERS: readonly (readonly [(typeof NAMES)[number], string])[] = build();

function build(): readonly (readonly [(typeof NAMES)[number], string])[] {
  const run = (command: string, args: readonly string[], cwd?: string): void => {
    execFileSync(command, args, { stdio: ["ignore", "ignore", "inherit"], cwd });
  };
  run("node_modules/.bin/buf", ["generate", "--template", "bench/go/buf.gen.yaml"]);
  const packages = [...NAMES, "load"].map((name) => `./${name}`);
  run("go", ["build", "-mod=readonly", "-o", `${join(process.cwd(), OUT)}/`, ...packages], "bench/go");
  return NAMES.map((name) => [name, join(OUT, name)]);
}
