// One worker thread as the main thread sees it, from its start to its end.
import type { Worker } from "node:worker_threads";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import { failureOf, type MainThreadServer } from "./main-thread-server.ts";
import type { Address, MainThreadRequest, MessageFromWorker, MessageToWorker } from "./messages.ts";

// How long a thread may take to end on its own. A thread that takes longer is stuck and reads no messages.
const END_MS = 1000;

/** A worker thread could not listen. `code` is the system's, such as EADDRINUSE. */
export class ListenError extends Error {
  override readonly name = "ListenError";
  readonly code: string | undefined;

  constructor(message: string, code: string | undefined) {
    super(message);
    this.code = code;
  }
}

interface WorkerHandleOptions {
  readonly thread: number;
  readonly worker: Worker;
  readonly mainThreadServer: MainThreadServer;
  readonly clock: Clock;
  readonly log: Log;
}

export class WorkerHandle {
  /** Resolves when the thread can listen; rejects if it ends before that. */
  readonly ready: Promise<void>;
  /** Resolves when the thread has ended. */
  readonly ended: Promise<void>;
  readonly #options: WorkerHandleOptions;
  #listening: PromiseWithResolvers<Address> | undefined;
  readonly #portClosed = Promise.withResolvers<void>();
  #hasEnded = false;
  // Why the thread ended.
  #reason: unknown = new Error("A worker thread ended on its own.");

  constructor(options: WorkerHandleOptions) {
    const { thread, worker, log } = options;
    const ready = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    this.ready = ready.promise;
    this.ended = ended.promise;
    this.#options = options;
    worker.on("message", (message: MessageFromWorker) =>
      message.kind === "ready" ? ready.resolve() : this.#handleMessage(message),
    );
    worker.on("error", (error) => {
      this.#reason = error;
      log.error({ err: error, thread }, "a worker thread failed");
    });
    worker.on("exit", () => {
      this.#hasEnded = true;
      ready.reject(this.#reason);
      ended.resolve();
    });
    // If no caller is waiting for it, a rejection must not count as unhandled.
    this.ready.catch(() => {});
  }

  /** Makes the thread listen, and returns the address. Rejects if the thread has ended, and with a ListenError if the address is taken. */
  listen(at: Address, reusePort: boolean): Promise<Address> {
    const listening = Promise.withResolvers<Address>();
    this.#listening = listening;
    this.send({ kind: "listen", at, reusePort });
    // Rejects immediately if the thread has already ended.
    void this.ended.then(() => listening.reject(this.#reason));
    return listening.promise;
  }

  send(message: MessageToWorker): void {
    if (!this.#hasEnded) {
      this.#options.worker.postMessage(message);
    }
  }

  /** Stops the thread from accepting connections. Resolves once it accepts none, or has ended. */
  closePort(): Promise<void> {
    this.send({ kind: "closePort" });
    return Promise.race([this.#portClosed.promise, this.ended]);
  }

  /** Lets its calls in progress finish and waits until the thread has ended. A thread that takes longer than `graceMs` is ended. */
  async stop(graceMs: number): Promise<void> {
    const { clock, log, thread } = this.#options;
    this.send({ kind: "stop" });
    const cancel = clock.after(graceMs, () => {
      log.error({ thread }, "a worker thread did not stop in time; ending it");
      void this.end();
    });
    await this.ended;
    cancel();
  }

  /** Ends the thread, with its calls in progress. It is first asked to end itself, because only it can do that safely (worker-exit.ts). */
  async end(): Promise<void> {
    const { clock, worker } = this.#options;
    this.send({ kind: "end" });
    const cancel = clock.after(END_MS, () => void worker.terminate());
    await this.ended;
    cancel();
  }

  #handleMessage(message: Exclude<MessageFromWorker, { readonly kind: "ready" }>): void {
    const { mainThreadServer } = this.#options;
    switch (message.kind) {
      case "request":
        void this.#respond(message.id, message.request);
        break;
      case "refill":
        mainThreadServer.refill(message.keys);
        break;
      case "refund":
        mainThreadServer.refund(message.key, message.day, message.leaseId);
        break;
      case "endAccountStream":
        mainThreadServer.endAccountStream(message.stream);
        break;
      case "calls":
        mainThreadServer.addWatchedCalls(message.batches);
        break;
      case "loggedCalls":
        mainThreadServer.logCalls(message.calls);
        break;
      case "accessLog":
        mainThreadServer.log(message.lines);
        break;
      case "listening":
        this.#listening?.resolve(message.at);
        break;
      case "notListening":
        this.#listening?.reject(new ListenError(message.message, message.code));
        break;
      case "portClosed":
        this.#portClosed.resolve();
        break;
      case "stopped":
        void this.end();
        break;
    }
  }

  async #respond(id: number, request: MainThreadRequest): Promise<void> {
    try {
      const response = await this.#options.mainThreadServer.respond(request, this.#options.thread);
      if (this.#hasEnded) {
        this.#options.mainThreadServer.undoUndelivered(request, response);
      }
      this.send({ kind: "response", id, response });
    } catch (error) {
      const failure = failureOf(error);
      if (failure.failure === "defect") {
        this.#options.log.error({ err: error, request: request.kind }, "a worker's request failed");
      }
      this.send({ kind: "failure", id, failure });
    }
  }
}
