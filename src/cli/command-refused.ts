// The error of a command that cannot be carried out.
import type { ExitName } from "./exit-codes.ts";

/** A command cannot be carried out. The message says what to do; `exit` is the kind of failure. */
export class CommandRefused extends Error {
  override readonly name = "CommandRefused";
  readonly exit: ExitName;

  constructor(exit: ExitName, message: string) {
    super(message);
    this.exit = exit;
  }
}
