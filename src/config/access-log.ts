// Reads whether and where there is an access log.
import { closeSync, openSync } from "node:fs";
import type { Environment } from "./environment.ts";

export interface AccessLogConfig {
  /** A file's path; undefined for standard output. */
  readonly path: string | undefined;
  /** The most lines per second, over all threads. */
  readonly linesPerSecondMax: number;
}

const TO = "QUINTET_ACCESS_LOG";
const STANDARD_OUTPUT = "stdout";

/** Reads QUINTET_ACCESS_LOG and QUINTET_ACCESS_LOG_LINES_PER_SECOND; undefined if there is no access log. */
export function readAccessLogConfig(environment: Environment): AccessLogConfig | undefined {
  const to = environment.optionalText(
    TO,
    "Where a line is written for each call: `stdout`, or the path of a file to append to. If not set, there is no access log.",
  );
  const linesPerSecondMax = environment.integer(
    "QUINTET_ACCESS_LOG_LINES_PER_SECOND",
    1000,
    { min: 1, max: 1_000_000 },
    "The most lines written to the access log per second. Calls beyond that are left out, and a line says how many.",
  );
  if (to === undefined) {
    return undefined;
  }
  if (to === STANDARD_OUTPUT) {
    return { path: undefined, linesPerSecondMax };
  }
  try {
    // Creates the file, as the log would.
    closeSync(openSync(to, "a", 0o640));
  } catch (thrown) {
    environment.fault(TO, `names "${to}", which cannot be written (${(thrown as NodeJS.ErrnoException).code})`);
  }
  return { path: to, linesPerSecondMax };
}
