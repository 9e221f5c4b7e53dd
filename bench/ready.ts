// The message with which a contender reports that it is ready: one line of JSON on standard output.

/** Where a contender serves, and its keys if it requires one. */
export interface Ready {
  readonly port: number;
  readonly keys?: readonly string[];
}

/** Reports it. From then on an interrupt ends the process like an exit, so that Node writes a profile if one is recorded. */
export function ready(report: Ready): void {
  process.once("SIGINT", () => process.exit(0));
  process.stdout.write(`${JSON.stringify(report)}\n`);
}
