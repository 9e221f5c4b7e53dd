// What a check of `quintet doctor` has found.

/** The state: `ok`; `warn` if it works but needs attention; `fail` if it does not work. */
type FindingState = "ok" | "warn" | "fail";

/** One line of the report. */
export interface Finding {
  readonly state: FindingState;
  /** What was checked, such as `database`. */
  readonly subject: string;
  /** The fact, as one sentence without its full stop. */
  readonly message: string;
  /** What to do; undefined if there is nothing to do. */
  readonly advice?: string;
}

export const ok = (subject: string, message: string): Finding => ({ state: "ok", subject, message });

/** A finding that needs attention. */
export const warn = (subject: string, message: string, advice: string): Finding => ({ state: "warn", subject, message, advice });

/** A finding that something does not work. */
export const fail = (subject: string, message: string, advice: string): Finding => ({ state: "fail", subject, message, advice });

/** The message of an error, or its code if it has no message. Without a full stop, and without the script that Redis says it is of. */
export const reasonOf = (error: unknown): string => {
  const { message = "", code = "", cause } = error as { message?: string; code?: string; cause?: unknown };
  return cause instanceof Error ? reasonOf(cause) : message.replace(/( script: \w+, on @\S+)?\.?$/, "") || code || String(error);
};
