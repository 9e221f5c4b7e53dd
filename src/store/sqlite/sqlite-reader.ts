// A second connection to the embedded database, in a thread of its own, for questions that take long: SQLite answers where it is asked, and
// whoever asks does nothing else meanwhile. The thread begins with the first question and ends when there was none for a while.
import { Worker } from "node:worker_threads";
import type { Clock } from "../../runtime/clock.ts";

const IDLE_MS = 30_000;

/** A question: SQL, and what its parameters are. */
export interface ReaderQuestion {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** Its rows; or what SQLite had against it, and SQLite's number for that. */
export type ReaderAnswer =
  | { readonly rows: readonly unknown[] }
  | { readonly message: string; readonly errcode: number | undefined };

/** The thread has ended before it answered. */
export class ReaderGone extends Error {
  override readonly name = "ReaderGone";
}

interface Thread {
  readonly worker: Worker;
  // In the order in which they are asked, which is the one in which they are answered.
  readonly waiting: PromiseWithResolvers<readonly unknown[]>[];
}

/** Reads the database. */
export class SqliteReader {
  readonly #path: string;
  readonly #clock: Clock;
  #thread: Thread | undefined;
  #cancelEnd = (): void => {};

  /** `path`: of the database's file. */
  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
  }

  /** The rows that a reading statement gives. Rejects as the database does, and with ReaderGone when nobody answers any more. */
  ask({ sql, parameters }: ReaderQuestion): Promise<readonly unknown[]> {
    this.#cancelEnd();
    this.#thread ??= this.#begin();
    const answer = Promise.withResolvers<readonly unknown[]>();
    // What else there is of a question, such as the tree that its SQL was made from, need not be copied.
    this.#thread.worker.postMessage({ sql, parameters });
    this.#thread.waiting.push(answer);
    return answer.promise;
  }

  /** Ends the thread. Questions without an answer reject. */
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
    worker.on("message", (answer: ReaderAnswer) => this.#hear(thread, answer));
    worker.on("error", (error) => {
      reason = error;
    });
    worker.on("exit", () => {
      if (this.#thread === thread) {
        this.#thread = undefined;
      }
      for (const { reject } of thread.waiting) {
        reject(new ReaderGone("The thread that reads the database has ended.", { cause: reason }));
      }
    });
    return thread;
  }

  #hear({ waiting }: Thread, answer: ReaderAnswer): void {
    const first = waiting.shift();
    if ("rows" in answer) {
      first?.resolve(answer.rows);
    } else {
      first?.reject(Object.assign(new Error(answer.message), { errcode: answer.errcode }));
    }
    if (waiting.length === 0) {
      this.#cancelEnd = this.#clock.after(IDLE_MS, () => void this.close());
    }
  }
}
