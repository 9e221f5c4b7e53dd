// How a contender tells the bench that it serves: one line of JSON on standard output.

/** Where a contender serves, and with which key where it asks for one. */
export interface Ready {
  readonly port: number;
  readonly key?: string;
}

/** Says so. From then on an interrupt ends the process as an exit does, so that Node writes a profile where one is taken. */
export function ready(told: Ready): void {
  process.once("SIGINT", () => process.exit(0));
  process.stdout.write(`${JSON.stringify(told)}\n`);
}
