// What a contender on Node is told on its command line.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  options: {
    cert: { type: "string" },
    key: { type: "string" },
    directory: { type: "string" },
    threads: { type: "string" },
    set: { type: "string", multiple: true, default: [] },
    uncounted: { type: "boolean", default: false },
  },
  allowPositionals: true,
});

/** The files of a certificate and its key, where TLS is to be spoken. */
export const tlsFiles = values.cert && values.key ? { cert: values.cert, key: values.key } : undefined;

/** What is in them. */
export const tlsContents = tlsFiles && { cert: readFileSync(tlsFiles.cert), key: readFileSync(tlsFiles.key) };

/** The port of the radio directory. */
export const directoryPort = values.directory;

/** How many threads serve. */
export const threads = values.threads ?? "1";

/** Variables of the environment that it is given besides, each as `--set NAME=VALUE`. */
export const variables: Readonly<Record<string, string>> = Object.fromEntries(
  values.set.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
);

/** Whether usage and refusals are to be counted by nobody. */
export const isUncounted = values.uncounted;

/** Which of several servers the file is to be. */
export const which = positionals[0];
