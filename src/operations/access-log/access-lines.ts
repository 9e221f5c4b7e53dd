// Writes the lines of the access log, one for each call, in the worker that served it. Of the caller's input, a line contains only what has
// a known form: the method's name instead of the path, and a request id that is a UUID. So no key, cookie or password can get into the log.
// Lines are passed on every tenth of a second. Their number per second is bounded; beyond that, a line says how many calls were left out.
import type { CallObserver, ObservedCall } from "../../gateway/call-observer.ts";
import { CODE_NAMES } from "../../problem/code.ts";
import { REASONS, type Reason } from "../../problem/reason.ts";
import type { Clock } from "../../runtime/clock.ts";

interface AccessLinesOptions {
  /** The most lines per second. */
  readonly linesPerSecondMax: number;
  /** Accepts whole lines. Must not wait for anything. */
  readonly write: (lines: string) => void;
  readonly clock: Clock;
}

/** The access log of one worker. */
export interface AccessLines extends CallObserver {
  /** Passes on the lines that are still pending. */
  flush(): void;
}

const FLUSH_EVERY_MS = 100;
const SECOND_MS = 1000;

export function createAccessLines({ linesPerSecondMax, write, clock }: AccessLinesOptions): AccessLines {
  let lines = "";
  let secondStartedMs = Number.NEGATIVE_INFINITY;
  let linesInSecond = 0;
  let omitted = 0;
  let cancelFlush: (() => void) | undefined;

  const isoNow = (): string => new Date(clock.nowMs()).toISOString();

  const add = (line: string): void => {
    lines += line;
    cancelFlush ??= clock.after(FLUSH_EVERY_MS, flush);
  };

  const reportOmitted = (): void => {
    if (omitted > 0) {
      lines += `${JSON.stringify({ time: isoNow(), omitted })}\n`;
      omitted = 0;
    }
  };

  const beginSecond = (nowMs: number): void => {
    if (nowMs - secondStartedMs >= SECOND_MS) {
      secondStartedMs = nowMs;
      linesInSecond = 0;
      reportOmitted();
    }
  };

  const flush = (): void => {
    cancelFlush?.();
    cancelFlush = undefined;
    beginSecond(clock.monotonicMs());
    if (lines !== "") {
      write(lines);
      lines = "";
    }
    // The last calls in the second may be among those that were left out.
    if (omitted > 0) {
      cancelFlush = clock.after(FLUSH_EVERY_MS, flush);
    }
  };

  return {
    started() {},
    ended(call, outcome) {
      const nowMs = clock.monotonicMs();
      beginSecond(nowMs);
      if (linesInSecond < linesPerSecondMax) {
        linesInSecond += 1;
        add(lineOf(call, outcome, { time: isoNow(), durationMs: nowMs - call.startedMs }));
      } else {
        omitted += 1;
        cancelFlush ??= clock.after(FLUSH_EVERY_MS, flush);
      }
    },
    flush() {
      reportOmitted();
      flush();
    },
  };
}

function lineOf(
  { exchange, protocolName, method, identity }: ObservedCall,
  outcome: "OK" | Reason,
  { time, durationMs }: { readonly time: string; readonly durationMs: number },
): string {
  return `${JSON.stringify({
    time,
    method: method?.fullName ?? null,
    protocol: protocolName,
    // No status was sent if the caller disconnected first.
    status: exchange.status === 0 ? null : exchange.status,
    code: outcome === "OK" ? "ok" : CODE_NAMES[REASONS[outcome].code],
    reason: outcome,
    duration_ms: Math.round(durationMs * 1000) / 1000,
    request_bytes: exchange.requestBodyBytes,
    response_bytes: exchange.responseBodyBytes,
    account: identity?.accountId ?? null,
    key_last_four: identity?.keyLastFour ?? null,
    request_id: exchange.requestId,
  })}\n`;
}
