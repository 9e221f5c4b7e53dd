// Writes the access log, in the main thread, for all workers. Writing never waits: lines that the system does not accept immediately are
// buffered up to a limit, and dropped beyond it.
import { pino } from "pino";
import type { AccessLogConfig } from "../../config/access-log.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";

export interface AccessLogFile {
  /** Adds whole lines. */
  write(lines: string): void;
  /** Reopens the file by its path, after it has been moved away. */
  reopen(): void;
  /** Writes the pending lines, and waits at most a second for that. Never rejects. */
  close(): Promise<void>;
}

const BUFFER_BYTES_MAX = 8 * 1024 * 1024;
const CLOSE_MS = 1000;
// The shortest time between two log lines about errors.
const LOG_EVERY_MS = 10_000;
const STANDARD_OUTPUT = 1;

export function openAccessLog({ path }: Pick<AccessLogConfig, "path">, clock: Clock, log: Log): AccessLogFile {
  const stream = pino.destination({
    dest: path ?? STANDARD_OUTPUT,
    sync: false,
    append: true,
    maxLength: BUFFER_BYTES_MAX,
    mode: 0o640,
  });
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  const warn = (fields: object, text: string): void => {
    const nowMs = clock.monotonicMs();
    if (nowMs - loggedAtMs >= LOG_EVERY_MS) {
      loggedAtMs = nowMs;
      log.warn(fields, text);
    }
  };
  stream.on("drop", () => warn({}, "the access log cannot be written as fast as it grows; lines are lost"));
  stream.on("error", (error: Error) => warn({ err: error }, "the access log cannot be written"));
  return {
    write: (lines) => {
      stream.write(lines);
    },
    reopen() {
      if (path !== undefined) {
        stream.reopen();
      }
    },
    async close() {
      const { promise, resolve } = Promise.withResolvers<void>();
      const cancel = clock.after(CLOSE_MS, () => {
        stream.destroy();
        resolve();
      });
      stream.once("close", resolve);
      stream.once("finish", resolve);
      stream.end();
      await promise;
      cancel();
    },
  };
}
