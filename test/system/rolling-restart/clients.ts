// The callers written in other languages: each is built into build/ with its own language's tools, if they are installed.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Found } from "../../fixtures/servers/server-process.ts";
import type { Caller } from "./caller.ts";
import { programCaller } from "./callers/program.ts";

const CLIENTS = join(import.meta.dirname, "clients");
const BUILD = join(import.meta.dirname, "../../../build/rolling-restart");

/** A language's callers. */
interface Language {
  /** The tool that builds them, or why they cannot be built. */
  readonly tool: Found;
  /** Builds them. Throws if that fails. */
  build(): readonly Caller[];
}

function tool(name: string): Found {
  return spawnSync("which", [name]).status === 0 ? { path: name } : { missing: `\`${name}\` is not on the PATH` };
}

function run(cwd: string, command: string, ...args: readonly string[]): void {
  mkdirSync(BUILD, { recursive: true });
  execFileSync(command, [...args], { cwd: join(CLIENTS, cwd), stdio: ["ignore", "ignore", "pipe"] });
}

/** grpc-go, and Go's own HTTP client. */
const go: Language = {
  tool: tool("go"),
  build() {
    const program = join(BUILD, "go");
    run("go", "go", "build", "-mod=readonly", "-o", program, ".");
    return [programCaller("grpc-go", [program, "grpc"]), programCaller("Go, net/http", [program, "http"])];
  },
};

const java: Language = {
  tool: tool("mvn"),
  build() {
    const [jars, classes] = [join(BUILD, "java/jars"), join(BUILD, "java/classes")];
    run("java", "mvn", "-q", "-B", "dependency:copy-dependencies", `-DoutputDirectory=${jars}`);
    run("java", "javac", "-d", classes, "-cp", `${jars}/*`, "RollingRestart.java");
    return [programCaller("grpc-java", ["java", "-cp", `${classes}:${jars}/*`, "RollingRestart"])];
  },
};

const python: Language = {
  tool: tool("python3"),
  build() {
    const folder = join(BUILD, "python");
    if (!existsSync(folder)) {
      run("python", "python3", "-m", "venv", folder);
    }
    run("python", join(folder, "bin/pip"), "install", "-q", "-r", "requirements.txt");
    const command = [join(folder, "bin/python"), join(CLIENTS, "python/main.py")] as const;
    return [programCaller("grpcio", [...command, "sync"]), programCaller("grpcio, aio", [...command, "aio"])];
  },
};

const rust: Language = {
  tool: tool("cargo"),
  build() {
    const folder = join(BUILD, "rust");
    run("rust", "cargo", "build", "-q", "--release", "--locked", "--target-dir", folder);
    return [programCaller("tonic", [join(folder, "release/rolling-restart")])];
  },
};

/** All of them. */
export const LANGUAGES: readonly Language[] = [go, java, python, rust];
