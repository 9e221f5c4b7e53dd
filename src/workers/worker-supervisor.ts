// One place among the workers, which a thread fills for as long as the process serves: a thread that dies is settled and another takes its
// place, at once where it had lived for a while, and after a growing pause where it had not.
import type { Worker } from "node:worker_threads";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { MainThreadServer } from "./main-thread-server.ts";
import type { Address, MessageToWorker } from "./messages.ts";
import { WorkerHandle } from "./worker-handle.ts";

const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 5000;
// A thread that lived this long did not die of how it began.
const HEALTHY_MS = 10_000;

/** What a place works with. */
export interface WorkerSupervisorOptions {
  readonly thread: number;
  /** Starts the thread of this number. */
  readonly start: (thread: number) => Worker;
  readonly mainThreadServer: MainThreadServer;
  readonly clock: Clock;
  readonly log: Log;
}

/** A place. */
export class WorkerSupervisor {
  readonly #options: WorkerSupervisorOptions;
  #member: WorkerHandle;
  #bornAtMs = 0;
  #pauseMs = 0;
  #cancelPause = (): void => {};
  // Where it listens, once it does.
  #at: { readonly address: Address; readonly reusePort: boolean } | undefined;
  // Whether a thread that ends is replaced.
  #isKept = false;
  #isStopped = false;

  constructor(options: WorkerSupervisorOptions) {
    this.#options = options;
    this.#member = this.#hire();
  }

  /** Resolves when the first thread can listen. Rejects when it ended before that; then there is none. */
  async begun(): Promise<void> {
    await this.#member.ready;
    this.#isKept = !this.#isStopped;
  }

  /** Listens, now and with every thread to come, and answers where. Rejects with a ListenError when the address cannot be had. */
  async listen(wanted: Address, reusePort: boolean): Promise<Address> {
    const address = await this.#member.listen(wanted, reusePort);
    this.#at = { address, reusePort };
    return address;
  }

  tell(message: MessageToWorker): void {
    this.#member.tell(message);
  }

  /** Lets the thread's calls under way end, and the thread; ends it when that takes longer than `graceMs`. Never rejects. */
  async stop(graceMs: number): Promise<void> {
    this.#isKept = false;
    this.#isStopped = true;
    this.#cancelPause();
    await this.#member.stop(graceMs);
  }

  #hire(): WorkerHandle {
    const { thread, start, mainThreadServer, clock, log } = this.#options;
    this.#bornAtMs = clock.monotonicMs();
    const member = new WorkerHandle({ thread, worker: start(thread), mainThreadServer, clock, log });
    void member.ended.then(() => this.#ended());
    return member;
  }

  #ended(): void {
    const { thread, mainThreadServer } = this.#options;
    mainThreadServer.settle(thread);
    if (this.#isKept) {
      this.#replaceLater();
    }
  }

  #replaceLater(): void {
    const { thread, clock, log } = this.#options;
    const isHealthy = clock.monotonicMs() - this.#bornAtMs >= HEALTHY_MS;
    this.#pauseMs = isHealthy ? 0 : Math.min(Math.max(2 * this.#pauseMs, FIRST_PAUSE_MS), LAST_PAUSE_MS);
    log.error({ thread, pause_ms: this.#pauseMs }, "a worker thread has ended; another takes its place");
    this.#cancelPause = clock.after(this.#pauseMs, () => void this.#replace());
  }

  async #replace(): Promise<void> {
    const { thread, log } = this.#options;
    const say = (error: unknown): void =>
      log.error({ err: error, thread }, "a worker thread cannot take the place of one that ended");
    let member: WorkerHandle;
    try {
      member = this.#hire();
    } catch (error) {
      // The system has no thread left.
      say(error);
      this.#replaceLater();
      return;
    }
    this.#member = member;
    try {
      await member.ready;
      if (this.#at !== undefined) {
        await member.listen(this.#at.address, this.#at.reusePort);
      }
      log.info({ thread }, "a worker thread has taken the place of one that ended");
    } catch (error) {
      say(error);
      await member.end();
    }
  }
}
