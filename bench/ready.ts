// How a contender tells the bench that it serves: one line of JSON on standard output.

/** Where a contender serves, and with which key where it asks for one. */
export interface Ready {
  readonly port: number;
  readonly key?: string;
}

/** Says so. */
export function ready(told: Ready): void {
  process.stdout.write(`${JSON.stringify(told)}\n`);
}
