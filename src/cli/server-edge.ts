// What the commands that start a server get from the process. It is passed in, so that tests can stop a server without a signal.
import type { CommandEdge } from "./context.ts";

/** What a server gets from the process. */
export interface ServerEdge extends CommandEdge {
  /** How many threads the machine can run at once. */
  readonly cores: number;
  /** Resolves when the server is told to stop. */
  readonly untilStopped: () => Promise<void>;
  /** Runs the callback for each uncaught error. The process continues if the callback returns true, and otherwise exits with 1. */
  readonly onUncaught: (isContained: (error: unknown) => boolean) => void;
  /** Runs the callback when the server is told to reload its files. */
  readonly onReload: (callback: () => void) => void;
}
