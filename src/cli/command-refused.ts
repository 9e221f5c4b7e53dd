// How a command says that it cannot do what it was asked.

/** A command cannot do what it was asked. The message says what to do. The exit code is 1. */
export class CommandRefused extends Error {
  override readonly name = "CommandRefused";
}
