// The command-line options of a contender on Node.
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

/** The files of a certificate and its key, if TLS is used. */
export const tlsFiles = values.cert && values.key ? { cert: values.cert, key: values.key } : undefined;

/** The contents of these files. */
export const tlsContents = tlsFiles && { cert: readFileSync(tlsFiles.cert), key: readFileSync(tlsFiles.key) };

/** The port of the radio directory. */
export const directoryPort = values.directory;

/** How many threads serve. */
export const threads = values.threads ?? "1";

/** Further environment variables, each as `--set NAME=VALUE`. */
export const variables: Readonly<Record<string, string>> = Object.fromEntries(
  values.set.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
);

/** Whether usage and refusals are not counted. */
export const isUncounted = values.uncounted;

/** Which of several servers the file runs as. */
export const which = positionals[0];
