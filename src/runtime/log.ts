// Structured logs through pino, one line of JSON per event. Keys and secrets never reach a log: no code that logs gets one, and
// the header with the key is redacted as well.
import { type Logger, pino } from "pino";

/** What the rest of the program logs to. */
export type Log = Pick<Logger, "debug" | "info" | "warn" | "error">;

/** The process's log, on standard error. `level` is one of pino's, or `silent`. */
export function createLog(level: string): Log {
  return pino(
    { level, base: null, redact: ["headers.x-gateway-key", "headers.authorization", "headers.cookie", "key"] },
    pino.destination({ fd: 2, sync: true }),
  );
}
