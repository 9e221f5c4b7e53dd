// What differs between the databases behind the store, and nothing more: how a connection is had, what a driver's error means, and
// how a change is told to the other processes. The tables and the queries are the same for all.
import type { Queries } from "./schema.ts";

/** What an error means. `conflict`: a rule of the schema forbids the change. `defect`: neither; it is ours to mend. */
export type Failing = "unavailable" | "conflict" | "defect";

/** One database. */
export interface Backend {
  readonly db: Queries;
  /** Reads an error's code, never its text. */
  failingOf(error: unknown): Failing;
  /** Tells the other processes that can be reached of a change that is committed, and waits, bounded, until they took note. Never rejects. */
  announce(): Promise<void>;
  /** Closes the connection and stops listening. */
  close(): Promise<void>;
}
