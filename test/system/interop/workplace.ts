// Where an example is built and run as a newcomer would: a separate folder in build/ with its files and the protos from git. It keeps the
// output of the example's tools, so that the next run is quick.
import { execFile, execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { ROOT } from "../../fixtures/root.ts";
import { SHORT_JAVA } from "../../fixtures/short-java.ts";
import { examplesOf } from "../docs/examples.ts";

/** The parts of the project that an example uses. */
const USED = ["buf.yaml", "package.json", "proto", "third_party", "test/proto", "gen/quintet.binpb"];
/** A cold build of the largest takes two minutes. */
const SETUP_MS_MAX = 900_000;
const CALL = /^(?<start>.*\S) price coingecko:bitcoin$/;

// The programs run for a moment, and are built once: nobody debugs them, or builds them again after a change.
const QUICK_BUILDS = {
  CARGO_PROFILE_DEV_DEBUG: "0",
  CARGO_INCREMENTAL: "0",
  MAVEN_OPTS: SHORT_JAVA,
  // Of the modules that pip installs, Python compiles only those that it imports. Zero stands for "no": pip reads it as the value of "compile".
  PIP_NO_COMPILE: "0",
};

/** Serves a page until it is stopped; the tests serve it themselves. */
const SERVES = "npm start\n";

/** One example program, as its README starts it. */
export interface Program {
  /** The part of the command before `price`. */
  readonly start: string;
  /** Short, for the table. */
  readonly name: string;
}

/** A README's commands. */
export interface Readme {
  /** The blocks before the first call. */
  readonly setup: readonly string[];
  readonly programs: readonly Program[];
  /** The blocks that are shown with their output. */
  readonly shown: readonly { readonly command: string; readonly language: string; readonly response: string }[];
}

/** Reads `examples/FOLDER/README.md`. */
export function readReadme(folder: string): Readme {
  const blocks = examplesOf(readFileSync(join(ROOT, "examples", folder, "README.md"), "utf8"));
  const isCall = (text: string): boolean => text.split("\n").some((line) => CALL.test(line));
  const first = blocks.findIndex(({ text }) => isCall(text) || text === SERVES);
  const starts = blocks.flatMap(({ text }) => text.split("\n").flatMap((line) => CALL.exec(line)?.groups?.start ?? []));
  return {
    setup: blocks.slice(0, first).map(({ text }) => text),
    programs: starts.map((start) => ({ start, name: start.split(/[\s/]+/).at(-1) ?? "" })),
    shown: blocks.flatMap(({ text, response }) =>
      response === undefined ? [] : [{ command: text, language: response.language, response: response.text }],
    ),
  };
}

/** A copy of an example. */
export interface Workplace {
  /** The example's own folder in the copy. */
  readonly folder: string;
  /**
   * Runs blocks of a README in one shell after another, each with the variables that the previous one has exported. Rejects with the output
   * if one fails.
   */
  run(blocks: readonly string[]): Promise<string>;
  /** What the blocks have exported so far. */
  readonly environment: Environment;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Copies an example, to be run against the server at `origin`. `key` is where the sandbox keeps its own: `data/sandbox/demo-key`. */
export function makeWorkplace(folder: string, { origin, key }: { origin: string; key: string }): Workplace {
  const root = join(ROOT, "build/interop", folder);
  const place = join(root, "examples", folder);
  copyExample(folder, root);
  mkdirSync(join(root, "data/sandbox"), { recursive: true });
  writeFileSync(join(root, "data/sandbox/demo-key"), key);
  const exported = join(root, "data/exported");
  let environment: Environment = {
    ...process.env,
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    FORCE_COLOR: undefined,
    ...QUICK_BUILDS,
    QUINTET_URL: origin,
  };
  const runBlock = (block: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const script = `set -e\n${block.replaceAll("127.0.0.1:8080", new URL(origin).host)}env -0 >'${exported}'\n`;
      const options = { cwd: place, env: environment, timeout: SETUP_MS_MAX, maxBuffer: 64 * 1024 * 1024 };
      execFile("sh", ["-c", script], options, (error, out, err) => {
        if (error !== null) {
          reject(new Error(`a command of examples/${folder}/README.md failed:\n${block}\n${out}${err}`, { cause: error }));
          return;
        }
        environment = readEnvironment(readFileSync(exported, "utf8"));
        resolve(out + err);
      });
    });
  return {
    folder: place,
    get environment() {
      return environment;
    },
    async run(blocks) {
      let printed = "";
      for (const block of blocks) {
        printed += await runBlock(block);
      }
      return printed;
    },
  };
}

// What git tracks or would track; files that tools made there earlier stay.
function copyExample(folder: string, root: string): void {
  for (const path of USED) {
    rmSync(join(root, path), { recursive: true, force: true });
    cpSync(join(ROOT, path), join(root, path), { recursive: true, preserveTimestamps: true });
  }
  const list = ["ls-files", "--cached", "--others", "--exclude-standard", `examples/${folder}`];
  const files = execFileSync("git", list, { cwd: ROOT, encoding: "utf8" }).split("\n");
  for (const path of files.filter((file) => file !== "" && existsSync(join(ROOT, file)))) {
    cpSync(join(ROOT, path), join(root, path), { preserveTimestamps: true });
  }
  if (!existsSync(join(root, "node_modules"))) {
    symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  }
}

const readEnvironment = (text: string): Environment =>
  Object.fromEntries(
    text
      .split("\0")
      .filter((pair) => pair !== "")
      .map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
  );
