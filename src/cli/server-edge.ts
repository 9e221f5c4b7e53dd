// What the commands that serve need of the process, handed in so that tests can stop a server without a signal.
import type { CommandEdge } from "./context.ts";

/** The process's edge, for a server. */
export interface ServerEdge extends CommandEdge {
  /** How many threads the machine can run at once. */
  readonly cores: number;
  /** Resolves when the server is told to stop. */
  readonly untilStopped: () => Promise<void>;
  /** Calls back with each error that nobody has caught. The process goes on where the answer is true, and ends with 1 where not. */
  readonly onUncaught: (isContained: (error: unknown) => boolean) => void;
  /** Calls back when the server is told to read its files again. */
  readonly onReload: (callback: () => void) => void;
}
