// A second connection to the embedded database, in its own thread, for long queries: SQLite blocks the thread that runs a query. The thread
// starts with the first query and ends after a while without one.
import { Worker } from "node:worker_threads";
import type { Clock } from "../../runtime/clock.ts";

const IDLE_MS = 30_000;

/** A query: SQL and its parameters. */
export interface ReaderQuery {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** The query's rows, or SQLite's error message and code. */
export type ReaderResult =
  | { readonly rows: readonly unknown[] }
  | { readonly message: string; readonly errcode: number | undefined };

/** The thread ended before it sent the rows. */
export class ReaderExited extends Error {
  override readonly name = "ReaderExited";
}

interface Thread {
  readonly worker: Worker;
  // In the order of the queries, which is also the order of the results.
  readonly waiting: PromiseWithResolvers<readonly unknown[]>[];
}

/** Reads the database in another thread. */
export class SqliteReader {
  readonly #path: string;
  readonly #clock: Clock;
  #thread: Thread | undefined;
  #cancelEnd = (): void => {};

  /** `path` is the database's file. */
  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
  }

  /** The rows of a statement that only reads. Rejects with the database's error, or with ReaderExited if the thread has ended. */
  query({ sql, parameters }: ReaderQuery): Promise<readonly unknown[]> {
    this.#cancelEnd();
    this.#thread ??= this.#begin();
    const result = Promise.withResolvers<readonly unknown[]>();
    // Only the SQL and its parameters are copied, and not the syntax tree of the query.
    this.#thread.worker.postMessage({ sql, parameters });
    this.#thread.waiting.push(result);
    return result.promise;
  }

  /** Ends the thread. Queries in progress reject. */
  async close(): Promise<void> {
    this.#cancelEnd();
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.worker.terminate();
  }

  #begin(): Thread {
    const worker = new Worker(new URL("../../start.js", import.meta.url), {
      argv: ["read"],
      workerData: this.#path,
      name: "quintet-reader",
    });
    const thread: Thread = { worker, waiting: [] };
    let reason: unknown;
    worker.on("message", (result: ReaderResult) => this.#receive(thread, result));
    worker.on("error", (error) => {
      reason = error;
    });
    worker.on("exit", () => {
      if (this.#thread === thread) {
        this.#thread = undefined;
      }
      for (const { reject } of thread.waiting) {
        reject(new ReaderExited("The thread that reads the database has ended.", { cause: reason }));
      }
    });
    return thread;
  }

  #receive({ waiting }: Thread, result: ReaderResult): void {
    const first = waiting.shift();
    if ("rows" in result) {
      first?.resolve(result.rows);
    } else {
      first?.reject(Object.assign(new Error(result.message), { errcode: result.errcode }));
    }
    if (waiting.length === 0) {
      this.#cancelEnd = this.#clock.after(IDLE_MS, () => void this.close());
    }
  }
}
