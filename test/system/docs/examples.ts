// The examples of a page: its `sh` and `ts` blocks, each with the response that is shown right under it, and how they are run as a reader
// would run them: in one shell, from top to bottom, in the project's own directory.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { START } from "../../fixtures/program.ts";
import { ROOT } from "../../fixtures/root.ts";
import { withSteadyOrigins } from "../../fixtures/sandbox-origins.ts";
import { steadyValues } from "../../fixtures/steady-values.ts";
import { jsonText } from "./json-text.ts";

/** An example and its response. */
export interface Example {
  readonly language: "sh" | "ts";
  readonly text: string;
  /** The response shown under it: the whole block, its language and its text. */
  readonly response: { readonly block: string; readonly language: string; readonly text: string } | undefined;
}

const EXAMPLE = /^```(sh|ts)\n(.*?)^```\n(?:\n(```(json|jsonc|text)\n(.*?)^```\n))?/gms;

/** All examples of a page, in order. */
export function examplesOf(page: string): readonly Example[] {
  return Array.from(page.matchAll(EXAMPLE), ([, language, text = "", block, responseLanguage = "", response = ""]) => ({
    language: language === "ts" ? "ts" : "sh",
    text,
    response: block === undefined ? undefined : { block, language: responseLanguage, text: response },
  }));
}

/** Where the examples are run. */
export interface Place {
  /** A separate directory for the page; it gets the project's files, and `data/sandbox`. */
  readonly directory: string;
  readonly dataDir: string;
  readonly key: string;
  readonly origin: string;
  readonly control: string;
  readonly sandbox: Sandbox;
}

/** The result of an example. */
export interface Ended {
  /** The exit code; empty if a command failed before the last one, here or in an earlier example. */
  readonly code: string;
  readonly output: string;
}

/** Runs examples one after another in one shell. Rejects when they take longer than `withinMs` together. */
export async function run(examples: readonly Example[], place: Place, withinMs: number): Promise<readonly Ended[]> {
  const { directory, dataDir, key } = place;
  for (const name of readdirSync(ROOT).filter((one) => one !== "data" && one !== ".git")) {
    symlinkSync(join(ROOT, name), join(directory, name));
  }
  mkdirSync(join(directory, "data"));
  symlinkSync(dataDir, join(directory, "data", "sandbox"));
  const steps = examples.map((example, index) => {
    const file = join(directory, `example-${index}.${example.language}`);
    writeFileSync(file, here(example.text, place));
    const noted = `>${file}.out 2>&1; echo $? >${file}.code`;
    if (example.language === "ts") {
      return `node ${file} ${noted}`;
    }
    // Any command may fail, not only the last. A watched stream ends with its own exit code.
    return isWatched(example) ? `. ${file} ${noted}` : `set -e; . ${file} ${noted}; set +e`;
  });
  const script = join(directory, "examples.sh");
  writeFileSync(script, `${steps.join("\n")}\n`);
  await new Promise<void>((resolve, reject) => {
    const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: directory, KEY: key };
    execFile("sh", [script], { cwd: directory, env, timeout: withinMs }, (error) => (error?.killed ? reject(error) : resolve()));
  });
  return examples.map(({ language }, index) => {
    const file = join(directory, `example-${index}.${language}`);
    return { code: read(`${file}.code`), output: read(`${file}.out`) };
  });
}

const read = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8").trimEnd() : "");

/** Whether an example watches a stream for a given time. */
const isWatched = ({ text }: Example): boolean => /--max-time|--timeout/.test(text);

// Uses the sandbox's own addresses, watches streams for a shorter time, and leaves out npm, which only adds time.
const here = (text: string, { origin, control }: Place): string =>
  text
    .replaceAll("http://127.0.0.1:8080", origin)
    .replaceAll("http://127.0.0.1:8081", control)
    .replaceAll("--max-time 20", "--max-time 3")
    .replaceAll("--timeout 20s", "--timeout 3s")
    .replaceAll("npm run -s quintet --", `node ${START}`);

/** What an example printed, as its page shows it. */
export function shown(example: Example, output: string, { origin, control, sandbox }: Place): string {
  const plain = withSteadyOrigins(output, sandbox)
    .replaceAll(origin, "http://127.0.0.1:8080")
    .replaceAll(control, "http://127.0.0.1:8081");
  if (example.response?.language === "text") {
    return `\`\`\`text\n${steady(plain).replaceAll("\r", "").trimEnd()}\n\`\`\`\n`;
  }
  const { text, isShortened } = jsonText(JSON.parse(plain));
  return `\`\`\`${isShortened ? "jsonc" : "json"}\n${steady(text)}\n\`\`\`\n`;
}

// Makes random values the same in every run. A station's `uuid` is not random: the sandbox has the same stations at every start.
function steady(text: string): string {
  const values = steadyValues();
  return text
    .replaceAll(/(?<!uuid"?[:=] ?"?)\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, values.uuid)
    .replaceAll(/qk_(live|test)_[0-9A-Za-z]{38}/g, (given, kind) => `qk_${kind}_${values.of("key", 38)(given)}`)
    .replaceAll(/(?<="last_four": ")\w{4}/g, values.of("end", 4))
    .replaceAll(/(?<="token": ")\w{32}/g, values.of("token", 32))
    .replaceAll(/(?<="name": "ada-)[0-9a-f]{8}/g, values.of("name", 8))
    .replaceAll(/(?<=date: ).*GMT/gi, "Sat, 21 Nov 2026 12:00:00 GMT");
}
