// Where an example is built and run as a newcomer would: a folder of its own with what git has of it and of the protos, in build/, which
// keeps what the example's tools have made, so that the next run is quick.
import { execFile, execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { ROOT } from "../../fixtures/root.ts";
import { examplesOf } from "../docs/examples.ts";

/** What of the project an example uses. */
const USED = ["buf.yaml", "package.json", "proto", "third_party", "test/proto", "gen/quintet.binpb"];
/** A cold build of the largest takes two minutes. */
const SETUP_MS_MAX = 900_000;
const CALL = /^(?<start>.*\S) price coingecko:bitcoin$/;

/** One example program, as its README starts it. */
export interface Program {
  /** What stands in the command before `price`. */
  readonly start: string;
  /** Short, for the table. */
  readonly name: string;
}

/** A README's commands. */
export interface Readme {
  /** The blocks before the first call. */
  readonly setup: readonly string[];
  readonly programs: readonly Program[];
  /** The blocks that are shown with what they print. */
  readonly shown: readonly { readonly command: string; readonly answer: string }[];
}

/** Reads `examples/FOLDER/README.md`. */
export function readReadme(folder: string): Readme {
  const blocks = examplesOf(readFileSync(join(ROOT, "examples", folder, "README.md"), "utf8"));
  const isCall = (text: string): boolean => text.split("\n").some((line) => CALL.test(line));
  const first = blocks.findIndex(({ text }) => isCall(text));
  const starts = blocks.flatMap(({ text }) => text.split("\n").flatMap((line) => CALL.exec(line)?.groups?.start ?? []));
  return {
    setup: blocks.slice(0, first).map(({ text }) => text),
    programs: starts.map((start) => ({ start, name: start.split(/[\s/]+/).at(-1) ?? "" })),
    shown: blocks.flatMap(({ text, answer }) => (answer === undefined ? [] : [{ command: text, answer: answer.text }])),
  };
}

/** A copy of an example. */
export interface Workplace {
  /** The example's own folder in the copy. */
  readonly folder: string;
  /** Runs a block of the README there, with its address replaced. Rejects with what it printed when it fails. */
  run(block: string, origin: string): Promise<string>;
  /** The environment of its commands. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Copies an example. Its key is at `data/sandbox/demo-key`, where the sandbox keeps its own. */
export function makeWorkplace(folder: string, key: string): Workplace {
  const root = join(ROOT, "build/interop", folder);
  mkdirSync(join(root, "data/sandbox"), { recursive: true });
  writeFileSync(join(root, "data/sandbox/demo-key"), key);
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
  const environment = {
    ...process.env,
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    FORCE_COLOR: undefined,
  };
  const place = join(root, "examples", folder);
  return {
    folder: place,
    environment,
    run: (block, origin) =>
      new Promise((resolve, reject) => {
        const script = `set -e\n${block.replaceAll("http://127.0.0.1:8080", origin)}`;
        const options = {
          cwd: place,
          env: { ...environment, QUINTET_URL: origin, QUINTET_KEY: key },
          timeout: SETUP_MS_MAX,
          maxBuffer: 64 * 1024 * 1024,
        };
        execFile("sh", ["-c", script], options, (error, out, err) => {
          if (error === null) {
            resolve(out + err);
          } else {
            reject(new Error(`examples/${folder}: a command of the README failed:\n${script}\n${out}${err}`, { cause: error }));
          }
        });
      }),
  };
}
