// Batches requests that arrive at about the same time into one query, so that many callers at once cost one round trip and one commit per
// batch.

/** A batch's result for one request: its result, an error, or that the request must be sent again on its own. */
export type BatchResult<Result> = { readonly result: Result } | { readonly error: Error } | "again";

interface BatcherOptions<Request, Result> {
  /**
   * Sends all requests at once and returns the results in their order. `alone` is true for a single request that is sent again: it may wait
   * for a row that another process has locked, which a batch must not do. When this rejects, every request rejects.
   */
  readonly run: (requests: readonly Request[], alone: boolean) => Promise<readonly BatchResult<Result>[]>;
  readonly batchMax: number;
  /** How many batches may run at once. The same number of single requests may run in addition. */
  readonly concurrencyMax: number;
}

interface Waiting<Request, Result> {
  readonly request: Request;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export class Batcher<Request, Result> {
  readonly #options: BatcherOptions<Request, Result>;
  readonly #together: BatchQueue<Waiting<Request, Result>>;
  readonly #alone: BatchQueue<Waiting<Request, Result>>;

  constructor(options: BatcherOptions<Request, Result>) {
    this.#options = options;
    const { batchMax, concurrencyMax } = options;
    this.#together = new BatchQueue(batchMax, concurrencyMax, (batch) => this.#run(batch, false));
    this.#alone = new BatchQueue(1, concurrencyMax, (batch) => this.#run(batch, true));
  }

  /** Sends a request with the next batch. Rejects as the batch does, or with this request's own error. */
  request(request: Request): Promise<Result> {
    return new Promise((resolve, reject) => this.#together.add({ request, resolve, reject }));
  }

  async #run(batch: readonly Waiting<Request, Result>[], alone: boolean): Promise<void> {
    try {
      const results = await this.#options.run(
        batch.map(({ request }) => request),
        alone,
      );
      for (const [index, waiting] of batch.entries()) {
        const found = results[index] ?? "again";
        if (found === "again") {
          this.#alone.add(waiting);
        } else if ("error" in found) {
          waiting.reject(found.error);
        } else {
          waiting.resolve(found.result);
        }
      }
    } catch (error) {
      for (const { reject } of batch) {
        reject(error);
      }
    }
  }
}

// A queue that runs a bounded number of batches at once.
class BatchQueue<Item> {
  readonly #batchMax: number;
  readonly #concurrencyMax: number;
  readonly #run: (batch: readonly Item[]) => Promise<void>;
  readonly #queue: Item[] = [];
  #inProgress = 0;
  #isScheduled = false;

  /** `run` never rejects. */
  constructor(batchMax: number, concurrencyMax: number, run: (batch: readonly Item[]) => Promise<void>) {
    this.#batchMax = batchMax;
    this.#concurrencyMax = concurrencyMax;
    this.#run = run;
  }

  add(item: Item): void {
    this.#queue.push(item);
    this.#schedule();
  }

  // Runs after the events of this turn of the event loop, so that their requests go into the same batch.
  #schedule(): void {
    if (!this.#isScheduled && this.#queue.length > 0 && this.#inProgress < this.#concurrencyMax) {
      this.#isScheduled = true;
      setImmediate(() => {
        this.#isScheduled = false;
        void this.#next();
        this.#schedule();
      });
    }
  }

  async #next(): Promise<void> {
    this.#inProgress++;
    await this.#run(this.#queue.splice(0, this.#batchMax));
    this.#inProgress--;
    this.#schedule();
  }
}
