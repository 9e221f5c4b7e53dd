// Keeps one worker thread running for as long as the process serves. When the thread dies, its calls in progress are refunded and another
// thread replaces it: immediately if it had been running for a while, otherwise after a growing pause.
import type { Worker } from "node:worker_threads";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { MainThreadServer } from "./main-thread-server.ts";
import type { Address, MessageToWorker } from "./messages.ts";
import { WorkerHandle } from "./worker-handle.ts";

const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 5000;
// A thread that ran for this long did not die because of how it started.
const HEALTHY_MS = 10_000;

export interface WorkerSupervisorOptions {
  readonly thread: number;
  readonly start: (thread: number) => Worker;
  readonly mainThreadServer: MainThreadServer;
  readonly clock: Clock;
  readonly log: Log;
}

export class WorkerSupervisor {
  readonly #options: WorkerSupervisorOptions;
  #handle: WorkerHandle;
  #startedAtMs = 0;
  #pauseMs = 0;
  #cancelPause = (): void => {};
  // Where the thread listens, once it does.
  #listening: { readonly address: Address; readonly reusePort: boolean } | undefined;
  // Whether a thread that ends is replaced.
  #replacesEnded = false;
  #isStopped = false;
  #isRunning = false;
  #replaced = 0;

  constructor(options: WorkerSupervisorOptions) {
    this.#options = options;
    this.#handle = this.#start();
  }

  /** Whether a thread has started and has not ended. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** How many threads have replaced one that ended. */
  get replaced(): number {
    return this.#replaced;
  }

  /** Resolves when the first thread can listen. If it ended before that, rejects and does not replace it. */
  async ready(): Promise<void> {
    await this.#handle.ready;
    this.#replacesEnded = !this.#isStopped;
  }

  /**
   * Makes this thread, and each thread that replaces it, listen. Returns the address. Rejects with a ListenError if the address is taken.
   */
  async listen(wanted: Address, reusePort: boolean): Promise<Address> {
    const address = await this.#handle.listen(wanted, reusePort);
    this.#listening = { address, reusePort };
    return address;
  }

  send(message: MessageToWorker): void {
    this.#handle.send(message);
  }

  /** Stops the thread from accepting connections. From now on it is not replaced. Never rejects. */
  closePort(): Promise<void> {
    this.#isStopped = true;
    this.#replacesEnded = false;
    this.#cancelPause();
    return this.#handle.closePort();
  }

  /** Lets the thread's calls in progress finish, then ends the thread, after `graceMs` at the latest. Never rejects. */
  stop(graceMs: number): Promise<void> {
    this.#isStopped = true;
    this.#replacesEnded = false;
    this.#cancelPause();
    return this.#handle.stop(graceMs);
  }

  #start(): WorkerHandle {
    const { thread, start, mainThreadServer, clock, log } = this.#options;
    this.#startedAtMs = clock.monotonicMs();
    const handle = new WorkerHandle({ thread, worker: start(thread), mainThreadServer, clock, log });
    this.#isRunning = true;
    void handle.ended.then(() => this.#ended());
    return handle;
  }

  #ended(): void {
    this.#isRunning = false;
    const { thread, mainThreadServer } = this.#options;
    mainThreadServer.settle(thread);
    if (this.#replacesEnded) {
      this.#replaceLater();
    }
  }

  #replaceLater(): void {
    const { thread, clock, log } = this.#options;
    const isHealthy = clock.monotonicMs() - this.#startedAtMs >= HEALTHY_MS;
    this.#pauseMs = isHealthy ? 0 : Math.min(Math.max(2 * this.#pauseMs, FIRST_PAUSE_MS), LAST_PAUSE_MS);
    log.error({ thread, pause_ms: this.#pauseMs }, "a worker thread has ended and will be replaced");
    this.#cancelPause = clock.after(this.#pauseMs, () => void this.#replace());
  }

  async #replace(): Promise<void> {
    const { thread, log } = this.#options;
    const logFailure = (error: unknown): void =>
      log.error({ err: error, thread }, "a worker thread that ended could not be replaced");
    let handle: WorkerHandle;
    try {
      handle = this.#start();
    } catch (error) {
      // The system cannot provide another thread.
      logFailure(error);
      this.#replaceLater();
      return;
    }
    this.#handle = handle;
    try {
      await handle.ready;
      if (this.#listening !== undefined) {
        await handle.listen(this.#listening.address, this.#listening.reusePort);
      }
      this.#replaced += 1;
      log.info({ thread }, "a worker thread that ended has been replaced");
    } catch (error) {
      logFailure(error);
      await handle.end();
    }
  }
}
