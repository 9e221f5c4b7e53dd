// What a check of `quintet doctor` has found.

/** How it stands: `ok`; `warn` for what works and should be looked after; `fail` for what does not work. */
type FindingState = "ok" | "warn" | "fail";

/** One line of the report. */
export interface Finding {
  readonly state: FindingState;
  /** What was looked at, such as `database`. */
  readonly subject: string;
  /** What is so, in one sentence without its full stop. */
  readonly message: string;
  /** What to do; undefined where nothing is to be done. */
  readonly advice?: string;
}

/** A finding that is well. */
export const ok = (subject: string, message: string): Finding => ({ state: "ok", subject, message });

/** A finding to look after. */
export const warn = (subject: string, message: string, advice: string): Finding => ({ state: "warn", subject, message, advice });

/** A finding that does not work. */
export const fail = (subject: string, message: string, advice: string): Finding => ({ state: "fail", subject, message, advice });

/** What an error says; a code where it has no words. */
export const reasonOf = (error: unknown): string => {
  const { message = "", code = "", cause } = error as { message?: string; code?: string; cause?: unknown };
  return cause instanceof Error ? reasonOf(cause) : message || code || String(error);
};
