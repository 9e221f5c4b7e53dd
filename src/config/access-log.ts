// Reads whether there is an access log, and where it is written.
import { closeSync, openSync } from "node:fs";
import type { Environment } from "./environment.ts";

export interface AccessLogConfig {
  /** A file's path; undefined for standard output. */
  readonly path: string | undefined;
}

const VARIABLE = "QUINTET_ACCESS_LOG";
const STANDARD_OUTPUT = "stdout";

/** Reads QUINTET_ACCESS_LOG; undefined if there is no access log. */
export function readAccessLogConfig(environment: Environment): AccessLogConfig | undefined {
  const destination = environment.optionalText(
    VARIABLE,
    "Where a line is written for each call: `stdout`, or the path of a file to append to. If not set, there is no access log.",
  );
  if (destination === undefined) {
    return undefined;
  }
  if (destination === STANDARD_OUTPUT) {
    return { path: undefined };
  }
  try {
    // Creates the file, as the log would.
    closeSync(openSync(destination, "a", 0o640));
  } catch (thrown) {
    environment.fault(VARIABLE, `names "${destination}", which cannot be written (${(thrown as NodeJS.ErrnoException).code})`);
  }
  return { path: destination };
}
